#include "sim/executor/task_costs.h"

#include <algorithm>

#include "engine/hardware/topology.h"
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

/// What every rank's GPU has left of its speed; rank r runs on the r-th GPU that is left.
std::vector<double> rank_speeds(const Machine& machine, int num_ranks) {
  if (machine.faults.empty()) return std::vector<double>(static_cast<std::size_t>(num_ranks), 1.0);
  std::vector<double> speeds = gpu_speeds(machine);
  std::erase(speeds, 0.0);
  return speeds;
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
        speeds_(rank_speeds(input.machine, plan.num_ranks())),
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
  /// The first rank with the totals and the speed of `rank`, at most itself.
  int twin_of(int rank) const {
    const auto self = static_cast<std::size_t>(rank);
    std::size_t twin = 0;
    while (!(same_totals(shapes_[twin], shapes_[self]) && speeds_[twin] == speeds_[self]))
      ++twin;
    return static_cast<int>(twin);
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
    const double speed = speeds_[static_cast<std::size_t>(task.rank)];
    const Time healthy = roofline_cost(work, input_.machine, input_.execution).time;
    costs_.busy[id] = speed == 1 ? healthy : virtual_time(healthy.seconds() / speed);
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
  std::vector<double> speeds_;  ///< per rank
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
