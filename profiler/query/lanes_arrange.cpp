#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>

#include "engine/base/parallel.h"
#include "profiler/query/lanes_internal.h"

namespace k3::query {
namespace {

RawSpan raw_span(const Lanes& lanes, std::size_t i) {
  return {lanes.begin_ns[i], lanes.end_ns[i], lanes.span_id[i],  lanes.step[i], lanes.task[i],
          lanes.name[i],     lanes.layer[i],  lanes.category[i], lanes.kind[i]};
}

/// The order of spans in a track, the same whatever they were read from.
auto order_of(const RawSpan& span) {
  return std::tuple(span.begin_ns, span.end_ns, span.span_id);
}

bool is_arranged(const Lanes& lanes, const Region& region) {
  for (std::size_t i = region.first + 1; i < region.first + region.count; ++i) {
    if (lanes.begin_ns[i] < lanes.end_ns[i - 1]) return false;
    const bool same_begin = lanes.begin_ns[i] == lanes.begin_ns[i - 1];
    if (same_begin && order_of(raw_span(lanes, i)) < order_of(raw_span(lanes, i - 1))) return false;
  }
  return true;
}

/// The row of every span, spans in order of time: the lowest that is free, 0 being the level's own.
/// Row kMaxSpillTracks + 1: none is free.
std::vector<std::uint32_t> rows_of(const std::vector<RawSpan>& spans) {
  using Taken = std::pair<std::int64_t, std::uint32_t>;  // end of its last span, row
  std::priority_queue<Taken, std::vector<Taken>, std::greater<>> taken;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free;
  for (std::uint32_t row = 0; row <= kMaxSpillTracks; ++row)
    free.push(row);
  std::vector<std::uint32_t> rows;
  rows.reserve(spans.size());
  for (const RawSpan& span : spans) {
    for (; !taken.empty() && taken.top().first <= span.begin_ns; taken.pop())
      free.push(taken.top().second);
    if (free.empty()) {
      rows.push_back(kMaxSpillTracks + 1);
      continue;
    }
    rows.push_back(free.top());
    taken.emplace(span.end_ns, free.top());
    free.pop();
  }
  return rows;
}

void build_marks(Lanes& lanes, const Track& track) {
  Mark mark;
  Tally tally;
  for (std::size_t i = 0; i <= track.count; ++i) {
    const std::size_t at = track.first + i;
    if (i % Lanes::kSpansPerMark == 0) {
      const std::size_t m = track.first_mark + i / Lanes::kSpansPerMark;
      const std::size_t end = std::min(i + Lanes::kSpansPerMark, track.count);
      lanes.mark_begin_ns[m] = i < track.count ? lanes.begin_ns[at] : kMaxTimeNs;
      lanes.mark_end_ns[m] = i < end ? lanes.end_ns[track.first + end - 1] : kMaxTimeNs;
      lanes.marks[m] = mark;
    }
    if (i % Lanes::kSpansPerTally == 0)
      lanes.tallies[track.first_tally + i / Lanes::kSpansPerTally] = tally;
    if (i == track.count) break;
    const std::int64_t ns = lanes.end_ns[at] - lanes.begin_ns[at];
    const auto category = static_cast<std::size_t>(lanes.category[at]);
    const std::size_t kind = lanes.kind[at];
    mark.category_ns[category] += ns;
    if (lanes.category[at] != SpanCategory::wait) mark.kind_ns[kind] += ns;
    Tally::Sum& sum = tally.sums[kind][category];
    sum.ns += ns;
    ++sum.count;
  }
}

}  // namespace

void arrange_region(Lanes& lanes, Region& region) {
  region.rows = {region.count};
  if (is_arranged(lanes, region)) return;
  std::vector<RawSpan> spans;
  spans.reserve(region.count);
  for (std::size_t i = region.first; i < region.first + region.count; ++i)
    spans.push_back(raw_span(lanes, i));
  std::sort(spans.begin(), spans.end(),
            [](const RawSpan& a, const RawSpan& b) { return order_of(a) < order_of(b); });
  const std::vector<std::uint32_t> rows = rows_of(spans);
  std::vector<std::size_t> counts(kMaxSpillTracks + 2);
  for (const std::uint32_t row : rows)
    ++counts[row];
  std::vector<std::size_t> next(counts.size(), region.first);
  for (std::size_t row = 1; row < counts.size(); ++row)
    next[row] = next[row - 1] + counts[row - 1];
  for (std::size_t i = 0; i < spans.size(); ++i)
    put_span(lanes, next[rows[i]]++, spans[i]);
  region.num_hidden = counts.back();
  counts.pop_back();
  while (counts.size() > 1 && counts.back() == 0)
    counts.pop_back();
  region.rows = std::move(counts);
}

void build_tracks(Lanes& lanes, const std::vector<Region>& regions, int threads) {
  std::size_t num_marks = 0;
  std::size_t num_tallies = 0;
  for (auto lane = regions.begin(); lane != regions.end();) {
    const auto next = std::find_if(lane, regions.end(),
                                   [&](const Region& region) { return region.lane != lane->lane; });
    std::int32_t depth = 0;
    // The levels' own rows first, so that depth is the nesting depth where nothing crosses.
    for (const bool spilled : {false, true}) {
      for (auto region = lane; region != next; ++region) {
        std::size_t first = region->first + (spilled ? region->rows.front() : 0);
        const std::size_t end_row = spilled ? region->rows.size() : 1;
        for (std::size_t row = spilled ? 1 : 0; row < end_row; ++row) {
          const std::size_t count = region->rows[row];
          lanes.tracks.push_back({.lane = region->lane,
                                  .depth = depth++,
                                  .level = region->level,
                                  .spilled = spilled,
                                  .first = first,
                                  .count = count,
                                  .first_mark = num_marks,
                                  .first_tally = num_tallies});
          first += count;
          num_marks += count / Lanes::kSpansPerMark + 1;
          num_tallies += count / Lanes::kSpansPerTally + 1;
          if (spilled) lanes.num_spilled += count;
        }
        if (!spilled) lanes.num_hidden += region->num_hidden;
      }
    }
    lane = next;
  }
  lanes.tracks_by_first.resize(lanes.tracks.size());
  std::iota(lanes.tracks_by_first.begin(), lanes.tracks_by_first.end(), std::size_t{0});
  std::sort(
      lanes.tracks_by_first.begin(), lanes.tracks_by_first.end(),
      [&](std::size_t a, std::size_t b) { return lanes.tracks[a].first < lanes.tracks[b].first; });
  lanes.mark_begin_ns = Column<std::int64_t>(num_marks);
  lanes.mark_end_ns = Column<std::int64_t>(num_marks);
  lanes.marks = Column<Mark>(num_marks);
  lanes.tallies = Column<Tally>(num_tallies);
  parallel_for(lanes.tracks.size(), threads,
               [&](std::size_t t) { build_marks(lanes, lanes.tracks[t]); });
}

}  // namespace k3::query
