#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "profiler/query/lanes.h"

namespace k3::query {

/// Times of spans lie within ± this, so that differences and sums over a track cannot overflow.
inline constexpr std::int64_t kMaxTimeNs = std::int64_t{1} << 61;

/// One span on its way into the columns.
struct RawSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t span_id = 0;
  std::int32_t step = 0;
  std::int32_t task = -1;
  std::int32_t name = 0;
  std::int16_t layer = -1;
  SpanCategory category = SpanCategory::compute;
  std::uint8_t kind = kNoKind;
};

/// The part of the columns that the spans of one lane and level take.
struct Region {
  std::int32_t lane = 0;
  std::int32_t level = 0;
  std::size_t first = 0;
  std::size_t count = 0;
  std::vector<std::size_t> rows;  ///< spans per track, once sorted: the level's own, then spilled
  std::size_t num_hidden = 0;     ///< behind those of the rows
};

/// Task kinds by step and task id.
class TaskKinds {
 public:
  TaskKinds(const std::vector<PlanRecord>& plans, const std::vector<store::StepRow>& steps);

  /// kNoKind if there is no such step or task.
  std::uint8_t kind_of(std::int32_t step, std::int32_t task) const;

  /// Kinds of the tasks of a step, by task id.
  const std::vector<std::uint8_t>& kinds_of_step(std::int32_t step) const;

 private:
  std::vector<std::vector<std::uint8_t>> kinds_of_plan_;  ///< the last one is empty
  std::map<std::int32_t, std::size_t> plan_of_step_;
};

std::int64_t clamped_time(std::int64_t ns);

/// Makes all columns, uninitialised.
void allocate_columns(Lanes& lanes, std::size_t num_spans);

void put_span(Lanes& lanes, std::size_t index, const RawSpan& span);

/// Sorts the spans of a region by time and moves those that cross others behind them.
void arrange_region(Lanes& lanes, Region& region);

/// Makes tracks, marks and tallies of regions that are arranged, ascending in `first`.
void build_tracks(Lanes& lanes, const std::vector<Region>& regions, int threads);

}  // namespace k3::query
