#pragma once

#include <QPoint>
#include <cstdint>
#include <optional>

#include "gui/models/timeline_focus.h"
#include "gui/timeline/scene.h"

namespace k3::gui {

/// What lies at a point of the timeline.
struct Hit {
  enum class Place : std::uint8_t { nothing, ruler, arrow, label, steps, row };

  Place place = Place::nothing;
  const LaneRow* row = nullptr;  ///< of the scene's layout
  std::optional<SpanRef> span;
};

Hit hit_at(const Scene& scene, const QPoint& point);

}  // namespace k3::gui
