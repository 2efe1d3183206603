#include <gtest/gtest.h>

#include "profiler/query/attention.h"
#include "profiler/query/comparison.h"
#include "profiler/query/costs.h"
#include "profiler/query/expert_load.h"
#include "profiler/query/pair_experts.h"
#include "tests/unit/profiler_query/small_run.h"

namespace k3::query {
namespace {

using test::opened;
using test::small_run;
using test::TempDir;

TEST(Scope, CostsOfOneStepAreTheirOwnMean) {
  const TempDir dir;
  const auto run = opened(dir, "a.k3r", small_run(RunKind::measured, 2));
  const auto costs = layer_costs(run, {.phase = {}, .step = 1, .layer = 0}).value();
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs[0].steps, 1);
  EXPECT_DOUBLE_EQ(costs[0].mean_us, 2) << "1000 ns and 3000 ns";
  const auto kinds = step_breakdown(run, {.phase = Phase::decode, .step = {}, .layer = {}}).value();
  ASSERT_EQ(kinds.size(), 2U) << "no prefill";
  EXPECT_DOUBLE_EQ(kinds[0].mean_us, 2);
}

TEST(Scope, LoadsOfStepsAddUpToTheRun) {
  const TempDir dir;
  const auto run = opened(dir, "a.k3r", small_run(RunKind::measured, 2));
  const auto all = expert_loads(run).value();
  const auto decode = expert_loads(run, {.phase = Phase::decode, .step = {}, .layer = {}}).value();
  const auto prefill =
      expert_loads(run, {.phase = Phase::prefill, .step = {}, .layer = {}}).value();
  ASSERT_EQ(all.size(), 1U);
  for (std::size_t e = 0; e < 4; ++e) {
    EXPECT_EQ(all[0].expert_tokens[e], decode[0].expert_tokens[e] + prefill[0].expert_tokens[e]);
  }
  EXPECT_EQ(decode[0].rank_tokens, (std::vector<std::uint64_t>{2, 6}));
  EXPECT_EQ(decode[0].rank_balance, 1.5);
}

TEST(Scope, ComparisonOfOneStepLooksAtItsPair) {
  const TempDir dir;
  const auto a = opened(dir, "a.k3r", small_run(RunKind::measured, 2));
  auto slower = small_run(RunKind::simulated, 2);
  slower.steps[2].duration_ns *= 3;
  const auto b = opened(dir, "b.k3r", slower);
  const Comparison step = compare(a, b, {.phase = {}, .step = 2, .layer = 0}).value();
  EXPECT_EQ(step.step.steps, 1);
  EXPECT_DOUBLE_EQ(step.step.simulated_ms, 3 * step.step.measured_ms);
  ASSERT_EQ(step.rows.size(), 1U);
  EXPECT_EQ(step.rows[0].kind, TaskKind::kda);
  EXPECT_EQ(common_steps(a, b, {.phase = {}, .step = 2, .layer = {}}).value().b,
            (std::vector<int>{2}));
}

TEST(Attention, SpreadsOverRanksAndSteps) {
  const TempDir dir;
  const auto run = opened(dir, "a.k3r", small_run(RunKind::measured, 3));
  const AttentionSpread spread =
      attention_spread(run, {.phase = Phase::decode, .step = {}, .layer = {}}).value();
  EXPECT_EQ(spread.steps, 3);
  EXPECT_EQ(spread.steps_used, 3);
  ASSERT_EQ(spread.layers.size(), 1U);
  EXPECT_DOUBLE_EQ(spread.layers[0].low_us, 1);
  EXPECT_DOUBLE_EQ(spread.layers[0].high_us, 3);
}

TEST(Attention, GivesOnePointPerStepWithItsContext) {
  const TempDir dir;
  const auto run = opened(dir, "a.k3r", small_run(RunKind::measured, 2));
  const auto steps = attention_steps(run).value();
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[2].context, 102);
  EXPECT_DOUBLE_EQ(steps[2].kda_us, 2);
  EXPECT_EQ(steps[2].mla_us, 0) << "there is no such layer";
}

TEST(PairExperts, CountsCopiesOfBothDirections) {
  const TempDir dir;
  const auto run = opened(dir, "a.k3r", small_run(RunKind::measured, 2));
  const PairExperts there = pair_experts(run, {}, 1, 1).value();
  EXPECT_EQ(there.reason, "");
  EXPECT_EQ(there.copies, 12U) << "token 1 chooses experts 2 and 3, sent and returned in 3 steps";
  ASSERT_EQ(there.experts.size(), 4U);
  EXPECT_EQ(there.experts[0].copies, 3U);
  const TrafficFilter combine{.step = 1, .layer = {}, .direction = Direction::combine, .phase = {}};
  const PairExperts back = pair_experts(run, combine, 1, 0).value();
  ASSERT_EQ(back.experts.size(), 1U);
  EXPECT_EQ(back.experts[0].expert, 2);
  EXPECT_EQ(back.experts[0].copies, 1U);
}

TEST(PairExperts, SaysNothingWhereCountsDisagree) {
  const TempDir dir;
  auto other = small_run(RunKind::measured, 1);
  for (StepRecord& step : other.steps)
    step.traffic[0].copies[1] += 1;
  const PairExperts pair = pair_experts(opened(dir, "a.k3r", other), {}, 0, 1).value();
  EXPECT_TRUE(pair.experts.empty());
  EXPECT_NE(pair.reason, "");
}

TEST(PairExperts, RefusesRanksThatAreNotThere) {
  const TempDir dir;
  const auto run = opened(dir, "a.k3r", small_run(RunKind::measured, 1));
  EXPECT_EQ(pair_experts(run, {}, 0, 2).error().code, Code::invalid_input);
}

}  // namespace
}  // namespace k3::query
