#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "profiler/export/track_layout_internal.h"

namespace k3::exporter {
namespace {

std::int64_t end_of(const Span& span) {
  return span.begin_ns + span.duration_ns;
}

/// Parents before what lies inside them; what is equal stays in the order written.
auto order_of(const Span& span, std::uint32_t index) {
  return std::tuple(span.lane, span.begin_ns, span.depth, -span.duration_ns, index);
}

}  // namespace

TrackLayout::TrackLayout(std::size_t num_lanes)
    : lanes_(num_lanes, LaneState{.last_ns = std::numeric_limits<std::int64_t>::min()}),
      num_tracks_(static_cast<std::int32_t>(num_lanes)) {}

void TrackLayout::arrange(std::span<const Span> spans, TrackVisitor& visitor) {
  order_.resize(spans.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::sort(order_, {}, [&](std::uint32_t i) { return order_of(spans[i], i); });
  for (std::size_t i = 0; i < order_.size(); ++i) {
    place(spans, order_[i], visitor);
    const std::int32_t lane = spans[order_[i]].lane;
    if (i + 1 == order_.size() || spans[order_[i + 1]].lane != lane) close_all(lane, visitor);
  }
}

void TrackLayout::place(std::span<const Span> spans, std::size_t index, TrackVisitor& visitor) {
  const Span& span = spans[index];
  close_until(span, visitor);
  LaneState& lane = lanes_[static_cast<std::size_t>(span.lane)];
  const bool inside = open_.empty() || end_of(span) <= open_.back().end_ns;
  if (!inside || span.begin_ns < lane.last_ns) {
    place_beside(span, index, visitor);
    return;
  }
  lane.last_ns = span.begin_ns;
  open_.push_back({end_of(span), span.depth});
  visitor.open(span.lane, index);
}

void TrackLayout::place_beside(const Span& span, std::size_t index, TrackVisitor& visitor) {
  LaneState& lane = lanes_[static_cast<std::size_t>(span.lane)];
  std::int32_t track = 0;
  if (!lane.free.empty() && lane.free.top().first <= span.begin_ns) {
    track = lane.free.top().second;
    lane.free.pop();
  } else {
    track = num_tracks_++;
    visitor.extra_track(track, span.lane, ++lane.extra_tracks);
  }
  lane.free.emplace(end_of(span), track);
  ++num_crossing_;
  visitor.open(track, index);
  visitor.close(track, end_of(span));
}

/// NOTE: a span without length at the very end of another is inside it only if its depth says so.
void TrackLayout::close_until(const Span& span, TrackVisitor& visitor) {
  LaneState& lane = lanes_[static_cast<std::size_t>(span.lane)];
  while (!open_.empty() && open_.back().end_ns <= span.begin_ns) {
    const Open& last = open_.back();
    if (last.end_ns == span.begin_ns && span.duration_ns == 0 && span.depth > last.depth) return;
    lane.last_ns = last.end_ns;
    visitor.close(span.lane, last.end_ns);
    open_.pop_back();
  }
}

void TrackLayout::close_all(std::int32_t lane, TrackVisitor& visitor) {
  while (!open_.empty()) {
    lanes_[static_cast<std::size_t>(lane)].last_ns = open_.back().end_ns;
    visitor.close(lane, open_.back().end_ns);
    open_.pop_back();
  }
}

}  // namespace k3::exporter
