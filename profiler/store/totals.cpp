#include "profiler/store/totals.h"

#include <algorithm>

#include <fmt/core.h>

#include "profiler/store/names.h"

namespace k3::store {

Result<void> TrafficTotals::add(const TrafficRecord& record) {
  if (num_ranks_ == 0) num_ranks_ = record.num_ranks;
  const auto n = static_cast<std::size_t>(num_ranks_) * static_cast<std::size_t>(num_ranks_);
  if (record.num_ranks != num_ranks_ || record.copies.size() != n || record.rows.size() != n ||
      record.bytes.size() != n) {
    return fail(Code::corrupt, fmt::format("traffic of layer {} is not a matrix of {} ranks",
                                           record.layer, num_ranks_));
  }
  std::vector<Cell>& cells = cells_[static_cast<std::size_t>(record.direction)];
  cells.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    cells[i].copies += record.copies[i];
    cells[i].rows += record.rows[i];
    cells[i].bytes += record.bytes[i];
  }
  return {};
}

Result<void> TrafficTotals::insert(const Database& database) const {
  K3_TRY(auto rows, Inserter<kTrafficTotalTable>::prepare(database));
  for (const Direction direction : {Direction::dispatch, Direction::combine}) {
    const std::vector<Cell>& cells = cells_[static_cast<std::size_t>(direction)];
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto n = static_cast<std::size_t>(num_ranks_);
      K3_TRY_VOID(rows.row(stored_name(direction), i / n, i % n, cells[i].copies, cells[i].rows,
                           cells[i].bytes));
    }
  }
  return {};
}

ExpertTotals::ExpertTotals(std::span<const PlacementRecord> placement) {
  for (const PlacementRecord& slot : placement)
    layers_[slot.layer].slots.push_back(slot);
}

Result<void> ExpertTotals::check(const ExpertLoadRecord& record) const {
  const auto found = layers_.find(record.layer);
  if (found == layers_.end()) return {};
  const Layer& layer = found->second;
  const std::size_t expected = layer.slots.empty() ? layer.tokens.size() : layer.slots.size();
  const std::size_t size = layer.tokens_of(record).size();
  if (size == expected) return {};
  return fail(Code::corrupt, fmt::format("load of layer {} has {} values instead of {}",
                                         record.layer, size, expected));
}

Result<void> ExpertTotals::add(const ExpertLoadRecord& record) {
  K3_TRY_VOID(check(record));
  Layer& layer = layers_[record.layer];
  const std::vector<std::uint32_t>& tokens = layer.tokens_of(record);
  layer.tokens.resize(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i)
    layer.tokens[i] += tokens[i];
  return {};
}

Result<void> ExpertTotals::insert(const Database& database) const {
  K3_TRY(auto rows, Inserter<kExpertLoadTotalTable>::prepare(database));
  for (const auto& [number, layer] : layers_) {
    for (std::size_t i = 0; i < layer.tokens.size(); ++i) {
      if (layer.slots.empty()) {
        K3_TRY_VOID(rows.row(number, i, nullptr, nullptr, layer.tokens[i]));
      } else {
        const PlacementRecord& slot = layer.slots[i];
        K3_TRY_VOID(rows.row(number, slot.expert, slot.slot, slot.rank, layer.tokens[i]));
      }
    }
  }
  return {};
}

void LaneTotals::add(const Span& span) {
  if (span.depth != 0) return;
  const auto layer = static_cast<std::size_t>(span.layer + 1);
  const std::size_t per_layer = num_lanes_ * kNumCategories;
  if (sums_.size() < (layer + 1) * per_layer) sums_.resize((layer + 1) * per_layer);
  Sum& sum = sums_[layer * per_layer + static_cast<std::size_t>(span.lane) * kNumCategories +
                   static_cast<std::size_t>(span.category)];
  ++sum.count;
  sum.busy_ns += span.duration_ns;
}

Result<void> LaneTotals::insert(const Database& database) const {
  K3_TRY(auto rows, Inserter<kLaneSummaryTable>::prepare(database));
  const std::size_t per_layer = num_lanes_ * kNumCategories;
  for (std::size_t lane = 0; lane < num_lanes_; ++lane) {
    for (std::size_t i = 0; i < sums_.size() / per_layer * kNumCategories; ++i) {
      const std::size_t layer = i / kNumCategories;
      const std::size_t category = i % kNumCategories;
      const Sum& sum = sums_[layer * per_layer + lane * kNumCategories + category];
      if (sum.count == 0) continue;
      K3_TRY_VOID(rows.row(lane, kCategoryNames[category], static_cast<std::int64_t>(layer) - 1,
                           sum.count, sum.busy_ns));
    }
  }
  return {};
}

StepCosts::StepCosts(std::span<const PlanRecord> plans, int num_ranks)
    : num_ranks_(static_cast<std::size_t>(num_ranks)) {
  for (const PlanRecord& record : plans) {
    Plan& plan = plans_.emplace_back();
    for (const TaskRecord& task : record.tasks) {
      plan.groups.emplace_back(task.kind, task.layer, task.stage);
    }
    std::sort(plan.groups.begin(), plan.groups.end());
    plan.groups.erase(std::unique(plan.groups.begin(), plan.groups.end()), plan.groups.end());
    for (const TaskRecord& task : record.tasks) {
      const Group group{task.kind, task.layer, task.stage};
      plan.group_of_task.push_back(static_cast<std::uint32_t>(
          std::lower_bound(plan.groups.begin(), plan.groups.end(), group) - plan.groups.begin()));
      plan.rank_of_task.push_back(task.rank);
    }
  }
}

Result<void> StepCosts::insert(const StepRecord& step, Inserter<kStepCostTable>& rows) {
  if (plans_.empty()) return {};
  Plan& plan = plans_[static_cast<std::size_t>(step.plan)];
  plan.seen.assign(plan.group_of_task.size(), false);
  cells_.assign(plan.groups.size() * num_ranks_, Cell{});
  for (const Span& span : step.spans) {
    if (span.task < 0 || span.depth != 0) continue;
    const auto task = static_cast<std::size_t>(span.task);
    Cell& cell = cells_[plan.group_of_task[task] * num_ranks_ +
                        static_cast<std::size_t>(plan.rank_of_task[task])];
    (span.category == SpanCategory::wait ? cell.wait_ns : cell.busy_ns) += span.duration_ns;
    cell.flops += span.flops;
    cell.bytes += span.bytes;
    if (!plan.seen[task]) ++cell.tasks;
    plan.seen[task] = true;
  }
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    Cell sum;
    std::int64_t ranks = 0;
    std::int64_t max_ns = 0;
    for (const Cell& cell : std::span(cells_).subspan(g * num_ranks_, num_ranks_)) {
      if (cell.tasks == 0) continue;
      ++ranks;
      sum.tasks += cell.tasks;
      sum.busy_ns += cell.busy_ns;
      sum.wait_ns += cell.wait_ns;
      sum.flops += cell.flops;
      sum.bytes += cell.bytes;
      max_ns = std::max(max_ns, cell.busy_ns + cell.wait_ns);
    }
    if (ranks == 0) continue;
    const auto [kind, layer, stage] = plan.groups[g];
    K3_TRY_VOID(rows.row(step.step, stored_name(kind), layer, stored_name(stage), ranks, sum.tasks,
                         sum.busy_ns, sum.wait_ns, max_ns, sum.flops, sum.bytes));
  }
  return {};
}

}  // namespace k3::store
