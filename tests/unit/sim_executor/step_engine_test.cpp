#include "sim/executor/step_engine.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "engine/base/rng.h"
#include "tests/support/tiny_model.h"

namespace k3::sim {
namespace {

Plan tiny_plan(int ranks, Overlap overlap = Overlap::none) {
  const ModelConfig model = test::tiny_model();
  const ExecutionSpec execution{.overlap = overlap};
  return Plan::build({.model = model,
                      .execution = execution,
                      .shape = StepShape::uniform(Phase::decode, ranks, 1, 0, 1)});
}

StepTimes run(const Plan& plan, const std::vector<Time>& busy, Time begin = {}) {
  return run_step(plan, busy, begin, nullptr).value();
}

/// Work of 1 to 100 us, drawn per rank and position in the rank's list.
std::vector<Time> drawn_times(const Plan& plan, const std::vector<int>& stream_of_rank) {
  std::vector<Time> busy;
  for (int rank = 0; rank < plan.num_ranks(); ++rank) {
    Rng rng =
        Rng(7).split(static_cast<std::uint64_t>(stream_of_rank[static_cast<std::size_t>(rank)]));
    for (std::size_t i = 0; i < plan.rank_tasks(rank).size(); ++i) {
      busy.push_back(Time::from_seconds((1 + 99 * rng.uniform()) * 1e-6));
    }
  }
  return busy;
}

/// Task id of the first task of a kind on a rank.
std::size_t find(const Plan& plan, int rank, TaskKind kind) {
  const auto tasks = plan.rank_tasks(rank);
  const auto at =
      std::find_if(tasks.begin(), tasks.end(), [&](const Task& t) { return t.kind == kind; });
  return static_cast<std::size_t>(plan.rank_begin(rank) + (at - tasks.begin()));
}

TEST(StepEngine, OneRankRunsItsTasksBackToBack) {
  const Plan plan = tiny_plan(1);
  const std::vector<Time> busy(plan.tasks().size(), 3_us);
  const StepTimes times = run(plan, busy, 100_us);
  EXPECT_EQ(times.begin, 100_us);
  EXPECT_EQ(times.end, 100_us + 3_us * static_cast<std::int64_t>(busy.size()));
  for (std::size_t i = 0; i < busy.size(); ++i) {
    EXPECT_EQ(times.tasks[i].begin, 100_us + 3_us * static_cast<std::int64_t>(i));
    EXPECT_EQ(times.tasks[i].wait, Time{});
  }
}

TEST(StepEngine, ARankWaitsForTheSlowestOne) {
  const Plan plan = tiny_plan(3);
  std::vector<Time> busy(plan.tasks().size(), 1_us);
  busy[0] = 11_us;                                            // embed of rank 0
  busy[static_cast<std::size_t>(plan.rank_begin(1))] = 5_us;  // of rank 1
  const std::size_t dispatch = find(plan, 0, TaskKind::dispatch);
  busy[find(plan, 2, TaskKind::dispatch)] = Time{};  // nothing to send
  const StepTimes times = run(plan, busy);
  const Time arrival = 11_us + 1_us * static_cast<std::int64_t>(dispatch - 1);
  EXPECT_EQ(times.tasks[dispatch].begin, arrival);
  EXPECT_EQ(times.tasks[dispatch].wait, Time{});
  EXPECT_EQ(times.tasks[find(plan, 1, TaskKind::dispatch)].wait, 6_us);
  const TaskTimes& silent = times.tasks[find(plan, 2, TaskKind::dispatch)];
  EXPECT_EQ(silent.wait, 10_us);  // a rank with nothing to send stays in the barrier
  EXPECT_EQ(silent.end(), arrival);
  EXPECT_EQ(times.tasks[dispatch].end(), arrival + 1_us);
}

TEST(StepEngine, SharedExpertsRunBesideTheDispatch) {
  const Plan plan = tiny_plan(1, Overlap::shared_expert);
  std::vector<Time> busy(plan.tasks().size(), 1_us);
  const std::size_t dispatch = find(plan, 0, TaskKind::dispatch);
  const std::size_t shared = find(plan, 0, TaskKind::shared);
  const std::size_t experts = find(plan, 0, TaskKind::experts);
  busy[dispatch] = 10_us;
  busy[shared] = 4_us;
  StepTimes times = run(plan, busy);
  EXPECT_EQ(times.tasks[shared].begin, times.tasks[dispatch].begin);
  EXPECT_EQ(times.tasks[experts].begin, times.tasks[dispatch].begin + 10_us);
  busy[shared] = 14_us;  // now the compute lane is busy longer than the transfer
  times = run(plan, busy);
  EXPECT_EQ(times.tasks[experts].begin, times.tasks[dispatch].begin + 14_us);
}

TEST(StepEngine, RespectsLanesDependenciesAndBarriers) {
  for (const Overlap overlap : {Overlap::none, Overlap::shared_expert}) {
    const Plan plan = tiny_plan(4, overlap);
    const std::vector<Time> busy = drawn_times(plan, {0, 1, 2, 3});
    const StepTimes times = run(plan, busy);
    std::vector<Time> release(static_cast<std::size_t>(plan.num_collectives()));
    for (std::size_t id = 0; id < busy.size(); ++id) {
      const Task& task = plan.tasks()[id];
      EXPECT_EQ(times.tasks[id].busy, busy[id]);
      for (const std::int32_t d : plan.dependencies(task)) {
        EXPECT_GE(times.tasks[id].begin, times.tasks[static_cast<std::size_t>(d)].end());
      }
      for (std::size_t before = static_cast<std::size_t>(plan.rank_begin(task.rank)); before < id;
           ++before) {
        if (plan.tasks()[before].lane != task.lane) continue;
        EXPECT_GE(times.tasks[id].begin, times.tasks[before].end());
      }
      EXPECT_LE(times.tasks[id].end(), times.end);
      if (task.collective < 0) continue;
      Time& latest = release[static_cast<std::size_t>(task.collective)];
      latest = std::max(latest, times.tasks[id].begin);
    }
    for (std::size_t id = 0; id < busy.size(); ++id) {
      const Task& task = plan.tasks()[id];
      if (task.collective < 0) continue;
      EXPECT_EQ(times.tasks[id].release(), release[static_cast<std::size_t>(task.collective)]);
    }
  }
}

TEST(StepEngine, NoStepIsShorterThanAnyRanksWork) {
  const Plan plan = tiny_plan(4);
  const std::vector<Time> busy = drawn_times(plan, {0, 1, 2, 3});
  const StepTimes times = run(plan, busy);
  for (int rank = 0; rank < 4; ++rank) {
    Time work;
    for (std::int32_t id = plan.rank_begin(rank); id < plan.rank_begin(rank + 1); ++id) {
      work += busy[static_cast<std::size_t>(id)];
    }
    EXPECT_GE(times.end, work);
  }
}

TEST(StepEngine, PermutingRanksPermutesTimes) {
  const Plan plan = tiny_plan(3);
  const StepTimes times = run(plan, drawn_times(plan, {0, 1, 2}));
  const StepTimes permuted = run(plan, drawn_times(plan, {2, 0, 1}));
  EXPECT_EQ(times.end, permuted.end);
  const auto tasks = static_cast<std::size_t>(plan.rank_begin(1));
  for (std::size_t i = 0; i < tasks; ++i) {
    EXPECT_EQ(permuted.tasks[i].end(), times.tasks[2 * tasks + i].end());
    EXPECT_EQ(permuted.tasks[tasks + i].end(), times.tasks[i].end());
    EXPECT_EQ(permuted.tasks[2 * tasks + i].wait, times.tasks[tasks + i].wait);
  }
}

TEST(StepEngine, ProgressCountsEveryTaskAndStops) {
  const Plan plan = tiny_plan(2);
  const std::vector<Time> busy(plan.tasks().size(), 1_us);
  Progress progress;
  EXPECT_TRUE(run_step(plan, busy, {}, &progress).has_value());
  EXPECT_EQ(progress.done, static_cast<std::int64_t>(busy.size()));
  progress.cancelled = true;
  const auto stopped = run_step(plan, busy, {}, &progress);
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, Code::cancelled);
}

}  // namespace
}  // namespace k3::sim
