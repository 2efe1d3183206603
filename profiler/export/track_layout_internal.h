#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "engine/trace/trace.h"

namespace k3::exporter {

/// What TrackLayout finds, told in an order in which a trace can be written.
class TrackVisitor {
 public:
  TrackVisitor() = default;
  virtual ~TrackVisitor() = default;
  TrackVisitor(const TrackVisitor&) = delete;
  TrackVisitor& operator=(const TrackVisitor&) = delete;
  TrackVisitor(TrackVisitor&&) = delete;
  TrackVisitor& operator=(TrackVisitor&&) = delete;

  /// `lane` needs one more track: its `number`th beside the lane's own.
  virtual void extra_track(std::int32_t track, std::int32_t lane, int number) = 0;
  virtual void open(std::int32_t track, std::size_t span) = 0;
  /// Closes the span of the track that was opened last.
  virtual void close(std::int32_t track, std::int64_t t_ns) = 0;
};

/// Puts the spans of lanes on tracks on which they only nest: viewers of traces drop spans that
/// cross. A lane's own track (track = lane) takes every span that lies inside the one before or
/// begins after it; what crosses goes to further tracks of the lane, on which nothing overlaps. On
/// every track the times told to the visitor ascend, over all steps.
class TrackLayout {
 public:
  explicit TrackLayout(std::size_t num_lanes);

  /// The spans of one step: durations not negative, begin + duration no overflow.
  void arrange(std::span<const Span> spans, TrackVisitor& visitor);

  std::int32_t num_tracks() const { return num_tracks_; }

  /// Spans on further tracks so far.
  std::int64_t num_crossing() const { return num_crossing_; }

 private:
  /// End of its last span, track.
  using FreeFrom = std::pair<std::int64_t, std::int32_t>;

  struct LaneState {
    std::int64_t last_ns;  ///< last time on its own track
    int extra_tracks = 0;
    std::priority_queue<FreeFrom, std::vector<FreeFrom>, std::greater<>> free = {};
  };

  struct Open {
    std::int64_t end_ns;
    std::uint8_t depth;
  };

  void place(std::span<const Span> spans, std::size_t index, TrackVisitor& visitor);
  void place_beside(const Span& span, std::size_t index, TrackVisitor& visitor);
  void close_until(const Span& span, TrackVisitor& visitor);
  void close_all(std::int32_t lane, TrackVisitor& visitor);

  std::vector<LaneState> lanes_;
  std::vector<Open> open_;            ///< on the own track of the lane being arranged
  std::vector<std::uint32_t> order_;  ///< kept for its memory
  std::int32_t num_tracks_;
  std::int64_t num_crossing_ = 0;
};

}  // namespace k3::exporter
