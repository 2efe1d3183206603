#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/plan/plan.h"

namespace k3::sim {

/// When a task ran: it takes its lane at `begin`, waits for the other ranks (collectives only),
/// then works for `busy`. Thread ranks pack for `before` first (collectives only).
struct TaskTimes {
  Time begin;
  Time wait;
  Time busy;
  Time before;

  Time arrival() const { return begin + before; }

  Time release() const { return begin + before + wait; }

  Time end() const { return begin + before + wait + busy; }
};

struct StepTimes {
  Time begin;
  Time end;                      ///< of the last task
  std::vector<TaskTimes> tasks;  ///< index = task id
};

/// Runs one step of a plan in virtual time from `begin`. `busy` is the time that each task works:
/// its kernel, or the transfer of a collective's rank once every rank has arrived.
///
/// A rank runs the tasks of each lane in plan order; a task begins when its lane is free and its
/// dependencies have ended. A collective is an event at the moment its last rank arrives: before it
/// no rank of it goes on, whether it has something to send or not. Between two events every rank
/// runs ahead on its own, up to the first task that needs a collective still open; that is exact,
/// because ranks act on each other through collectives only.
/// Errors: cancelled; internal when collectives wait for each other in a circle
Result<StepTimes> run_step(const Plan& plan,
                           std::span<const Time> busy,
                           Time begin,
                           Progress* progress);

}  // namespace k3::sim
