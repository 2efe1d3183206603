#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/query/costs.h"
#include "profiler/query/expert_load.h"
#include "profiler/query/recorded_routing.h"
#include "profiler/query/session_summary.h"
#include "profiler/query/sql.h"
#include "profiler/query/traffic.h"
#include "tests/unit/profiler_query/small_run.h"

namespace k3::query {
namespace {

using test::Ending;
using test::opened;
using test::small_run;
using test::TempDir;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Summary, TellsWhatTheRunWas) {
  const TempDir dir;
  const auto session = opened(dir, "a.k3r", small_run(RunKind::measured, 2));
  const auto summary = summarize(session).value();
  EXPECT_EQ(summary.kind, RunKind::measured);
  EXPECT_TRUE(summary.complete);
  EXPECT_EQ(summary.title, "small");
  EXPECT_EQ(summary.model, "mini");
  EXPECT_EQ(summary.machine, "local");
  EXPECT_EQ(summary.scenario, "[model]\n");
  EXPECT_EQ(summary.num_ranks, 2);
  EXPECT_EQ(summary.num_spans, 3 * 5);
  ASSERT_EQ(summary.steps.size(), 3U);
  EXPECT_EQ(summary.steps[2].context, 102);
  EXPECT_EQ(summary.steps[0].phase, Phase::prefill);
  ASSERT_EQ(summary.plans.size(), 2U);
  EXPECT_EQ(summary.plans[1].hash, "0000000000000012");
  EXPECT_EQ(summary.plans[1].tasks, 4);
  ASSERT_EQ(summary.memory.size(), 2U);
  EXPECT_EQ(summary.memory[0].what, "experts");
  EXPECT_EQ(summary.memory[0].max_bytes, 300);
  EXPECT_EQ(summary.memory[0].total_bytes, 400);
}

TEST(Summary, TellsThatARunWasInterrupted) {
  const TempDir dir;
  const auto session = opened(dir, "a.k3r", small_run(RunKind::measured, 1), Ending::interrupted);
  const auto summary = summarize(session).value();
  EXPECT_FALSE(summary.complete);
  EXPECT_EQ(summary.steps.size(), 2U);
}

TEST(LayerCosts, AreMeansOverStepsAndRanks) {
  const TempDir dir;
  test::SampleRun run = small_run(RunKind::measured, 2);
  run.steps[2].spans[0].duration_ns = 5000;  // KDA of rank 0 in the second decode step
  const auto session = opened(dir, "a.k3r", run);
  const auto costs = layer_costs(session).value();
  ASSERT_EQ(costs.size(), 4U);  // two phases, two groups
  const LayerCost& kda = costs[2];
  EXPECT_EQ(kda.phase, Phase::decode);
  EXPECT_EQ(kda.kind, TaskKind::kda);
  EXPECT_EQ(kda.stage, Stage::recur);
  EXPECT_EQ(kda.layer, 0);
  EXPECT_EQ(kda.steps, 2);
  EXPECT_DOUBLE_EQ(kda.mean_us, (1.0 + 3.0 + 5.0 + 3.0) / 4);
  EXPECT_DOUBLE_EQ(kda.slowest_rank_us, (3.0 + 5.0) / 2);
  EXPECT_DOUBLE_EQ(kda.wait_us, 0);
  const LayerCost& dispatch = costs[3];
  EXPECT_EQ(dispatch.kind, TaskKind::dispatch);
  EXPECT_DOUBLE_EQ(dispatch.mean_us, (2.5 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(dispatch.wait_us, 2.0 / 2);
  EXPECT_DOUBLE_EQ(dispatch.slowest_rank_us, 2.5);
}

TEST(StepBreakdown, SharesSumToOne) {
  const TempDir dir;
  const auto session = opened(dir, "a.k3r", small_run(RunKind::measured, 2));
  const auto kinds = step_breakdown(session).value();
  ASSERT_EQ(kinds.size(), 4U);
  EXPECT_EQ(kinds[2].kind, TaskKind::kda);
  EXPECT_DOUBLE_EQ(kinds[2].mean_us, 2.0);  // (1 + 3) / 2
  EXPECT_DOUBLE_EQ(kinds[3].mean_us, 1.5);  // (2.5 + 0.5) / 2
  EXPECT_DOUBLE_EQ(kinds[3].wait_us, 1.0);
  EXPECT_DOUBLE_EQ(kinds[2].share, 2.0 / 3.5);
  EXPECT_DOUBLE_EQ(kinds[3].share, 1.5 / 3.5);
}

TEST(RankTimes, SeparateWaitingFromMoving) {
  const TempDir dir;
  for (const Ending ending : {Ending::finished, Ending::interrupted}) {
    const auto session = opened(dir, std::to_string(static_cast<int>(ending)),
                                small_run(RunKind::measured, 1), ending);
    const auto ranks = rank_times(session).value();  // two steps
    ASSERT_EQ(ranks.size(), 2U);
    EXPECT_DOUBLE_EQ(ranks[0].compute_us, 2.0);
    EXPECT_DOUBLE_EQ(ranks[0].wait_us, 4.0);
    EXPECT_DOUBLE_EQ(ranks[0].transfer_us, 1.0);
    EXPECT_DOUBLE_EQ(ranks[1].compute_us, 6.0);
    EXPECT_DOUBLE_EQ(ranks[1].wait_us, 0.0);
  }
}

TEST(Traffic, SumsWhatTheFilterLetsThrough) {
  const TempDir dir;
  for (const Ending ending : {Ending::finished, Ending::interrupted}) {
    const auto session = opened(dir, std::to_string(static_cast<int>(ending)),
                                small_run(RunKind::measured, 2), ending);
    const auto all = traffic_matrix(session, {}).value();  // 3 steps, both directions
    EXPECT_EQ(all.exchanges, 6);
    EXPECT_THAT(all.bytes, ElementsAre(3 * 30, 3 * 10, 3 * 20, 3 * 30));
    EXPECT_EQ(all.total_bytes(), 270U);
    TrafficFilter filter;
    filter.direction = Direction::dispatch;
    EXPECT_THAT(traffic_matrix(session, filter)->rows, ElementsAre(3, 3, 0, 3));
    filter.phase = Phase::decode;
    const auto decode = traffic_matrix(session, filter).value();
    EXPECT_EQ(decode.exchanges, 2);
    EXPECT_THAT(decode.copies, ElementsAre(2, 2, 0, 4));
    filter.step = 2;
    EXPECT_THAT(traffic_matrix(session, filter)->copies, ElementsAre(1, 1, 0, 2));
    filter.layer = 0;
    EXPECT_EQ(traffic_matrix(session, filter)->exchanges, 0);
  }
}

TEST(Traffic, TransferTimesArePerRank) {
  const TempDir dir;
  const auto session = opened(dir, "a.k3r", small_run(RunKind::measured, 2));
  const auto all = transfer_times(session, {}).value();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_DOUBLE_EQ(all[0].wait_us, 6.0);
  EXPECT_DOUBLE_EQ(all[1].move_us, 1.5);
  TrafficFilter combine;
  combine.direction = Direction::combine;
  EXPECT_DOUBLE_EQ(transfer_times(session, combine)->at(0).move_us, 0.0);
}

TEST(ExpertLoad, IsCountedPerExpertAndRank) {
  const TempDir dir;
  for (const Ending ending : {Ending::finished, Ending::interrupted}) {
    const auto session = opened(dir, std::to_string(static_cast<int>(ending)),
                                small_run(RunKind::measured, 2), ending);
    const auto load = expert_load(session, 1).value();
    EXPECT_THAT(load.expert_tokens, ElementsAre(3, 0, 6, 3));
    EXPECT_THAT(load.rank_tokens, ElementsAre(3, 9));
    EXPECT_DOUBLE_EQ(load.rank_balance, 1.5);    // 9 / (12 / 2)
    EXPECT_DOUBLE_EQ(load.expert_balance, 2.0);  // 6 / (12 / 4)
    EXPECT_EQ(expert_loads(session)->size(), 1U);
    const auto absent = expert_load(session, 7);
    ASSERT_FALSE(absent);
    EXPECT_EQ(absent.error().code, Code::not_found);
  }
}

TEST(ExpertLoad, IsOneWithoutLoad) {
  EXPECT_DOUBLE_EQ(max_over_mean({}), 1.0);
  EXPECT_DOUBLE_EQ(max_over_mean({0, 0}), 1.0);
  EXPECT_DOUBLE_EQ(max_over_mean({4, 0, 0, 0}), 4.0);
}

TEST(RecordedRouting, ComesBackStepByStep) {
  const TempDir dir;
  const auto session = opened(dir, "a.k3r", small_run(RunKind::measured, 1));
  const auto steps = read_routing(session).value();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[1].num_layers, 1);
  EXPECT_EQ(steps[1].num_tokens, 2);
  EXPECT_THAT(steps[1].choice(0, 1), ElementsAre(2, 3));
}

TEST(RecordedRouting, IsAnError_WhenAbsentOrContradictory) {
  const TempDir dir;
  test::SampleRun run = small_run(RunKind::measured, 1);
  run.steps[1].routing.push_back({2, 1, 2, {0, 1}});  // one token less than in layer 1
  EXPECT_EQ(read_routing(opened(dir, "a.k3r", run)).error().code, Code::corrupt);
  run.steps[1].routing.clear();
  const auto error = read_routing(opened(dir, "b.k3r", run)).error();
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_THAT(error.message, HasSubstr("step 1"));
}

std::vector<std::string> texts(const std::vector<SqlCell>& row) {
  std::vector<std::string> out;
  for (const SqlCell& cell : row)
    out.push_back(cell.text);
  return out;
}

TEST(Sql, YieldsEveryType) {
  const TempDir dir;
  const auto session = opened(dir, "a.k3r", small_run(RunKind::measured, 2));
  const auto table =
      run_sql(session, "SELECT 1 AS one, 2.5, 'text', NULL, copies FROM traffic LIMIT 1; ").value();
  EXPECT_EQ(table.columns[0], "one");
  ASSERT_EQ(table.rows.size(), 1U);
  const std::vector<SqlCell>& row = table.rows[0];
  EXPECT_THAT(texts(row), ElementsAre("1", "2.5", "text", "NULL", "(16 bytes)"));
  using store::ValueType;
  EXPECT_EQ(row[0].type, ValueType::integer);
  EXPECT_EQ(row[0].integer, 1);
  EXPECT_EQ(row[1].type, ValueType::real);
  EXPECT_EQ(row[1].real, 2.5);
  EXPECT_EQ(row[2].type, ValueType::text);
  EXPECT_EQ(row[3].type, ValueType::null);
  EXPECT_EQ(row[4].type, ValueType::blob);
  EXPECT_EQ(row[4].integer, 16);
  EXPECT_FALSE(table.cut);
  EXPECT_EQ(run_sql(session, "PRAGMA table_info(span)")->rows.size(), 13U);
  EXPECT_EQ(run_sql(session, "SELECT * FROM v_layer_cost")->rows.size(), 4U);
}

TEST(Sql, CutsLongAnswers) {
  const TempDir dir;
  const auto session = opened(dir, "a.k3r", small_run(RunKind::measured, 2));
  const auto table = run_sql(session, "SELECT 'ab\u00e9cd', span_id FROM span ORDER BY 2",
                             {.rows = 3, .cell_bytes = 3})
                         .value();
  EXPECT_TRUE(table.cut);
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[2][0].text, "ab…");  // é takes bytes 2 and 3
  EXPECT_FALSE(run_sql(session, "SELECT 1", {.rows = 1})->cut);
}

TEST(Sql, RefusesEverythingButReading) {
  const TempDir dir;
  const auto session = opened(dir, "a.k3r", small_run(RunKind::measured, 2));
  for (const char* sql :
       {"DELETE FROM span", "INSERT INTO meta VALUES ('a', 'b')", "CREATE TEMP TABLE t (x)",
        "DROP TABLE span", "ATTACH '/dev/null' AS other", "PRAGMA journal_mode = DELETE",
        "PRAGMA user_version = 7", "PRAGMA writable_schema = 1", "VACUUM INTO 'copy.k3r'", "BEGIN",
        "COMMIT"}) {
    const auto refused = run_sql(session, sql);
    ASSERT_FALSE(refused) << sql;
    EXPECT_EQ(refused.error().code, Code::invalid_input) << sql;
    EXPECT_THAT(refused.error().message, HasSubstr("does not only read")) << sql;
  }
  EXPECT_THAT(run_sql(session, "SELECT load_extension('x')").error().message,
              HasSubstr("not authorized"));
  EXPECT_THAT(run_sql(session, "SELECT velocity FROM span").error().message,
              HasSubstr("no such column"));
  EXPECT_THAT(run_sql(session, "SELECT 1; SELECT 2").error().message, HasSubstr("more than one"));
  EXPECT_THAT(run_sql(session, "  ").error().message, HasSubstr("no SQL statement"));
  EXPECT_EQ(run_sql(session, "SELECT count(*) FROM span")->rows[0][0].integer, 15);
}

TEST(Sql, StopsWhatDoesNotEnd) {
  const TempDir dir;
  const auto session = opened(dir, "a.k3r", small_run(RunKind::measured, 1));
  const auto endless = run_sql(session,
                               "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                               "SELECT count(*) FROM n",
                               {.seconds = 0.01});
  ASSERT_FALSE(endless);
  EXPECT_THAT(endless.error().message, HasSubstr("took longer"));
  EXPECT_TRUE(run_sql(session, "SELECT 1"));
}

}  // namespace
}  // namespace k3::query
