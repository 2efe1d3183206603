#include "sim/executor/host_step.h"

#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/host_tables.h"
#include "tests/unit/sim_executor/run_builder.h"

namespace k3::sim {
namespace {

using test::FinishedRun;
using test::TinyRun;

class HostStep : public ::testing::Test {
 protected:
  FinishedRun run(int ranks, int cores, Phase phase = Phase::decode, double step_factor = 1) {
    TinyRun tiny(StepShape::uniform(phase, ranks, 2, phase == Phase::decode ? 20 : 0,
                                    phase == Phase::decode ? 1 : 5));
    tiny.set_execution({.dispatch_dedup = false, .combine_reduce = CombineReduce::none});
    const HostInput host{.set = set, .cores = cores, .cache_bytes = 1, .step_factor = step_factor};
    SimulationInput input = tiny.input();
    input.host = &host;
    return test::simulate(input);
  }

  static double total(const SimulationSummary& summary) {
    const auto parts = summary.host_ms();
    return std::accumulate(parts.begin(), parts.end(), 0.0,
                           [](double sum, const auto& part) { return sum + part.second; });
  }

  TableSet set = test::unit_tables();
};

TEST_F(HostStep, SharesSumToTheStep) {
  for (const Phase phase : {Phase::prefill, Phase::decode}) {
    for (const int ranks : {1, 3, 4}) {
      const FinishedRun finished = run(ranks, 2, phase);
      ASSERT_EQ(finished.summary.steps.size(), 1u);
      const double step_ms = finished.summary.step_ms();
      EXPECT_GT(step_ms, 0);
      EXPECT_NEAR(total(finished.summary), step_ms, step_ms * 1e-9);
      EXPECT_EQ(finished.summary.steps[0].breakdown.total(), finished.summary.steps[0].time);
      EXPECT_DOUBLE_EQ(finished.summary.mean_ms(phase), step_ms);
    }
  }
}

/// Cores are shared in proportion, so a step is as much longer as each of its tasks.
TEST_F(HostStep, TheFactorMultipliesTheStepExactly) {
  for (const Phase phase : {Phase::prefill, Phase::decode}) {
    for (const int ranks : {1, 3}) {
      const Time once = run(ranks, 2, phase).summary.steps[0].time;
      EXPECT_NEAR(static_cast<double>(run(ranks, 2, phase, 1.25).summary.steps[0].time.ps),
                  1.25 * static_cast<double>(once.ps), 1e-9 * static_cast<double>(once.ps));
    }
  }
}

TEST_F(HostStep, GpusHaveNoShares) {
  TinyRun tiny(StepShape::uniform(Phase::decode, 2, 2, 20, 1));
  EXPECT_TRUE(test::simulate(tiny.input()).summary.host_ms().empty());
}

TEST_F(HostStep, SpansOfARankNeverOverlapAndPackingComesBeforeWaiting) {
  const FinishedRun finished = run(3, 2);
  std::map<std::int32_t, std::int64_t> end_of_rank;
  int packed = 0;
  for (const Span& span : finished.steps[0].spans) {
    std::int64_t& end = end_of_rank[span.lane / 2];
    EXPECT_GE(span.begin_ns, end) << span.task;
    end = span.begin_ns + span.duration_ns;
    if (span.category == SpanCategory::memory) ++packed;
  }
  EXPECT_EQ(packed, 3 * 3 * 2);  // ranks, MoE layers, dispatch and combine
  for (const TransferRecord& transfer : finished.steps[0].transfers)
    EXPECT_GT(transfer.move_ns, 0);
}

TEST_F(HostStep, FewerCoresTakeLonger) {
  for (Table& table : set.tables) {
    if (table.name != "crowding" && table.name != "cold_read" && table.name != "task") continue;
    table.axes[0].points = {1, 4};  // alike however many cores are busy
    table.values = {1, 1};
  }
  const double four = run(4, 4).summary.step_ms();
  const double two = run(4, 2).summary.step_ms();
  const double one = run(4, 1).summary.step_ms();
  EXPECT_GT(two, four);
  EXPECT_GT(one, two);
  EXPECT_LT(one, 4 * four);  // what is no work of a core does not grow
}

TEST_F(HostStep, AMissingTableEndsTheRun) {
  std::erase_if(set.tables, [](const Table& table) { return table.name == "expert"; });
  TinyRun tiny(StepShape::uniform(Phase::decode, 1, 1, 0, 1));
  const HostInput host{.set = set};
  SimulationInput input = tiny.input();
  input.host = &host;
  test::CollectingSink sink;
  const auto summary = sim::run(input, sink);
  ASSERT_FALSE(summary);
  EXPECT_THAT(summary.error().text(), ::testing::HasSubstr("table.expert"));
}

}  // namespace
}  // namespace k3::sim
