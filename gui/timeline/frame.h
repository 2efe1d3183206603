#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "gui/models/selection.h"
#include "profiler/query/lane_items.h"
#include "profiler/query/lanes.h"

namespace k3::gui {

/// A run as the timeline draws it.
struct FrameRun {
  std::shared_ptr<const query::Lanes> lanes;
  std::int64_t zero_ns = 0;  ///< its time at the zero of the axis
};

struct TrackRef {
  std::size_t run = 0;
  std::size_t track = 0;

  friend auto operator<=>(const TrackRef&, const TrackRef&) = default;
};

/// What is to be drawn, as plain values for another thread.
struct FrameRequest {
  std::vector<FrameRun> runs;
  TimeRange range;  ///< of the axis; more than the window, so that it can be moved meanwhile
  double ns_per_pixel = 1;
  std::vector<TrackRef> tracks;
  std::optional<int> layer = std::nullopt;  ///< items of other layers are pale
};

/// What one track shows. Times of the items are those of the run.
struct FrameTrack {
  TrackRef ref;
  std::vector<query::LaneItem> items;
  std::vector<std::uint8_t> pale;  ///< beside items; empty: none is
};

/// Draw items of a timeline, in times instead of pixels: a frame is painted wherever the window is
/// moved to, until the next one is ready.
struct Frame {
  TimeRange range;
  double ns_per_pixel = 1;
  std::vector<FrameTrack> tracks;  ///< ascending in ref

  /// Null: the frame does not have it.
  const FrameTrack* find(const TrackRef& ref) const;
};

/// Costs as much as there are pixels; with a layer to look for, as there are spans in `range`.
/// Null once stopped.
std::shared_ptr<const Frame> make_frame(FrameRequest request, const std::stop_token& stop = {});

/// One line per item, as tests compare them.
std::string to_text(const Frame& frame, const std::vector<FrameRun>& runs);

}  // namespace k3::gui
