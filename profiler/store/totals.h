#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "engine/base/result.h"
#include "engine/trace/trace.h"
#include "profiler/store/database.h"

namespace k3::store {

/// Sums over the steps of a run, kept while it is written (or computed when an incomplete one is
/// read) and inserted into the tables that queries read instead of the steps.

/// traffic_total.
class TrafficTotals {
 public:
  /// Errors: corrupt if sizes differ from the first record's
  Result<void> add(const TrafficRecord& record);
  Result<void> insert(const Database& database) const;

 private:
  struct Cell {
    std::uint64_t copies = 0;
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
  };

  int num_ranks_ = 0;
  std::array<std::vector<Cell>, 2> cells_;  ///< per direction, empty without traffic
};

/// expert_load_total.
class ExpertTotals {
 public:
  explicit ExpertTotals(std::span<const PlacementRecord> placement);

  /// Errors: corrupt if sizes differ from the placement's or the first record's
  Result<void> check(const ExpertLoadRecord& record) const;
  Result<void> add(const ExpertLoadRecord& record);
  Result<void> insert(const Database& database) const;

 private:
  struct Layer {
    std::vector<PlacementRecord> slots;  ///< empty: no placement, tokens per expert
    std::vector<std::uint64_t> tokens;

    const std::vector<std::uint32_t>& tokens_of(const ExpertLoadRecord& record) const {
      return slots.empty() ? record.expert_tokens : record.slot_tokens;
    }
  };

  std::map<int, Layer> layers_;
};

/// lane_summary.
class LaneTotals {
 public:
  explicit LaneTotals(std::size_t num_lanes) : num_lanes_(num_lanes) {}

  void add(const Span& span);
  Result<void> insert(const Database& database) const;

 private:
  static constexpr std::size_t kNumCategories = 5;

  struct Sum {
    std::int64_t count = 0;
    std::int64_t busy_ns = 0;
  };

  std::size_t num_lanes_;
  std::vector<Sum> sums_;  ///< [layer + 1][lane][category]
};

/// step_cost: sums one step at a time.
class StepCosts {
 public:
  StepCosts(std::span<const PlanRecord> plans, int num_ranks);

  /// Adds the rows of `step`, whose span indices have been checked.
  Result<void> insert(const StepRecord& step, Inserter<kStepCostTable>& rows);

 private:
  using Group = std::tuple<TaskKind, std::int16_t, Stage>;

  struct Plan {
    std::vector<Group> groups;  ///< sorted
    std::vector<std::uint32_t> group_of_task;
    std::vector<std::int32_t> rank_of_task;
    std::vector<bool> seen;  ///< tasks with a span in the current step
  };

  struct Cell {
    std::int64_t busy_ns = 0;
    std::int64_t wait_ns = 0;
    double flops = 0;
    double bytes = 0;
    std::int64_t tasks = 0;  ///< with a span
  };

  std::size_t num_ranks_;
  std::vector<Plan> plans_;
  std::vector<Cell> cells_;  ///< [group][rank] of the current step
};

}  // namespace k3::store
