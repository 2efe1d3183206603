#include "sim/executor/host_step.h"

#include <algorithm>
#include <numeric>

#include "sim/core/virtual_time.h"
#include "sim/executor/shared_cores.h"

namespace k3::sim {
namespace {

double sum(const HostSeconds& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// Most bytes that a rank receives, its own among them: they are copied as well.
double most_received(const ByteMatrix& matrix) {
  std::vector<std::uint64_t> received(static_cast<std::size_t>(matrix.num_ranks));
  for (int source = 0; source < matrix.num_ranks; ++source) {
    for (int rank = 0; rank < matrix.num_ranks; ++rank)
      received[static_cast<std::size_t>(rank)] += matrix.at(source, rank);
  }
  return received.empty() ? 0 : static_cast<double>(*std::ranges::max_element(received));
}

/// Walks the tasks of a step with what their calls depend on.
class HostCosting {
 public:
  HostCosting(const SimulationInput& input,
              const Plan& plan,
              const StepShape& shape,
              const StepTraffic& traffic)
      : input_(input),
        plan_(plan),
        phase_(shape.phase),
        shapes_(shape.rank_shapes()),
        traffic_(traffic) {
    for (const LayerExchanges& layer : traffic.layers) {
      dispatched_.push_back(most_received(layer.dispatch.matrix));
      combined_.push_back(most_received(layer.combine.matrix));
    }
  }

  Result<std::vector<HostCost>> run() const {
    const int ranks = plan_.num_ranks();
    K3_TRY(const HostCosts costs,
           HostCosts::create(input_.host->set, {.cores = input_.host->cores,
                                                .cache_bytes = input_.host->cache_bytes,
                                                .ranks = ranks,
                                                .step_bytes = step_bytes(),
                                                .step_factor = input_.host->step_factor}));
    std::vector<HostCost> result;
    result.reserve(plan_.tasks().size());
    for (const Task& task : plan_.tasks()) {
      result.push_back(costs.task(context(task), task, moved_bytes(task)));
    }
    for (int rank = 0; rank < ranks && !plan_.rank_tasks(rank).empty(); ++rank) {
      HostCost& first = result[static_cast<std::size_t>(plan_.rank_begin(rank))];
      first.before[static_cast<std::size_t>(HostPart::start)] +=
          costs.start_seconds() / ranks * std::min(ranks, input_.host->cores);
    }
    return result;
  }

 private:
  std::size_t moe_index(const Task& task) const {
    return static_cast<std::size_t>(plan_.moe_index(task.layer));
  }

  bool in_moe_layer(const Task& task) const {
    return task.layer >= 0 && plan_.moe_index(task.layer) >= 0;
  }

  CallContext context(const Task& task) const {
    static constexpr RoutedShape kNothing;
    const auto rank = static_cast<std::size_t>(task.rank);
    CallContext context{.model = input_.model,
                        .execution = input_.execution,
                        .phase = phase_,
                        .rank = shapes_[rank],
                        .routed = kNothing};
    if (!in_moe_layer(task)) return context;
    const auto [first, last] =
        input_.placement.slots_of_rank(plan_.moe_index(task.layer), task.rank);
    return {.model = input_.model,
            .execution = input_.execution,
            .phase = phase_,
            .rank = shapes_[rank],
            .routed = traffic_.layers[moe_index(task)].routed[rank],
            .slots = last - first};
  }

  double moved_bytes(const Task& task) const {
    if (task.kind == TaskKind::dispatch) return dispatched_[moe_index(task)];
    return task.kind == TaskKind::combine ? combined_[moe_index(task)] : 0;
  }

  double step_bytes() const {
    double bytes = 0;
    for (const Task& task : plan_.tasks()) {
      for (const OperatorCall& call : task_calls(context(task), task).before)
        bytes += call.own_bytes + call.shared_bytes / plan_.num_ranks();
    }
    return bytes;
  }

  const SimulationInput& input_;
  const Plan& plan_;
  Phase phase_;
  std::vector<RankShape> shapes_;
  const StepTraffic& traffic_;
  std::vector<double> dispatched_;  ///< per MoE layer: most bytes that a rank receives
  std::vector<double> combined_;
};

/// Adds `elapsed` to the shares in proportion to what the work consists of.
void spread(Time elapsed, const HostSeconds& work, HostShares& shares) {
  const double total = sum(work);
  if (!(total > 0)) return;
  for (std::size_t i = 0; i < work.size(); ++i)
    shares.parts[i] += elapsed.seconds() * work[i] / total;
}

}  // namespace

Result<std::vector<HostCost>> host_costs(const SimulationInput& input,
                                         const Plan& plan,
                                         const StepShape& shape,
                                         const StepTraffic& traffic) {
  return HostCosting(input, plan, shape, traffic).run();
}

Result<StepTimes> run_on_host(const Plan& plan,
                              const std::vector<HostCost>& costs,
                              const SimulationInput& input,
                              Time begin) {
  std::vector<SharedTask> tasks;
  tasks.reserve(costs.size());
  for (const HostCost& cost : costs) {
    tasks.push_back({.before = virtual_time(sum(cost.before)),
                     .meet = virtual_time(sum(cost.meet)),
                     .after = virtual_time(sum(cost.after))});
  }
  return run_on_shared_cores(plan, tasks, input.host->cores, begin, input.progress);
}

HostShares host_shares(const Plan& plan,
                       const StepTimes& times,
                       const std::vector<HostCost>& costs) {
  HostShares shares;
  for (const std::int32_t id : critical_chain(plan, times)) {
    const auto at = static_cast<std::size_t>(id);
    const TaskTimes& task = times.tasks[at];
    const HostCost& cost = costs[at];
    shares.wait += task.wait.seconds();
    if (plan.tasks()[at].collective < 0) {
      spread(task.busy, cost.before, shares);
      continue;
    }
    const Time meet = std::min(virtual_time(sum(cost.meet)), task.busy);
    spread(task.before, cost.before, shares);
    spread(meet, cost.meet, shares);
    spread(task.busy - meet, cost.after, shares);
  }
  return shares;
}

}  // namespace k3::sim
