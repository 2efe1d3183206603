#include "sim/executor/breakdown.h"

#include <vector>

#include <gtest/gtest.h>

#include "engine/base/rng.h"
#include "tests/support/tiny_model.h"

namespace k3::sim {
namespace {

struct Drawn {
  Plan plan;
  StepTimes times;
};

Drawn drawn(int ranks, std::uint64_t seed, Overlap overlap) {
  const ModelConfig model = test::tiny_model();
  const ExecutionSpec execution{.overlap = overlap};
  Plan plan = Plan::build({.model = model,
                           .execution = execution,
                           .shape = StepShape::uniform(Phase::decode, ranks, 1, 0, 1)});
  Rng rng(seed);
  std::vector<Time> busy(plan.tasks().size());
  for (Time& time : busy)
    time = {static_cast<std::int64_t>(rng.uniform() * 1e8)};
  StepTimes times = run_step(plan, busy, 50_us, nullptr).value();
  return {std::move(plan), std::move(times)};
}

TEST(Breakdown, SumsToTheStepToThePicosecond) {
  for (const Overlap overlap : {Overlap::none, Overlap::shared_expert}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto [plan, times] = drawn(4, seed, overlap);
      EXPECT_EQ(breakdown(plan, times).total(), times.end - times.begin) << seed;
    }
  }
}

TEST(Breakdown, ChainIsGaplessOnTheRankThatEndsLast) {
  const auto [plan, times] = drawn(4, 3, Overlap::shared_expert);
  const std::vector<std::int32_t> chain = critical_chain(plan, times);
  Time now = times.begin;
  const std::int32_t rank = plan.tasks()[static_cast<std::size_t>(chain.front())].rank;
  for (const std::int32_t id : chain) {
    EXPECT_EQ(plan.tasks()[static_cast<std::size_t>(id)].rank, rank);
    EXPECT_EQ(times.tasks[static_cast<std::size_t>(id)].begin, now);
    now = times.tasks[static_cast<std::size_t>(id)].end();
  }
  EXPECT_EQ(now, times.end);
}

TEST(Breakdown, AloneAndWithoutOverlapItIsTheWorkOfEachKind) {
  const auto [plan, times] = drawn(1, 5, Overlap::none);
  const Breakdown parts = breakdown(plan, times);
  Breakdown expected;
  for (std::size_t id = 0; id < plan.tasks().size(); ++id) {
    expected.busy[static_cast<std::size_t>(plan.tasks()[id].kind)] += times.tasks[id].busy;
  }
  EXPECT_EQ(parts.busy, expected.busy);
  EXPECT_EQ(parts.wait, Time{});
}

}  // namespace
}  // namespace k3::sim
