#include "sim/executor/step_engine.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "engine/base/check.h"
#include "sim/core/event_queue.h"

namespace k3::sim {
namespace {

constexpr std::size_t kNumLanes = 2;

/// One rank's place in its task list and the task that each lane took last.
struct RankState {
  std::size_t next = 0;
  std::array<std::int32_t, kNumLanes> last{-1, -1};
};

struct Collective {
  std::size_t members = 0;
  std::vector<std::int32_t> arrived;  ///< task ids
  Time last_arrival;
};

class StepEngine {
 public:
  StepEngine(const Plan& plan, std::span<const Time> busy, Time begin)
      : plan_(plan),
        busy_(busy),
        queue_(begin),
        times_{begin, begin, std::vector<TaskTimes>(plan.tasks().size())},
        ended_(plan.tasks().size()),
        ranks_(static_cast<std::size_t>(plan.num_ranks())),
        collectives_(static_cast<std::size_t>(plan.num_collectives())) {
    for (const Task& task : plan.tasks()) {
      if (task.collective >= 0) ++collectives_[static_cast<std::size_t>(task.collective)].members;
    }
  }

  Result<StepTimes> run(Progress* progress) {
    for (int rank = 0; rank < plan_.num_ranks(); ++rank)
      advance(rank);
    report(progress);
    while (!queue_.empty()) {
      if (progress != nullptr && progress->cancelled) {
        return fail(Code::cancelled, "the simulation was stopped");
      }
      release(static_cast<std::size_t>(queue_.pop().id));
      report(progress);
    }
    if (num_ended_ != ended_.size()) {
      return fail(Code::internal, fmt::format("{} of {} tasks never ran: collectives wait for each "
                                              "other",
                                              ended_.size() - num_ended_, ended_.size()));
    }
    return std::move(times_);
  }

 private:
  /// Runs the rank's tasks up to the first one that needs an open collective.
  void advance(int rank) {
    RankState& state = ranks_[static_cast<std::size_t>(rank)];
    const std::span<const Task> tasks = plan_.rank_tasks(rank);
    for (; state.next < tasks.size(); ++state.next) {
      const Task& task = tasks[state.next];
      std::int32_t& last = state.last[static_cast<std::size_t>(task.lane)];
      Time begin = times_.begin;
      if (!reach(last, begin)) return;
      for (const std::int32_t dependency : plan_.dependencies(task)) {
        if (!reach(dependency, begin)) return;
      }
      last = plan_.rank_begin(rank) + static_cast<std::int32_t>(state.next);
      times_.tasks[static_cast<std::size_t>(last)].begin = begin;
      if (task.collective < 0) {
        finish(last);
      } else {
        arrive(last, static_cast<std::size_t>(task.collective), begin);
      }
    }
  }

  /// Moves `begin` to the end of a task that comes before; false while that end is not known.
  bool reach(std::int32_t task, Time& begin) const {
    if (task < 0) return true;
    if (ended_[static_cast<std::size_t>(task)] == 0) return false;
    begin = std::max(begin, times_.tasks[static_cast<std::size_t>(task)].end());
    return true;
  }

  void finish(std::int32_t id) {
    const auto at = static_cast<std::size_t>(id);
    times_.tasks[at].busy = busy_[at];
    times_.end = std::max(times_.end, times_.tasks[at].end());
    ended_[at] = 1;
    ++num_ended_;
  }

  void arrive(std::int32_t id, std::size_t number, Time when) {
    Collective& collective = collectives_[number];
    collective.arrived.push_back(id);
    collective.last_arrival = std::max(collective.last_arrival, when);
    if (collective.arrived.size() == collective.members) {
      queue_.push({.time = collective.last_arrival, .id = static_cast<std::int64_t>(number)});
    }
  }

  /// Every rank of the collective has arrived: transfers begin, the ranks go on.
  void release(std::size_t number) {
    std::vector<std::int32_t> arrived = std::move(collectives_[number].arrived);
    std::ranges::sort(arrived);
    for (const std::int32_t id : arrived) {
      TaskTimes& times = times_.tasks[static_cast<std::size_t>(id)];
      times.wait = queue_.now() - times.begin;
      finish(id);
    }
    for (const std::int32_t id : arrived) {
      advance(plan_.tasks()[static_cast<std::size_t>(id)].rank);
    }
  }

  void report(Progress* progress) {
    if (progress == nullptr) return;
    progress->done += static_cast<std::int64_t>(num_ended_ - num_reported_);
    num_reported_ = num_ended_;
  }

  const Plan& plan_;
  std::span<const Time> busy_;
  EventQueue queue_;
  StepTimes times_;
  std::vector<std::uint8_t> ended_;  ///< per task id
  std::vector<RankState> ranks_;
  std::vector<Collective> collectives_;
  std::size_t num_ended_ = 0;
  std::size_t num_reported_ = 0;
};

}  // namespace

Result<StepTimes> run_step(const Plan& plan,
                           std::span<const Time> busy,
                           Time begin,
                           Progress* progress) {
  K3_CHECK(busy.size() == plan.tasks().size(), "{} times for {} tasks", busy.size(),
           plan.tasks().size());
  return StepEngine(plan, busy, begin).run(progress);
}

}  // namespace k3::sim
