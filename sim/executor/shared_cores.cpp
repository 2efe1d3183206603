#include "sim/executor/shared_cores.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "engine/base/check.h"

namespace k3::sim {
namespace {

/// What ends, and for which rank; ties go to the lower rank.
using Due = std::pair<double, int>;
using DueQueue = std::priority_queue<Due, std::vector<Due>, std::greater<>>;

enum class Doing : std::uint8_t { before, sleep, after };

struct RankState {
  std::size_t next = 0;  ///< task in hand, within the rank's list
  Doing doing = Doing::before;
  Time begin;    ///< of the task in hand
  Time arrival;  ///< end of its first work
  Time release;  ///< end of its wait
};

struct Collective {
  int missing = 0;
  std::vector<int> ranks;  ///< arrived
};

class SharedCores {
 public:
  SharedCores(const Plan& plan, std::span<const SharedTask> tasks, int cores, Time begin)
      : plan_(plan),
        work_(tasks),
        cores_(cores),
        times_{begin, begin, std::vector<TaskTimes>(tasks.size())},
        now_(static_cast<double>(begin.ps)),
        ranks_(static_cast<std::size_t>(plan.num_ranks())),
        collectives_(static_cast<std::size_t>(plan.num_collectives())) {
    for (const Task& task : plan.tasks()) {
      if (task.collective >= 0) ++collectives_[static_cast<std::size_t>(task.collective)].missing;
    }
  }

  Result<StepTimes> run(Progress* progress) {
    for (int rank = 0; rank < plan_.num_ranks(); ++rank)
      begin_task(rank);
    while (!running_.empty() || !sleeping_.empty()) {
      if (progress != nullptr && progress->cancelled) {
        return fail(Code::cancelled, "the simulation was stopped");
      }
      advance();
      if (progress != nullptr) progress->done += std::exchange(num_unreported_, 0);
    }
    if (num_ended_ != work_.size()) {
      return fail(Code::internal, fmt::format("{} of {} tasks never ran: collectives wait for each "
                                              "other",
                                              work_.size() - num_ended_, work_.size()));
    }
    return std::move(times_);
  }

 private:
  RankState& state(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  Time clock() const { return {static_cast<std::int64_t>(std::llround(now_))}; }

  std::size_t task_of(int rank) {
    return static_cast<std::size_t>(plan_.rank_begin(rank)) + state(rank).next;
  }

  /// Elapsed time per unit of work.
  double stretch() const { return std::max(1.0, static_cast<double>(running_.size()) / cores_); }

  /// Moves the clock to the next end of work or of a sleep.
  void advance() {
    const double work_end = running_.empty()
                                ? std::numeric_limits<double>::infinity()
                                : now_ + (running_.top().first - virtual_now_) * stretch();
    if (!sleeping_.empty() && sleeping_.top().first < work_end) {
      const auto [when, rank] = sleeping_.top();
      sleeping_.pop();
      if (!running_.empty()) virtual_now_ += (when - now_) / stretch();
      now_ = when;
      state(rank).doing = Doing::after;
      work(rank, work_[task_of(rank)].after);
      return;
    }
    now_ = work_end;
    virtual_now_ = running_.top().first;
    std::vector<int> ended;  // NOTE: all of one moment, before any of them begins something new
    for (; !running_.empty() && running_.top().first == virtual_now_; running_.pop())
      ended.push_back(running_.top().second);
    for (const int rank : ended)
      end_work(rank);
  }

  void work(int rank, Time amount) {
    running_.emplace(virtual_now_ + static_cast<double>(amount.ps), rank);
  }

  void begin_task(int rank) {
    RankState& at = state(rank);
    if (at.next == plan_.rank_tasks(rank).size()) return;
    at.doing = Doing::before;
    at.begin = clock();
    work(rank, work_[task_of(rank)].before);
  }

  void end_work(int rank) {
    RankState& at = state(rank);
    const std::size_t id = task_of(rank);
    const int collective = plan_.tasks()[id].collective;
    TaskTimes& times = times_.tasks[id];
    if (at.doing == Doing::before) {
      times.begin = at.begin;
      if (collective >= 0) {
        times.before = clock() - at.begin;
        at.arrival = clock();
        arrive(rank, collectives_[static_cast<std::size_t>(collective)]);
        return;
      }
      times.busy = clock() - at.begin;
    } else {
      times.wait = at.release - at.arrival;
      times.busy = clock() - at.release;
    }
    times_.end = std::max(times_.end, clock());
    ++num_ended_;
    ++num_unreported_;
    ++at.next;
    begin_task(rank);
  }

  void arrive(int rank, Collective& collective) {
    state(rank).doing = Doing::sleep;
    collective.ranks.push_back(rank);
    if (--collective.missing > 0) return;
    for (const int member : collective.ranks) {
      state(member).release = clock();
      sleeping_.emplace(now_ + static_cast<double>(work_[task_of(member)].meet.ps), member);
    }
  }

  const Plan& plan_;
  std::span<const SharedTask> work_;
  int cores_;
  StepTimes times_;
  double now_;              ///< picoseconds
  double virtual_now_ = 0;  ///< V, picoseconds of work
  DueQueue running_;        ///< by V at which the work ends
  DueQueue sleeping_;       ///< by the time at which the sleep ends
  std::vector<RankState> ranks_;
  std::vector<Collective> collectives_;
  std::size_t num_ended_ = 0;
  std::int64_t num_unreported_ = 0;
};

}  // namespace

Result<StepTimes> run_on_shared_cores(const Plan& plan,
                                      std::span<const SharedTask> tasks,
                                      int cores,
                                      Time begin,
                                      Progress* progress) {
  K3_CHECK(tasks.size() == plan.tasks().size(), "{} times for {} tasks", tasks.size(),
           plan.tasks().size());
  K3_CHECK(cores >= 1, "{} cores", cores);
  return SharedCores(plan, tasks, cores, begin).run(progress);
}

}  // namespace k3::sim
