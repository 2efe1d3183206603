#include "profiler/query/lane_flows.h"

#include <algorithm>
#include <optional>

#include "profiler/query/lanes_internal.h"

namespace k3::query {
namespace {

/// One rank's spans of an exchange.
struct Part {
  std::size_t ready_span = 0;  ///< the last one until the rows were ready
  std::int64_t ready_ns = 0;
  std::size_t transfer_span = 0;  ///< what the rank received in
};

bool is_exchange(std::uint8_t kind) {
  return kind < kNumTaskKinds && is_communication(static_cast<TaskKind>(kind));
}

/// The spans of the same exchange on one rank, in order of time.
std::vector<std::size_t> spans_of_rank(const Lanes& lanes,
                                       std::size_t like,
                                       std::int32_t rank,
                                       TimeRange window) {
  std::vector<std::size_t> spans;
  for (const Track& track : lanes.tracks) {
    if (track.level != 0 || lanes.lanes[static_cast<std::size_t>(track.lane)].rank != rank)
      continue;
    const auto begin = lanes.begin_ns.part(track.first, track.count);
    auto i =
        static_cast<std::size_t>(std::ranges::lower_bound(begin, window.begin_ns) - begin.begin());
    for (; i < track.count && begin[i] < window.end_ns; ++i) {
      const std::size_t at = track.first + i;
      if (lanes.kind[at] == lanes.kind[like] && lanes.layer[at] == lanes.layer[like] &&
          lanes.step[at] == lanes.step[like])
        spans.push_back(at);
    }
  }
  std::ranges::sort(spans, {}, [&](std::size_t i) { return std::pair(lanes.begin_ns[i], i); });
  return spans;
}

/// A rank is ready when it begins to wait for the others, or to move.
std::optional<Part> part_of(const Lanes& lanes, const std::vector<std::size_t>& spans) {
  const auto exchanges = [&](std::size_t i) {
    return lanes.category[i] == SpanCategory::wait || lanes.category[i] == SpanCategory::transfer;
  };
  const auto first = std::ranges::find_if(spans, exchanges);
  if (first == spans.end()) return std::nullopt;
  Part part{.ready_span = first == spans.begin() ? *first : *(first - 1),
            .ready_ns = lanes.begin_ns[*first],
            .transfer_span = *first};
  for (auto i = first; i != spans.end(); ++i) {
    if (lanes.category[*i] == SpanCategory::transfer) part.transfer_span = *i;
  }
  return part;
}

/// Where the spans of a step lie; with room for clocks that differ.
TimeRange window_of(const Lanes& lanes, std::int32_t step) {
  const auto found =
      std::ranges::lower_bound(lanes.steps, step, {}, [](const auto& row) { return row.step; });
  if (found == lanes.steps.end() || found->step != step) return {};
  const std::int64_t begin_ns = clamped_time(found->begin_ns);
  const std::int64_t room_ns = std::clamp<std::int64_t>(found->duration_ns, 0, kMaxTimeNs / 2);
  return {begin_ns - room_ns, begin_ns + 2 * room_ns};
}

}  // namespace

Flows flows_of(const Lanes& lanes, std::size_t span, std::size_t limit) {
  Flows flows;
  if (!is_exchange(lanes.kind[span])) return flows;
  const TimeRange window = window_of(lanes, lanes.step[span]);
  const std::int32_t rank = lanes.lanes[static_cast<std::size_t>(lanes.track_of(span).lane)].rank;
  const auto own = part_of(lanes, spans_of_rank(lanes, span, rank, window));
  if (!own) return flows;
  const auto flow = [&](const Part& from, const Part& to) {
    return Flow{from.ready_span, to.transfer_span, from.ready_ns, lanes.begin_ns[to.transfer_span]};
  };
  for (std::int32_t other = 0; other < lanes.num_ranks; ++other) {
    if (other == rank) continue;
    const auto part = part_of(lanes, spans_of_rank(lanes, span, other, window));
    if (!part) continue;
    flows.incoming.push_back(flow(*part, *own));
    flows.outgoing.push_back(flow(*own, *part));
  }
  std::ranges::stable_sort(flows.incoming, std::greater<>(), &Flow::from_ns);
  std::ranges::stable_sort(flows.outgoing, std::greater<>(), &Flow::to_ns);
  for (std::vector<Flow>* kind : {&flows.incoming, &flows.outgoing}) {
    if (kind->size() <= limit) continue;
    flows.left_out += kind->size() - limit;
    kind->resize(limit);
  }
  return flows;
}

}  // namespace k3::query
