#include "sim/network/max_min.h"

#include <algorithm>
#include <numeric>

#include "engine/base/parallel.h"
#include "sim/network/flow_component_internal.h"
#include "sim/network/water_levels_internal.h"

namespace k3::sim {

double FlowTimes::makespan_s() const {
  return arrival_s.empty() ? 0 : *std::ranges::max_element(arrival_s);
}

FlowTimes solve_flows(const FlowProblem& problem, const SolveOptions& options) {
  FlowTimes times;
  const auto flows = static_cast<std::size_t>(problem.num_flows());
  times.arrival_s.resize(flows);
  times.start_s.resize(flows);
  const std::vector<FlowComponent> parts = components(problem);
  const FlowClock clock{times.start_s, times.arrival_s, options.progress};
  std::vector<std::int64_t> events(parts.size());
  parallel_for(parts.size(), options.threads, [&](std::size_t i) {
    const FlowComponent& part = parts[i];
    events[i] =
        is_dense(part) ? solve_dense(problem, part, clock) : solve_sparse(problem, part, clock);
  });
  times.events = std::accumulate(events.begin(), events.end(), std::int64_t{0});
  return times;
}

std::vector<double> max_min_rates(const FlowProblem& problem) {
  std::vector<double> rates(static_cast<std::size_t>(problem.num_flows()));
  for (const FlowComponent& part : components(problem)) {
    WaterLevels levels(part);
    for (const std::int32_t number : part.flow_class)
      levels.add(number);
    levels.fill();
    for (std::size_t i = 0; i < part.flows.size(); ++i)
      rates[static_cast<std::size_t>(part.flows[i])] = levels.rate(part.flow_class[i]);
  }
  return rates;
}

}  // namespace k3::sim
