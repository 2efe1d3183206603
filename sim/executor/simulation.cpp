#include "sim/executor/simulation.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>

#include <fmt/core.h>

#include "sim/core/virtual_time.h"
#include "sim/executor/exchange_costs.h"
#include "sim/executor/host_step.h"
#include "sim/executor/step_engine.h"
#include "sim/executor/step_record.h"
#include "sim/executor/step_traffic.h"
#include "sim/executor/task_costs.h"
#include "sim/network/endpoint.h"

namespace k3::sim {
namespace {

/// Every rank needs a link to the others that its faults have left alive.
Result<void> check_links(const Machine& machine, int num_ranks) {
  const std::vector<EndpointPort> ports = endpoint_ports(machine, num_ranks);
  for (std::size_t rank = 0; rank < ports.size(); ++rank) {
    const auto in_rack = std::ranges::count(ports, ports[rank].rack, &EndpointPort::rack);
    const bool needs_planes = in_rack > 1;
    const bool needs_nic = in_rack < num_ranks;
    const auto dead = [](Bandwidth left) { return !(left.bytes_per_second > 0); };
    if (!(needs_planes && dead(ports[rank].planes)) && !(needs_nic && dead(ports[rank].nic))) {
      continue;
    }
    const int gpu = live_gpus(machine)[rank];
    return fail(Code::invalid_input,
                fmt::format("gpu{} of {} has no link left to {}; a GPU that cannot be reached is "
                            "gpu{}=gone",
                            gpu, machine.name,
                            needs_planes && dead(ports[rank].planes) ? "the planes of its rack"
                                                                     : "other racks",
                            gpu),
                "machine.faults");
  }
  return {};
}

Result<void> check_machine(const Machine& machine, int num_ranks) {
  if (num_ranks > num_live_gpus(machine)) {
    return fail(Code::invalid_input,
                fmt::format("{} ranks; machine {}, at most one rank on each", num_ranks,
                            describe_gpus(machine)),
                "parallel.ranks");
  }
  if (num_ranks > 1 && !(machine.gpu_bandwidth().bytes_per_second > 0)) {
    return fail(
        Code::invalid_input,
        fmt::format("{} ranks; machine {} states no links between GPUs", num_ranks, machine.name),
        "parallel.ranks");
  }
  const RooflineConstants& constants = machine.roofline;
  if (!(machine.gpu.memory_bandwidth.bytes_per_second > 0 && machine.gpu.fp32.per_second > 0 &&
        constants.memory_efficiency > 0 && constants.compute_efficiency > 0 &&
        constants.network_efficiency > 0)) {
    return fail(Code::invalid_input,
                fmt::format("machine {} states a rate or an efficiency of 0; all are positive",
                            machine.name),
                "machine");
  }
  return check_links(machine, num_ranks);
}

Result<void> check(const SimulationInput& input) {
  if (input.phases.empty()) {
    return fail(Code::invalid_input, "no steps; a run has at least one", "workload.steps");
  }
  const Placement& placement = input.placement;
  const int moe_layers = input.model.count(FfnKind::moe);
  for (const SimulatedPhase& phase : input.phases) {
    const int ranks = phase.plan.num_ranks();
    if (placement.num_ranks() != ranks) {
      return fail(Code::invalid_input,
                  fmt::format("placement of {} ranks, plan of {}; equal numbers are right",
                              placement.num_ranks(), ranks),
                  "placement");
    }
    K3_TRY_VOID(check_machine(input.machine, ranks));
  }
  if (placement.num_layers() != moe_layers ||
      (moe_layers > 0 && placement.num_experts() != input.model.moe.experts)) {
    return fail(Code::invalid_input,
                fmt::format("placement of {} layers with {} experts; the model has {} with {}",
                            placement.num_layers(), placement.num_experts(), moe_layers,
                            input.model.moe.experts),
                "placement");
  }
  return {};
}

/// No order of the tasks ends later than their sum: below the range of Time nothing overflows.
Result<void> check_range(Time begin, const std::vector<Time>& busy) {
  constexpr double kRange = 9.2e18;
  const double sum =
      std::accumulate(busy.begin(), busy.end(), static_cast<double>(begin.ps),
                      [](double ps, Time t) { return ps + static_cast<double>(t.ps); });
  if (sum < kRange) return {};
  return fail(Code::invalid_input,
              "the tasks of this step add up to more than 106 days; a smaller workload, or a "
              "machine that is made for it",
              "workload");
}

/// Runs the steps one after the other, the virtual clock and the host's stop-watch with them.
class Run {
 public:
  Run(const SimulationInput& input, TraceSink& sink)
      : input_(input), sink_(sink), exchanges_(input, input.phases[0].plan.num_ranks()) {
    summary_.network = input.network;
  }

  Result<SimulationSummary> all() {
    for (std::size_t plan_id = 0; plan_id < input_.phases.size(); ++plan_id) {
      const SimulatedPhase& phase = input_.phases[plan_id];
      for (int i = 0; i < phase.steps; ++i) {
        const bool is_last = plan_id + 1 == input_.phases.size() && i + 1 == phase.steps;
        K3_TRY_VOID(step(static_cast<std::int32_t>(plan_id), phase.plan,
                         phase.plan.shape().advanced(i), is_last));
      }
    }
    return std::move(summary_);
  }

 private:
  Result<void> step(std::int32_t plan_id, const Plan& plan, const StepShape& shape, bool is_last) {
    const auto number = static_cast<std::int32_t>(summary_.steps.size());
    const auto started = std::chrono::steady_clock::now();
    K3_TRY(StepTraffic traffic, step_traffic(input_, shape, number));
    K3_TRY_VOID(exchanges_.cost(traffic.layers));
    TaskCosts costs = task_costs(input_, plan, shape, traffic);
    std::vector<HostCost> host;
    if (input_.host != nullptr) {
      K3_TRY(host, host_costs(input_, plan, shape, traffic));
      std::ranges::transform(host, costs.busy.begin(),
                             [](const HostCost& cost) { return virtual_time(cost.time()); });
    }
    K3_TRY_VOID(check_range(now_, costs.busy));
    K3_TRY(const StepTimes times, input_.host != nullptr
                                      ? run_on_host(plan, host, input_, now_)
                                      : run_step(plan, costs.busy, now_, input_.progress));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;

    summary_.wall_s += taken.count();
    summary_.steps.push_back({.phase = shape.phase,
                              .time = times.end - times.begin,
                              .breakdown = breakdown(plan, times),
                              .tasks = static_cast<std::int64_t>(plan.tasks().size()),
                              .host = host.empty() ? HostShares{} : host_shares(plan, times, host),
                              .flows = traffic.flows()});
    now_ = times.end;
    K3_TRY(traffic.link_use, exchanges_.link_use(traffic.layers, input_.links));
    if (is_last && input_.network == NetworkModel::endpoint && input_.host == nullptr) {
      K3_TRY(summary_.endpoint_error, exchanges_.endpoint_error(traffic.layers));
    }
    return sink_.step(step_record({.step = number,
                                   .plan_id = plan_id,
                                   .plan = plan,
                                   .shape = shape,
                                   .times = times,
                                   .costs = costs,
                                   .transfer_start = input_.machine.roofline.transfer_start,
                                   .traffic = std::move(traffic)},
                                  input_.record_routing, input_.links));
  }

  const SimulationInput& input_;
  TraceSink& sink_;
  ExchangeCosts exchanges_;
  SimulationSummary summary_;
  Time now_;
};

/// Mean of a value over the steps of a phase.
template <class Value>
double mean(const std::vector<SimulatedStep>& steps, Phase phase, Value value) {
  double sum = 0;
  int count = 0;
  for (const SimulatedStep& step : steps) {
    if (step.phase != phase) continue;
    sum += value(step);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

/// The same over the steps of the last phase.
template <class Value>
double mean(const std::vector<SimulatedStep>& steps, Value value) {
  return steps.empty() ? 0 : mean(steps, steps.back().phase, value);
}

}  // namespace

double SimulationSummary::mean_ms(Phase phase) const {
  return mean(steps, phase, [](const SimulatedStep& step) { return step.time.ms(); });
}

double SimulationSummary::step_ms() const {
  return mean(steps, [](const SimulatedStep& step) { return step.time.ms(); });
}

std::vector<std::pair<std::string_view, double>> SimulationSummary::breakdown_ms() const {
  std::vector<std::pair<std::string_view, double>> parts;
  for (std::size_t kind = 0; kind < kNumTaskKinds; ++kind) {
    const double ms =
        mean(steps, [&](const SimulatedStep& step) { return step.breakdown.busy[kind].ms(); });
    if (ms > 0) parts.emplace_back(kTaskKindNames[kind], ms);
  }
  parts.emplace_back(
      "wait", mean(steps, [](const SimulatedStep& step) { return step.breakdown.wait.ms(); }));
  return parts;
}

std::vector<std::pair<std::string_view, double>> SimulationSummary::host_ms() const {
  std::vector<std::pair<std::string_view, double>> parts;
  for (std::size_t i = 0; i < kNumHostParts; ++i) {
    parts.emplace_back(kHostPartNames[i], 1e3 * mean(steps, [&](const SimulatedStep& step) {
                                            return step.host.parts[i];
                                          }));
  }
  parts.emplace_back("waiting for other ranks",
                     1e3 * mean(steps, [](const SimulatedStep& step) { return step.host.wait; }));
  std::erase_if(parts, [](const auto& part) { return !(part.second > 0); });
  std::ranges::stable_sort(parts, std::greater<>(), [](const auto& part) { return part.second; });
  return parts;
}

Result<SimulationSummary> run(const SimulationInput& input, TraceSink& sink) {
  K3_TRY_VOID(check(input));
  if (input.progress != nullptr) {
    std::int64_t total = 0;
    for (const SimulatedPhase& phase : input.phases) {
      total += phase.steps * static_cast<std::int64_t>(phase.plan.tasks().size());
    }
    input.progress->total = total;
  }
  return Run(input, sink).all();
}

}  // namespace k3::sim
