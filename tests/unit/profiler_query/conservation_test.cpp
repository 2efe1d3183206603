#include "profiler/query/conservation.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/profiler_query/small_run.h"

namespace k3::query {
namespace {

using test::opened;
using test::small_run;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Conservation, HoldsForASoundRun) {
  const test::TempDir dir;
  const auto report = conservation(opened(dir, "a.k3r", small_run(RunKind::measured, 2))).value();
  EXPECT_TRUE(report.holds()) << report.violations.front();
  EXPECT_EQ(report.tokens, 6);
  EXPECT_EQ(report.copies, 6 * 2);
  EXPECT_EQ(report.rows, 3 * 3);
  EXPECT_EQ(report.top_k, 2);
  EXPECT_EQ(report.moe_layers, 1);
  EXPECT_EQ(report.dispatch_row_bytes, 10);
  EXPECT_EQ(report.combine_row_bytes, 20);
  // Per step: two matrices with two cell checks, copies and row size each; return; load against
  // dispatch and slots; tokens and load of the choices; number of layers.
  EXPECT_EQ(report.checks, 3 * (2 * 4 + 1 + 2 + 2 + 1));
}

TEST(Conservation, ChecksNothing_WithoutTraffic) {
  const test::TempDir dir;
  test::SampleRun run = small_run(RunKind::imported, 1);
  for (StepRecord& step : run.steps) {
    step.traffic.clear();
    step.expert_load.clear();
    step.routing.clear();
  }
  const auto report = conservation(opened(dir, "a.k3r", run)).value();
  EXPECT_EQ(report.checks, 0);
}

struct Damage {
  const char* name;
  std::function<void(StepRecord&)> apply;
  const char* sentence;
};

TEST(Conservation, FindsEveryKindOfViolation) {
  const test::TempDir dir;
  const std::vector<Damage> damages{
      {"copies", [](StepRecord& s) { ++s.traffic[0].copies[2]; },
       "5 copies for 2 tokens of 2 choices"},
      {"rows", [](StepRecord& s) { s.traffic[0].rows[1] = 2; }, "moves 2 rows for 1 copies"},
      {"bytes", [](StepRecord& s) { s.traffic[0].bytes[3] = 11; }, "moves 11 bytes in 1 rows"},
      {"idle bytes", [](StepRecord& s) { s.traffic[0].bytes[2] = 1; }, "moves 1 bytes in 0 rows"},
      {"row size", [](StepRecord& s) { s.traffic[1].bytes = {21, 0, 21, 21}; },
       "rows of 21 bytes, 20 are right"},
      {"return", [](StepRecord& s) { std::swap(s.traffic[1].copies[1], s.traffic[1].copies[2]); },
       "do not all return"},
      {"load", [](StepRecord& s) { ++s.expert_load[0].expert_tokens[1]; },
       "experts have 5 copies, 4"},
      {"slots", [](StepRecord& s) { --s.expert_load[0].slot_tokens[2]; },
       "slots have 3 copies, experts 4"},
      {"choices", [](StepRecord& s) { s.routing[0].experts[0] = 1; }, "are not the experts' load"},
      {"unknown expert", [](StepRecord& s) { s.routing[0].experts[0] = 9; },
       "are not the experts' load"},
      {"tokens", [](StepRecord& s) { s.tokens = 3; }, "2 tokens were routed, the step has 3"},
      {"layers",
       [](StepRecord& s) {
         for (std::size_t i = 0; i < 2; ++i) {
           s.traffic.push_back(s.traffic[i]);
           s.traffic.back().layer = 2;
         }
       },
       "2 layers were dispatched, 1 are MoE layers"}};
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.name);
    test::SampleRun run = small_run(RunKind::measured, 3);
    damage.apply(run.steps[2]);
    const auto report = conservation(opened(dir, damage.name, run)).value();
    EXPECT_FALSE(report.holds());
    EXPECT_THAT(report.violations,
                Contains(AllOf(HasSubstr("step 2"), HasSubstr(damage.sentence))));
  }
}

TEST(Conservation, BelievesWhatTheRunSaysOfItself) {
  const test::TempDir dir;
  test::SampleRun run = small_run(RunKind::measured, 0);
  run.header.meta.insert(run.header.meta.end(), {{"top_k", "3"}, {"moe_layers", "2"}});
  const auto report = conservation(opened(dir, "a.k3r", run)).value();
  EXPECT_EQ(report.num_violations, 3);  // copies of both directions, number of layers
  EXPECT_THAT(report.violations,
              ElementsAre(HasSubstr("4 copies for 2 tokens of 3 choices"),
                          HasSubstr("4 copies for 2 tokens of 3 choices"),
                          HasSubstr("1 layers were dispatched, 2 are MoE layers")));
}

}  // namespace
}  // namespace k3::query
