#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/trace/trace.h"

namespace k3::exporter {

/// One end of an arrow between two spans of a step.
struct ArrowEnd {
  std::uint32_t span = 0;
  std::uint32_t arrow = 0;  ///< counts from 0 within the step
  enum class Side : std::uint8_t { from, to } side = Side::from;
};

struct Arrows {
  std::vector<ArrowEnd> ends;  ///< ascending in span

  /// The ends at a span.
  std::span<const ArrowEnd> of(std::size_t span) const;

  std::int64_t count = 0;
  std::int64_t left_out = 0;  ///< whose sender's work is not known or did not begin before
};

/// Up to this many ranks every pair that exchanges rows gets its arrow.
inline constexpr int kMaxRanksAllPairs = 4;

/// Who was waited for in the all-to-alls of a step: arrows from what a sender did last before it
/// was ready (packing, or the computation of the rows) to the transfer of a receiver. With more
/// than kMaxRanksAllPairs ranks a receiver gets one arrow, from the sender that was ready last of
/// those that send it rows; the full matrices would hide everything else. An arrow begins
/// before it ends. `lanes` and `tasks` are what the spans' indices mean; without tasks or matrices
/// there are no arrows.
Arrows exchange_arrows(std::span<const Span> spans,
                       std::span<const Lane> lanes,
                       std::span<const TaskRecord> tasks,
                       std::span<const TrafficRecord> traffic);

}  // namespace k3::exporter
