#include "profiler/query/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/profiler_query/small_run.h"

namespace k3::query {
namespace {

using test::Ending;
using test::opened;
using test::small_run;
using testing::Contains;
using testing::HasSubstr;

/// The simulated twin: KDA of rank 0 takes 2000 ns instead of 1000, no waiting, steps of 3000 ns
/// instead of 4000, and 30 bytes less return from rank 1 to itself (none instead of 20; 10 less to
/// itself).
test::SampleRun twin(int decode_steps) {
  test::SampleRun run = small_run(RunKind::simulated, decode_steps);
  for (StepRecord& step : run.steps) {
    step.duration_ns = 3000;
    step.spans[0].duration_ns = 2000;
    step.spans.erase(step.spans.begin() + 1);
    step.traffic[1].bytes[3] = 0;
  }
  return run;
}

TEST(Compare, JoinsEqualPlansTaskByTask) {
  const test::TempDir dir;
  const auto a = opened(dir, "a.k3r", small_run(RunKind::measured, 2));
  const auto b = opened(dir, "b.k3r", twin(2));
  const auto c = compare(a, b).value();
  EXPECT_EQ(c.join, Join::by_task);
  EXPECT_EQ(c.step.steps, 2);
  EXPECT_DOUBLE_EQ(c.step.measured_ms, 0.004);
  EXPECT_DOUBLE_EQ(c.step.simulated_ms, 0.003);
  EXPECT_EQ(c.prefill.steps, 1);
  ASSERT_EQ(c.rows.size(), 2U);
  EXPECT_EQ(c.rows[0].kind, TaskKind::kda);
  EXPECT_EQ(c.rows[0].layer, 0);
  EXPECT_DOUBLE_EQ(c.rows[0].measured_us, (1.0 + 3.0) / 2);
  EXPECT_DOUBLE_EQ(c.rows[0].simulated_us, (2.0 + 3.0) / 2);
  EXPECT_DOUBLE_EQ(c.rows[0].ratio, 1.25);
  EXPECT_EQ(c.rows[1].kind, TaskKind::dispatch);
  EXPECT_DOUBLE_EQ(c.rows[1].measured_us, (2.5 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(c.rows[1].measured_wait_us, 1.0);
  EXPECT_DOUBLE_EQ(c.rows[1].simulated_us, 0.5);
  EXPECT_DOUBLE_EQ(c.rows[1].simulated_wait_us, 0.0);
  EXPECT_EQ(c.prefill_rows.size(), 2U);
  // Three steps: 90 bytes measured, 70 simulated; the cell 1→1 differs by 20 of 90 / 4 per mean
  // cell.
  EXPECT_DOUBLE_EQ(c.traffic.measured_total, 270);
  EXPECT_DOUBLE_EQ(c.traffic.simulated_total, 210);
  EXPECT_DOUBLE_EQ(c.traffic.max_cell_error, 60.0 / 270 * 4);
  EXPECT_DOUBLE_EQ(c.a_balance, 1.5);
  EXPECT_DOUBLE_EQ(c.b_balance, 1.5);
  EXPECT_EQ(c.verdicts[0], "Decode step: measured 4 µs, simulated 3 µs (0.75×), mean of 2 steps.");
  EXPECT_EQ(c.verdicts[1], "Prefill step: measured 4 µs, simulated 3 µs (0.75×), mean of 1 step.");
  EXPECT_EQ(c.verdicts[2],
            "Largest difference per rank and step: dispatch, measured 1.5 µs, simulated 0.5 µs.");
  EXPECT_EQ(
      c.verdicts[3],
      "Traffic: measured 270 B, simulated 210 B; a pair of ranks differs by up to 88.9 % of the "
      "mean pair.");
  EXPECT_EQ(
      c.verdicts[4],
      "Busiest rank: 1.500× the mean tokens measured, 1.500× simulated, mean over 1 MoE layers.");
  EXPECT_EQ(c.verdicts[5], "Equal plans: joined task by task.");
  EXPECT_EQ(c.verdicts.size(), 6U);
}

TEST(Compare, CountsOnlyTasksThatBothRan_WhenJoinedByTask) {
  const test::TempDir dir;
  test::SampleRun partial = twin(1);
  partial.steps[1].spans.erase(partial.steps[1].spans.begin());  // KDA of rank 0 is missing
  const auto c =
      compare(opened(dir, "a.k3r", small_run(RunKind::measured, 1)), opened(dir, "b.k3r", partial))
          .value();
  EXPECT_DOUBLE_EQ(c.rows[0].measured_us, 3.0);
  EXPECT_DOUBLE_EQ(c.rows[0].simulated_us, 3.0);
}

TEST(Compare, JoinsDifferentPlansByStage) {
  const test::TempDir dir;
  test::SampleRun other = twin(3);
  other.header.plans[1].hash = 99;
  const auto c =
      compare(opened(dir, "a.k3r", small_run(RunKind::measured, 2)), opened(dir, "b.k3r", other))
          .value();
  EXPECT_EQ(c.join, Join::by_stage);
  EXPECT_EQ(c.step.steps, 2);
  ASSERT_EQ(c.rows.size(), 2U);
  EXPECT_DOUBLE_EQ(c.rows[0].simulated_us, 2.5);
  EXPECT_DOUBLE_EQ(c.traffic.simulated_total, 210);  // three of its four steps
  EXPECT_THAT(c.verdicts, Contains("Different plans: joined by kind, layer and stage."));
  EXPECT_THAT(c.verdicts, Contains("Decode steps: 2 beside 3, the first 2 are compared."));
}

TEST(Compare, FindsARunEqualToItself) {
  const test::TempDir dir;
  const auto a = opened(dir, "a.k3r", small_run(RunKind::measured, 2));
  const auto c = compare(a, a).value();
  EXPECT_DOUBLE_EQ(c.traffic.max_cell_error, 0);
  for (const ComparisonRow& row : c.rows)
    EXPECT_DOUBLE_EQ(row.ratio, 1);
  EXPECT_EQ(c.verdicts[0],
            "Decode step: first run 4 µs, second run 4 µs (1.00×), mean of 2 steps.");
  EXPECT_EQ(c.verdicts[2], "Every kind of task takes the same time in both.");
  EXPECT_THAT(c.verdicts[3], HasSubstr("every pair of ranks alike"));
}

TEST(Compare, TakesPrefillSteps_WithoutDecode) {
  const test::TempDir dir;
  const auto c =
      compare(opened(dir, "a.k3r", small_run(RunKind::measured, 0)), opened(dir, "b.k3r", twin(2)))
          .value();
  EXPECT_EQ(c.step.steps, 1);
  EXPECT_DOUBLE_EQ(c.step.measured_ms, 0.004);
  EXPECT_EQ(c.rows.size(), 2U);
  EXPECT_THAT(c.verdicts[0], HasSubstr("Prefill step: measured 4 µs"));
  EXPECT_THAT(c.verdicts, Contains("Only the second run has decode steps."));
}

TEST(Compare, SaysWhenThereIsNothingInCommon) {
  const test::TempDir dir;
  test::SampleRun decode = twin(1);
  decode.steps.erase(decode.steps.begin());
  const auto c =
      compare(opened(dir, "a.k3r", small_run(RunKind::measured, 0)), opened(dir, "b.k3r", decode))
          .value();
  EXPECT_EQ(c.step.steps, 0);
  EXPECT_TRUE(c.rows.empty());
  EXPECT_THAT(c.verdicts[0], HasSubstr("nothing to compare"));
  EXPECT_THAT(c.verdicts, Contains("Only the first run has prefill steps."));
}

TEST(Compare, SaysWhatDiffersBetweenTheRuns) {
  const test::TempDir dir;
  test::SampleRun other = small_run(RunKind::simulated, 1);
  other.header.num_ranks = 3;
  other.header.meta = {{"model", "maxi"}};
  for (StepRecord& step : other.steps) {
    step.traffic.clear();
    step.context = 7;
  }
  other.header.plans[0].hash = 1;
  const auto c = compare(opened(dir, "a.k3r", small_run(RunKind::measured, 1)),
                         opened(dir, "b.k3r", other, Ending::interrupted))
                     .value();
  EXPECT_EQ(c.traffic.num_ranks, 0);
  EXPECT_TRUE(c.traffic.measured_bytes.empty());
  EXPECT_DOUBLE_EQ(c.traffic.measured_total, 180);
  EXPECT_DOUBLE_EQ(c.b_balance, 2.25);  // 3 · 3 / 4
  EXPECT_THAT(c.verdicts, Contains("Different models: mini beside maxi."));
  EXPECT_THAT(c.verdicts, Contains("Different rank counts: 2 beside 3."));
  EXPECT_THAT(c.verdicts, Contains("Different steps: 2 tokens at context 101 beside 2 at 7."));
  EXPECT_THAT(c.verdicts, Contains("The second run was interrupted after 2 steps."));
  EXPECT_THAT(c.verdicts, Contains(HasSubstr("no matrix of 2 beside 3 ranks")));
}

}  // namespace
}  // namespace k3::query
