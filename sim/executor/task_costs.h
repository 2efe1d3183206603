#pragma once

#include <vector>

#include "engine/base/units.h"
#include "engine/plan/plan.h"
#include "sim/executor/simulation.h"
#include "sim/executor/step_traffic.h"

namespace k3::sim {

/// Per task id: how long it works and what it computes and touches. Columns, because a step has a
/// hundred thousand tasks and each reader wants one of them.
struct TaskCosts {
  std::vector<Time> busy;
  std::vector<double> flops;
  std::vector<double> bytes;
};

/// Costs of every task of one step. Ranks with equal totals share what routing does not touch, so
/// that the cost model is asked once per layer and not once per layer and rank. Kernels of a GPU
/// that has a share of its speed left take as much longer.
TaskCosts task_costs(const SimulationInput& input,
                     const Plan& plan,
                     const StepShape& shape,
                     const StepTraffic& traffic);

}  // namespace k3::sim
