#pragma once

#include <span>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/plan/plan.h"
#include "sim/executor/step_engine.h"

namespace k3::sim {

/// One task of a thread rank. A task that only computes has `before` alone.
struct SharedTask {
  Time before;  ///< work on a core; in a collective: before the rank meets the others
  Time meet;    ///< elapsed once all ranks have arrived, without a core
  Time after;   ///< work on a core after that
};

/// Runs one step of a plan whose ranks are threads that share `cores` cores.
///
/// A rank does its tasks one after the other in plan order, whatever their lanes, as the executor
/// does. While it works it is runnable; in a collective it sleeps until the last rank has arrived
/// and the collective's time is over. With n runnable ranks each gets min(1, cores / n) of a core
/// at every moment: processor sharing, exact. The engine keeps V(t), the work that a rank runnable
/// all the time would have got, with dV/dt = min(1, cores / n): work w that begins at V ends at
/// V + w, however often n changes, so that an event costs O(log ranks).
///
/// TaskTimes::before and busy are elapsed times: work, stretched where cores are shared.
/// Errors: cancelled; internal when collectives wait for each other in a circle
Result<StepTimes> run_on_shared_cores(
    const Plan& plan, std::span<const SharedTask> tasks, int cores, Time begin, Progress* progress);

}  // namespace k3::sim
