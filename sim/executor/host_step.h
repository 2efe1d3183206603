#pragma once

#include <array>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/plan/plan.h"
#include "sim/compute/host_costs.h"
#include "sim/executor/simulation.h"
#include "sim/executor/step_engine.h"
#include "sim/executor/step_traffic.h"

namespace k3::sim {

/// Cost of every task of one step whose ranks are threads of a calibrated host (index = task id).
/// Errors: tables that the calibration lacks
Result<std::vector<HostCost>> host_costs(const SimulationInput& input,
                                         const Plan& plan,
                                         const StepShape& shape,
                                         const StepTraffic& traffic);

/// Times of the step on the host's cores.
/// Errors: as run_on_shared_cores
Result<StepTimes> run_on_host(const Plan& plan,
                              const std::vector<HostCost>& costs,
                              const SimulationInput& input,
                              Time begin);

/// What the step's time is spent on along its critical chain, and waiting for other ranks; sums to
/// the step. Where ranks share a core, elapsed time is given to what the rank does in it.
HostShares host_shares(const Plan& plan,
                       const StepTimes& times,
                       const std::vector<HostCost>& costs);

}  // namespace k3::sim
