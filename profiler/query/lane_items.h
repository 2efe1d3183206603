#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/query/lanes.h"

namespace k3::query {

/// Spans narrower than this many pixels are drawn together.
inline constexpr double kFoldPixels = 3;

/// What is drawn at one place of a track: one span, or several narrow ones folded into a cell.
struct LaneItem {
  std::int64_t begin_ns = 0;  ///< of the first span
  std::int64_t end_ns = 0;    ///< of the last span
  std::int64_t busy_ns = 0;   ///< sum of the spans that are not waiting
  std::int64_t wait_ns = 0;
  std::size_t first_span = 0;
  std::uint32_t count = 0;                        ///< 1: exactly that span
  SpanCategory category = SpanCategory::compute;  ///< most of the time
  std::uint8_t kind = kNoKind;                    ///< most of the busy time

  /// Share of the item's width that is busy; a span of no length is.
  double busy_fraction() const {
    return end_ns > begin_ns ? static_cast<double>(busy_ns) / static_cast<double>(end_ns - begin_ns)
                             : 1.0;
  }
};

/// Appends what `track` shows in `range` when a pixel is `ns_per_pixel` wide, ascending in time:
/// spans of at least kFoldPixels one by one, narrower ones in cells of about that width whose
/// borders do not move while the view is panned. Costs as much as there are pixels, however many
/// spans there are. Items at the edges may stick out of `range`.
void append_items(const Lanes& lanes,
                  const Track& track,
                  TimeRange range,
                  double ns_per_pixel,
                  std::vector<LaneItem>& items);

/// The span of a lane's row at `time_ns`, else the nearest one at most `tolerance_ns` away.
std::optional<std::size_t> span_at(const Lanes& lanes,
                                   std::int32_t lane,
                                   std::int32_t depth,
                                   std::int64_t time_ns,
                                   std::int64_t tolerance_ns);

}  // namespace k3::query
