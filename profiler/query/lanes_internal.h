#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "profiler/query/lanes.h"
#include "profiler/store/span_block.h"

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

void put_span(Lanes& lanes, std::size_t index, const RawSpan& span);

/// Fills the columns of a model: first what each lane and level has is made known (add_rows,
/// add_block), then `allocate`, then `place_rows` and `place_block` in any order and from any
/// thread, then `finish`.
class LanesBuilder {
 public:
  /// `lanes` has everything but spans.
  explicit LanesBuilder(std::shared_ptr<Lanes> lanes);

  void add_rows(const store::StepRow& step, std::span<const Span> spans);
  void add_block(const store::SpanBlock& block);

  void allocate();

  /// Parts that place_rows takes: 0 … num_buckets − 1.
  std::size_t num_buckets() const { return regions_.size(); }

  void place_rows(std::size_t bucket);

  /// The `index`th block added, with the decoder of this thread. Errors: corrupt
  Result<void> place_block(std::size_t index,
                           const store::SpanBlock& block,
                           store::SpanBlockDecoder& decoder);

  /// Sorts, moves spans that cross, makes tracks, marks and tallies.
  std::shared_ptr<const Lanes> finish(int threads);

 private:
  struct BlockPlace {
    std::size_t region = 0;
    std::size_t offset = 0;  ///< in it
  };

  /// Number of the region of a lane and level, made where it is new.
  std::size_t region_of(std::int32_t lane, std::int32_t level);
  Result<void> set_kinds(std::size_t first, std::size_t count);

  std::shared_ptr<Lanes> lanes_;
  TaskKinds kinds_;
  std::vector<std::vector<std::size_t>> region_numbers_;  ///< [lane][level], + 1; 0: none
  std::vector<Region> regions_;
  std::vector<std::vector<RawSpan>> rows_;  ///< per region
  std::vector<BlockPlace> blocks_;
};

/// Sorts the spans of a region by time and moves those that cross others behind them.
void arrange_region(Lanes& lanes, Region& region);

/// Makes tracks, marks and tallies of regions that are arranged, ascending in lane and level.
void build_tracks(Lanes& lanes, const std::vector<Region>& regions, int threads);

}  // namespace k3::query
