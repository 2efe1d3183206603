#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/base/units.h"
#include "engine/plan/plan.h"
#include "sim/executor/step_engine.h"

namespace k3::sim {

/// Where a step's time goes along its critical path: the chain of tasks on the rank that ends last
/// (the lowest one if several do), walked back from that rank's last task to the begin of the step,
/// each time to the task whose end the next one waited for. The chain has no gaps, so that work per
/// kind and waiting for other ranks sum to the step, to the picosecond.
struct Breakdown {
  std::array<Time, kNumTaskKinds> busy{};
  Time wait;  ///< arrived at a collective, other ranks had not

  Time total() const;
};

/// Task ids of the chain, first to last.
std::vector<std::int32_t> critical_chain(const Plan& plan, const StepTimes& times);

Breakdown breakdown(const Plan& plan, const StepTimes& times);

}  // namespace k3::sim
