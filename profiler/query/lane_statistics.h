#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/query/lanes.h"

namespace k3::query {

/// What spans of level 0 (not inside others) spend in a range of time. Of a span that sticks out,
/// the part inside counts; it is one span all the same.
struct RangeStatistics {
  TimeRange range;
  Tally tally;

  std::int64_t category_ns(SpanCategory category) const;
  std::int64_t kind_ns(std::uint8_t kind) const;       ///< waiting left out
  std::int64_t kind_wait_ns(std::uint8_t kind) const;  ///< waiting of that kind
  std::int64_t busy_ns() const;                        ///< everything but waiting

  std::int64_t wait_ns() const { return category_ns(SpanCategory::wait); }

  std::int64_t transfer_ns() const { return category_ns(SpanCategory::transfer); }

  std::int64_t num_spans() const;
  std::int64_t num_spans(SpanCategory category) const;
  std::int64_t num_spans(std::uint8_t kind) const;

  void add(const RangeStatistics& other);
};

/// Exact sums over `range` for the lanes named (indices of Lanes::lanes; those that do not exist
/// are ignored). Costs two look-ups per track.
RangeStatistics range_statistics(const Lanes& lanes,
                                 TimeRange range,
                                 std::span<const std::int32_t> chosen);

/// The same for all lanes of every rank.
std::vector<RangeStatistics> rank_statistics(const Lanes& lanes, TimeRange range);

}  // namespace k3::query
