#include "profiler/query/lane_statistics.h"

#include <algorithm>

namespace k3::query {
namespace {

/// Sums wrap instead of overflowing: many lanes of a damaged file may exceed 2⁶³.
void add_to(std::int64_t& sum, std::int64_t value) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                  static_cast<std::uint64_t>(value));
}

void add_to(Tally& sum, const Tally& tally, std::int64_t sign) {
  for (std::size_t k = 0; k < kNumKinds; ++k) {
    for (std::size_t c = 0; c < kNumCategories; ++c) {
      add_to(sum.sums[k][c].ns, sign * tally.sums[k][c].ns);
      add_to(sum.sums[k][c].count, sign * tally.sums[k][c].count);
    }
  }
}

Tally::Sum& cell_of(const Lanes& lanes, std::size_t span, Tally& tally) {
  return tally.sums[lanes.kind[span]][static_cast<std::size_t>(lanes.category[span])];
}

/// Adds `sign` times the sums over the first `count` spans of a track.
void add_first(
    const Lanes& lanes, const Track& track, std::size_t count, std::int64_t sign, Tally& tally) {
  const std::size_t block = count / Lanes::kSpansPerTally;
  add_to(tally, lanes.tallies[track.first_tally + block], sign);
  for (std::size_t i = track.first + block * Lanes::kSpansPerTally; i < track.first + count; ++i) {
    Tally::Sum& cell = cell_of(lanes, i, tally);
    add_to(cell.ns, sign * (lanes.end_ns[i] - lanes.begin_ns[i]));
    add_to(cell.count, sign);
  }
}

void add_track(const Lanes& lanes, const Track& track, RangeStatistics& statistics) {
  const TimeRange range = statistics.range;
  const auto begin = lanes.begin_ns.part(track.first, track.count);
  const auto end = lanes.end_ns.part(track.first, track.count);
  const auto first =
      static_cast<std::size_t>(std::ranges::upper_bound(end, range.begin_ns) - end.begin());
  const auto behind =
      static_cast<std::size_t>(std::ranges::lower_bound(begin, range.end_ns) - begin.begin());
  if (first >= behind) return;
  add_first(lanes, track, behind, 1, statistics.tally);
  add_first(lanes, track, first, -1, statistics.tally);
  if (begin[first] < range.begin_ns) {
    add_to(cell_of(lanes, track.first + first, statistics.tally).ns, begin[first] - range.begin_ns);
  }
  if (end[behind - 1] > range.end_ns) {
    add_to(cell_of(lanes, track.first + behind - 1, statistics.tally).ns,
           range.end_ns - end[behind - 1]);
  }
}

void add_lane(const Lanes& lanes, std::int32_t lane, RangeStatistics& statistics) {
  if (statistics.range.end_ns <= statistics.range.begin_ns) return;
  for (const Track& track : lanes.tracks_of(lane)) {
    if (track.level == 0) add_track(lanes, track, statistics);
  }
}

}  // namespace

std::int64_t RangeStatistics::category_ns(SpanCategory category) const {
  std::int64_t sum = 0;
  for (const auto& kind : tally.sums)
    add_to(sum, kind[static_cast<std::size_t>(category)].ns);
  return sum;
}

std::int64_t RangeStatistics::kind_ns(std::uint8_t kind) const {
  std::int64_t sum = 0;
  for (const Tally::Sum& cell : tally.sums[kind])
    add_to(sum, cell.ns);
  add_to(sum, -kind_wait_ns(kind));
  return sum;
}

std::int64_t RangeStatistics::kind_wait_ns(std::uint8_t kind) const {
  return tally.sums[kind][static_cast<std::size_t>(SpanCategory::wait)].ns;
}

std::int64_t RangeStatistics::busy_ns() const {
  std::int64_t sum = 0;
  for (std::uint8_t kind = 0; kind < kNumKinds; ++kind)
    add_to(sum, kind_ns(kind));
  return sum;
}

std::int64_t RangeStatistics::num_spans() const {
  std::int64_t sum = 0;
  for (std::uint8_t kind = 0; kind < kNumKinds; ++kind)
    sum += num_spans(kind);
  return sum;
}

std::int64_t RangeStatistics::num_spans(SpanCategory category) const {
  std::int64_t sum = 0;
  for (const auto& kind : tally.sums)
    sum += kind[static_cast<std::size_t>(category)].count;
  return sum;
}

std::int64_t RangeStatistics::num_spans(std::uint8_t kind) const {
  std::int64_t sum = 0;
  for (const Tally::Sum& cell : tally.sums[kind])
    sum += cell.count;
  return sum;
}

void RangeStatistics::add(const RangeStatistics& other) {
  add_to(tally, other.tally, 1);
}

RangeStatistics range_statistics(const Lanes& lanes,
                                 TimeRange range,
                                 std::span<const std::int32_t> chosen) {
  RangeStatistics statistics{.range = range, .tally = {}};
  for (const std::int32_t lane : chosen)
    add_lane(lanes, lane, statistics);
  return statistics;
}

std::vector<RangeStatistics> rank_statistics(const Lanes& lanes, TimeRange range) {
  std::vector<RangeStatistics> ranks(static_cast<std::size_t>(lanes.num_ranks),
                                     RangeStatistics{.range = range, .tally = {}});
  for (std::size_t lane = 0; lane < lanes.lanes.size(); ++lane) {
    add_lane(lanes, static_cast<std::int32_t>(lane),
             ranks[static_cast<std::size_t>(lanes.lanes[lane].rank)]);
  }
  return ranks;
}

}  // namespace k3::query
