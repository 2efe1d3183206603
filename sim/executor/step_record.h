#pragma once

#include <cstdint>

#include "engine/plan/plan.h"
#include "engine/plan/step_shape.h"
#include "engine/trace/trace.h"
#include "sim/executor/simulation.h"
#include "sim/executor/step_engine.h"
#include "sim/executor/step_traffic.h"
#include "sim/executor/task_costs.h"

namespace k3::sim {

/// Lane id of simulated spans: two lanes per rank, compute before communication.
constexpr std::int32_t lane_of(int rank, TaskLane lane) {
  return 2 * rank + static_cast<std::int32_t>(lane);
}

/// One simulated step before it is recorded.
struct StepResult {
  std::int32_t step = 0;
  std::int32_t plan_id = 0;
  const Plan& plan;
  const StepShape& shape;
  const StepTimes& times;
  const TaskCosts& costs;
  Time transfer_start;  ///< start-up of an exchange, before its flows
  StepTraffic traffic;  ///< given up: its matrices move into the record
};

/// The step as the executor would record it. A collective gives two spans, wait and transfer (of
/// thread ranks a memory span before them); a wait of 0 ns has no span. Times are rounded to
/// nanoseconds one point at a time, so that spans of a lane never overlap and wait + move ends
/// where the span does.
StepRecord step_record(StepResult result, RecordRouting routing, LinkDetail links);

}  // namespace k3::sim
