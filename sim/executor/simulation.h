#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/hardware/machine.h"
#include "engine/model/model_config.h"
#include "engine/plan/plan.h"
#include "engine/plan/work.h"
#include "engine/trace/trace.h"
#include "sim/compute/host_costs.h"
#include "sim/executor/breakdown.h"

namespace k3::sim {

/// Consecutive steps of one plan: every context grows by its new tokens from step to step.
struct SimulatedPhase {
  const Plan& plan;
  int steps = 1;
};

enum class RecordRouting : std::uint8_t { no, yes };

/// A calibrated host whose threads are the ranks, in place of the machine's GPUs.
struct HostInput {
  const TableSet& set;
  int cores = 1;
  double cache_bytes = 0;  ///< last level
  double step_factor = 1;  ///< every task takes as much longer than its tables say
};

/// Seconds of a step on a host: what the rank that ends last does, and waiting for other ranks.
struct HostShares {
  HostSeconds parts{};
  double wait = 0;
};

/// What is simulated. References outlive the call.
struct SimulationInput {
  const ModelConfig& model;
  const Machine& machine;
  const PrecisionSpec& precision;
  const ExecutionSpec& execution;
  const Placement& placement;
  const Routing& routing;
  std::vector<SimulatedPhase> phases;  ///< in the order in which they run; index = plan id
  NetworkModel network = NetworkModel::exact;
  LinkDetail links = LinkDetail::none;  ///< what the records say of links
  RecordRouting record_routing = RecordRouting::no;
  Progress* progress = nullptr;     ///< optional: counts tasks, can stop the run
  const HostInput* host = nullptr;  ///< optional: ranks are threads of this host
};

struct SimulatedStep {
  Phase phase = Phase::decode;
  Time time;
  Breakdown breakdown;
  std::int64_t tasks = 0;  ///< of all ranks
  HostShares host;         ///< zeros unless the ranks are threads of a host
  std::int64_t flows = 0;  ///< pairs of different ranks that moved something, over all collectives
};

/// What the endpoint model misses: (exact − endpoint) / exact of the slowest rank of an exchange,
/// over some exchanges of the last step.
struct EndpointError {
  int exchanges = 0;  ///< looked at; 0: none
  double mean = 0;
  double max = 0;
};

struct SimulationSummary {
  std::vector<SimulatedStep> steps;
  double wall_s = 0;  ///< host time from the plan to the last event; no recording, no writing
  NetworkModel network = NetworkModel::exact;
  EndpointError endpoint_error;  ///< of a run in the endpoint model

  /// Mean over the steps of the last phase.
  double step_ms() const;
  /// Mean over the steps of a phase, 0 without any.
  double mean_ms(Phase phase) const;
  /// The same mean per task kind, kinds without time left out, then "wait"; sums to step_ms.
  std::vector<std::pair<std::string_view, double>> breakdown_ms() const;
  /// The same mean for threads of a host: by what they are spent on, largest first; empty else.
  std::vector<std::pair<std::string_view, double>> host_ms() const;
};

/// Executes the plans in virtual time on all ranks and both lanes and hands every step to `sink` as
/// the executor would record it (the caller opens and finishes the sink). Span names are
/// task_name_id; lanes are lane_of. Deterministic. A step ends when its last rank does, and the
/// next begins then. Errors: invalid_input when plan, placement and machine do not belong together;
/// what routing and sink report; cancelled, after which the steps before are in the sink
Result<SimulationSummary> run(const SimulationInput& input, TraceSink& sink);

}  // namespace k3::sim
