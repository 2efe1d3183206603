#include "sim/executor/shared_cores.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "engine/base/rng.h"
#include "sim/executor/breakdown.h"
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

std::vector<SharedTask> all_tasks(const Plan& plan, Time before) {
  return std::vector<SharedTask>(plan.tasks().size(),
                                 SharedTask{.before = before, .meet = {}, .after = {}});
}

StepTimes run(const Plan& plan, const std::vector<SharedTask>& tasks, int cores, Time begin = {}) {
  return run_on_shared_cores(plan, tasks, cores, begin, nullptr).value();
}

/// Work of 1 to 100 us per task, collectives asleep and working afterwards as well.
std::vector<SharedTask> drawn_tasks(const Plan& plan) {
  Rng rng(11);
  std::vector<SharedTask> tasks;
  const auto draw = [&] { return Time::from_seconds((1 + 99 * rng.uniform()) * 1e-6); };
  for (const Task& task : plan.tasks()) {
    SharedTask work{.before = draw(), .meet = {}, .after = {}};
    if (task.collective >= 0) {
      work.meet = draw();
      work.after = draw();
    }
    tasks.push_back(work);
  }
  return tasks;
}

Time total_work(const std::vector<SharedTask>& tasks) {
  Time sum;
  for (const SharedTask& task : tasks)
    sum += task.before + task.after;
  return sum;
}

std::size_t tasks_per_rank(const Plan& plan) {
  return plan.rank_tasks(0).size();
}

TEST(SharedCores, OneRankRunsItsTasksBackToBack) {
  const Plan plan = tiny_plan(1);
  const StepTimes times = run(plan, all_tasks(plan, 3_us), 2, 100_us);
  EXPECT_EQ(times.end, 100_us + 3_us * static_cast<std::int64_t>(plan.tasks().size()));
}

TEST(SharedCores, AsManyCoresAsRanksAndNothingIsShared) {
  const Plan plan = tiny_plan(4);
  const StepTimes times = run(plan, all_tasks(plan, 3_us), 4);
  EXPECT_EQ(times.end, 3_us * static_cast<std::int64_t>(tasks_per_rank(plan)));
}

TEST(SharedCores, EqualRanksFinishTogetherAndTakeTheirShareOfTheCores) {
  const Plan plan = tiny_plan(8);
  const StepTimes times = run(plan, all_tasks(plan, 3_us), 2);
  // 8 ranks on 2 cores: each gets a quarter of a core all the time.
  EXPECT_EQ(times.end, 12_us * static_cast<std::int64_t>(tasks_per_rank(plan)));
  for (int rank = 1; rank < 8; ++rank) {
    for (std::size_t i = 0; i < tasks_per_rank(plan); ++i) {
      const auto id = static_cast<std::size_t>(plan.rank_begin(rank)) + i;
      EXPECT_EQ(times.tasks[id].end(), times.tasks[i].end());
      EXPECT_EQ(times.tasks[id].wait, Time{});
    }
  }
}

TEST(SharedCores, OneCoreTakesTheSumOfAllWork) {
  const Plan plan = tiny_plan(3);
  std::vector<SharedTask> tasks = drawn_tasks(plan);
  for (SharedTask& task : tasks)
    task.meet = {};
  const StepTimes times = run(plan, tasks, 1);
  EXPECT_NEAR(static_cast<double>(times.end.ps), static_cast<double>(total_work(tasks).ps), 10);
}

TEST(SharedCores, ALateRankIsAloneOnItsCores) {
  // Two ranks, one core. Only the first task has work: 10 us on rank 0 and 2 us on rank 1. Shared
  // until rank 1 has its 2 us at t = 4 us; then rank 0 alone for its other 8 us: t = 12 us.
  const Plan plan = tiny_plan(2);
  std::vector<SharedTask> tasks = all_tasks(plan, Time{});
  tasks[0].before = 10_us;
  tasks[tasks_per_rank(plan)].before = 2_us;
  const StepTimes times = run(plan, tasks, 1);
  EXPECT_EQ(times.tasks[tasks_per_rank(plan)].end(), 4_us);
  EXPECT_EQ(times.tasks[0].end(), 12_us);
  EXPECT_EQ(times.end, 12_us);
}

TEST(SharedCores, ASleepingRankUsesNoCore) {
  // Three ranks, one core; rank 2 has all the work between two collectives: it runs at full speed.
  const Plan plan = tiny_plan(3);
  std::vector<SharedTask> tasks = all_tasks(plan, Time{});
  const auto list = plan.rank_tasks(2);
  const auto experts = std::ranges::find(list, TaskKind::experts, &Task::kind) - list.begin();
  const std::size_t id = 2 * tasks_per_rank(plan) + static_cast<std::size_t>(experts);
  tasks[id].before = 50_us;
  const StepTimes times = run(plan, tasks, 1);
  EXPECT_EQ(times.tasks[id].busy, 50_us);
  EXPECT_EQ(times.end, 50_us);
  const auto combine = static_cast<std::size_t>(experts) + 1;
  ASSERT_EQ(plan.tasks()[combine].kind, TaskKind::combine);
  EXPECT_EQ(times.tasks[combine].wait, 50_us);
}

TEST(SharedCores, AMeetingTakesItsTimeOnceAllHaveArrived) {
  const Plan plan = tiny_plan(2);
  std::vector<SharedTask> tasks = all_tasks(plan, Time{});
  const auto list = plan.rank_tasks(0);
  const auto dispatch = static_cast<std::size_t>(
      std::ranges::find(list, TaskKind::dispatch, &Task::kind) - list.begin());
  for (const std::size_t id : {dispatch, tasks_per_rank(plan) + dispatch})
    tasks[id] = {.before = 3_us, .meet = 20_us, .after = 5_us};
  // One core: both pack until 6 us, meet until 26 us, unpack until 36 us.
  const StepTimes times = run(plan, tasks, 1);
  EXPECT_EQ(times.tasks[dispatch].before, 6_us);
  EXPECT_EQ(times.tasks[dispatch].wait, Time{});
  EXPECT_EQ(times.tasks[dispatch].busy, 30_us);
  EXPECT_EQ(times.end, 36_us);
}

TEST(SharedCores, WorkIsConservedAndTheChainHasNoGaps) {
  for (const Overlap overlap : {Overlap::none, Overlap::shared_expert}) {
    for (const int cores : {1, 2, 3, 8}) {
      const Plan plan = tiny_plan(5, overlap);
      const std::vector<SharedTask> tasks = drawn_tasks(plan);
      const StepTimes times = run(plan, tasks, cores, 7_us);
      const double step = static_cast<double>((times.end - times.begin).ps);
      // No more than all cores all the time, and no faster than any rank alone.
      EXPECT_GE(step * cores * (1 + 1e-9), static_cast<double>(total_work(tasks).ps));
      Time before = times.begin;
      for (std::size_t i = 0; i < tasks_per_rank(plan); ++i) {
        EXPECT_EQ(times.tasks[i].begin, before);  // one after the other
        EXPECT_GE(times.tasks[i].before + times.tasks[i].busy,
                  tasks[i].before + tasks[i].after + tasks[i].meet - Time{2});
        before = times.tasks[i].end();
      }
      EXPECT_EQ(breakdown(plan, times).total(), times.end - times.begin);
    }
  }
}

TEST(SharedCores, MoreCoresAreNeverSlower) {
  const Plan plan = tiny_plan(6);
  std::vector<SharedTask> tasks = all_tasks(plan, 4_us);
  Time before = run(plan, tasks, 1).end;
  for (int cores = 2; cores <= 7; ++cores) {
    const Time end = run(plan, tasks, cores).end;
    EXPECT_LE(end, before);
    before = end;
  }
}

TEST(SharedCores, ProgressCountsEveryTaskAndStops) {
  const Plan plan = tiny_plan(2);
  const std::vector<SharedTask> tasks = all_tasks(plan, 1_us);
  Progress progress;
  EXPECT_TRUE(run_on_shared_cores(plan, tasks, 1, {}, &progress).has_value());
  EXPECT_EQ(progress.done, static_cast<std::int64_t>(tasks.size()));
  progress.cancelled = true;
  const auto stopped = run_on_shared_cores(plan, tasks, 1, {}, &progress);
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, Code::cancelled);
}

}  // namespace
}  // namespace k3::sim
