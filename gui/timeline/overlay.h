#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gui/models/timeline_focus.h"
#include "gui/timeline/scene.h"
#include "profiler/query/lane_flows.h"

class QPainter;

namespace k3::gui {

/// What lies above the rows and follows pointer and selection.
struct Overlay {
  std::optional<TimeRange> range;
  std::optional<int> pointer_x;
  std::optional<SpanRef> selected;
  std::vector<SpanRef> marked;
  query::Flows flows;  ///< of the selected span
};

/// A span's place in the picture; empty: its row is not there.
QRect rect_of(const Scene& scene, const SpanRef& span);

void paint_overlay(QPainter& painter,
                   const Scene& scene,
                   const Overlay& overlay,
                   visual::Theme theme);

}  // namespace k3::gui
