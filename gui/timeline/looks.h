#pragma once

#include <QColor>
#include <array>
#include <cstdint>

#include "gui/timeline/raster.h"
#include "profiler/query/lanes.h"
#include "profiler/visual/draw_list.h"
#include "profiler/visual/palette.h"

namespace k3::gui {

/// Colour of a span in draw lists: that of its task's kind, else grey.
visual::Paint paint_of(std::uint8_t kind, SpanCategory category);

/// How spans look, mixed with the background once, so that painting only writes pixels. What
/// gui/paint does for draw lists, with the same tints.
struct SpanLook {
  bool hatched = false;
  QRgb fill = 0;         ///< of measured ones
  Raster::Hatch hatch;   ///< of the others
  QRgb edge = 0;         ///< outline of simulated ones, line between measured ones
  QRgb text_ground = 0;  ///< behind the name of a hatched one
  QRgb ink = 0;
};

class Looks {
 public:
  Looks(visual::Theme theme, int stroke_width);

  visual::Theme theme() const { return theme_; }

  QRgb background() const { return background_; }

  QRgb track() const { return track_; }

  enum class Strength : std::uint8_t { full, pale };

  const SpanLook& look(visual::Provenance provenance,
                       std::uint8_t kind,
                       SpanCategory category,
                       Strength strength) const;

 private:
  static constexpr std::size_t kNumLooks = query::kNumKinds + 1;  ///< the last: waiting

  using Set = std::array<SpanLook, kNumLooks>;

  SpanLook make(const visual::Paint& paint,
                visual::Provenance provenance,
                Strength strength,
                int stroke_width) const;

  visual::Theme theme_;
  QRgb background_;
  QRgb track_;
  std::array<std::array<Set, 2>, 2> sets_;  ///< [simulated][pale]
};

}  // namespace k3::gui
