#include "sim/executor/breakdown.h"

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"

namespace k3::sim {
namespace {

/// The task before `id` on the same rank and lane, −1 if it is the first.
std::int32_t lane_predecessor(const Plan& plan, std::int32_t id) {
  const Task& task = plan.tasks()[static_cast<std::size_t>(id)];
  for (std::int32_t before = id - 1; before >= plan.rank_begin(task.rank); --before) {
    if (plan.tasks()[static_cast<std::size_t>(before)].lane == task.lane) return before;
  }
  return -1;
}

}  // namespace

Time Breakdown::total() const {
  return std::accumulate(busy.begin(), busy.end(), wait);
}

std::vector<std::int32_t> critical_chain(const Plan& plan, const StepTimes& times) {
  const auto time_of = [&](std::int32_t id) -> const TaskTimes& {
    return times.tasks[static_cast<std::size_t>(id)];
  };
  const auto last = std::find_if(times.tasks.begin(), times.tasks.end(),
                                 [&](const TaskTimes& t) { return t.end() == times.end; });
  std::vector<std::int32_t> chain;
  if (last == times.tasks.end()) return chain;
  auto id = static_cast<std::int32_t>(last - times.tasks.begin());
  chain.push_back(id);
  while (time_of(id).begin > times.begin) {
    std::int32_t cause = lane_predecessor(plan, id);
    if (cause >= 0 && time_of(cause).end() != time_of(id).begin) cause = -1;
    for (const std::int32_t d : plan.dependencies(plan.tasks()[static_cast<std::size_t>(id)])) {
      if (cause < 0 && time_of(d).end() == time_of(id).begin) cause = d;
    }
    // NOTE: a thread rank runs its tasks one after the other, whatever their lanes.
    if (cause < 0 && id > plan.rank_begin(plan.tasks()[static_cast<std::size_t>(id)].rank) &&
        time_of(id - 1).end() == time_of(id).begin) {
      cause = id - 1;
    }
    K3_CHECK(cause >= 0, "task {} begins after everything before it", id);
    id = cause;
    chain.push_back(id);
  }
  std::ranges::reverse(chain);
  return chain;
}

Breakdown breakdown(const Plan& plan, const StepTimes& times) {
  Breakdown result;
  for (const std::int32_t id : critical_chain(plan, times)) {
    const TaskTimes& task = times.tasks[static_cast<std::size_t>(id)];
    const TaskKind kind = plan.tasks()[static_cast<std::size_t>(id)].kind;
    result.busy[static_cast<std::size_t>(kind)] += task.before + task.busy;
    result.wait += task.wait;
  }
  return result;
}

}  // namespace k3::sim
