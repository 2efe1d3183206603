#include "sim/executor/task_costs.h"

#include <algorithm>

#include "sim/compute/roofline.h"
#include "sim/core/virtual_time.h"

namespace k3::sim {
namespace {

bool same_totals(const RankShape& a, const RankShape& b) {
  return a.sequences == b.sequences && a.tokens == b.tokens && a.cache_tokens == b.cache_tokens &&
         a.attended_pairs == b.attended_pairs && a.head_rows == b.head_rows;
}

bool same_task(const Task& a, const Task& b) {
  return a.kind == b.kind && a.stage == b.stage && a.layer == b.layer;
}

bool follows_routing(TaskKind kind) {
  return kind == TaskKind::experts || is_communication(kind);
}

class Costing {
 public:
  Costing(const SimulationInput& input,
          const Plan& plan,
          const StepShape& shape,
          const StepTraffic& traffic)
      : input_(input),
        plan_(plan),
        phase_(shape.phase),
        shapes_(shape.rank_shapes()),
        traffic_(traffic) {
    costs_.busy.resize(plan.tasks().size());
    costs_.flops.resize(plan.tasks().size());
    costs_.bytes.resize(plan.tasks().size());
  }

  TaskCosts run() {
    for (int rank = 0; rank < plan_.num_ranks(); ++rank)
      cost_rank(rank);
    return std::move(costs_);
  }

 private:
  /// The first rank with the totals of `rank`, at most itself.
  int twin_of(int rank) const {
    const auto twin = std::find_if(shapes_.begin(), shapes_.end(), [&](const RankShape& shape) {
      return same_totals(shape, shapes_[static_cast<std::size_t>(rank)]);
    });
    return static_cast<int>(twin - shapes_.begin());
  }

  void cost_rank(int rank) {
    const std::span<const Task> tasks = plan_.rank_tasks(rank);
    const int twin = twin_of(rank);
    const std::span<const Task> twin_tasks = plan_.rank_tasks(twin);
    const auto first = static_cast<std::size_t>(plan_.rank_begin(rank));
    const auto twin_first = static_cast<std::size_t>(plan_.rank_begin(twin));
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (follows_routing(tasks[i].kind)) {
        cost_routed(first + i, tasks[i]);
      } else if (twin < rank && i < twin_tasks.size() && same_task(tasks[i], twin_tasks[i])) {
        costs_.busy[first + i] = costs_.busy[twin_first + i];
        costs_.flops[first + i] = costs_.flops[twin_first + i];
        costs_.bytes[first + i] = costs_.bytes[twin_first + i];
      } else {
        cost_kernel(first + i, tasks[i], {});
      }
    }
  }

  void cost_routed(std::size_t id, const Task& task) {
    const LayerExchanges& layer =
        traffic_.layers[static_cast<std::size_t>(plan_.moe_index(task.layer))];
    const auto rank = static_cast<std::size_t>(task.rank);
    if (task.kind == TaskKind::experts) {
      cost_kernel(id, task, layer.routed[rank]);
      return;
    }
    const Exchange& exchange = task.kind == TaskKind::dispatch ? layer.dispatch : layer.combine;
    costs_.busy[id] = virtual_time(exchange.rank_seconds[rank]);
    costs_.bytes[id] = work_of(task, layer.routed[rank]).bytes();
  }

  void cost_kernel(std::size_t id, const Task& task, const RoutedShape& routed) {
    const TaskWork work = work_of(task, routed);
    costs_.busy[id] = roofline_cost(work, input_.machine, input_.execution).time;
    costs_.flops[id] = work.flops;
    costs_.bytes[id] = work.bytes();
  }

  TaskWork work_of(const Task& task, const RoutedShape& routed) const {
    return task_work(input_.model, input_.precision, phase_, task,
                     shapes_[static_cast<std::size_t>(task.rank)], routed);
  }

  const SimulationInput& input_;
  const Plan& plan_;
  Phase phase_;
  std::vector<RankShape> shapes_;
  const StepTraffic& traffic_;
  TaskCosts costs_;
};

}  // namespace

TaskCosts task_costs(const SimulationInput& input,
                     const Plan& plan,
                     const StepShape& shape,
                     const StepTraffic& traffic) {
  return Costing(input, plan, shape, traffic).run();
}

}  // namespace k3::sim
