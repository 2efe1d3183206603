#include "sim/compute/host_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/host_tables.h"
#include "tests/support/tiny_model.h"

namespace k3::sim {
namespace {

using test::unit_tables;
using ::testing::HasSubstr;

Table& find(TableSet& set, std::string_view name) {
  return *std::ranges::find(set.tables, name, &Table::name);
}

double at(const HostSeconds& seconds, HostPart part) {
  return seconds[static_cast<std::size_t>(part)];
}

Task task(TaskKind kind, Stage stage) {
  Task result;
  result.kind = kind;
  result.stage = stage;
  result.layer = 1;
  return result;
}

class HostCostsTest : public ::testing::Test {
 protected:
  const ModelConfig model = test::tiny_model();
  const ExecutionSpec execution{.dispatch_dedup = false, .combine_reduce = CombineReduce::none};
  RankShape rank{
      .sequences = 2, .tokens = 2, .cache_tokens = 10, .attended_pairs = 10, .head_rows = 2};
  RoutedShape routed{.rows_sent = 4,
                     .rows_received = 4,
                     .copies_received = 4,
                     .experts_touched = 2,
                     .rows_returned = 4};
  const CallContext context{.model = model,
                            .execution = execution,
                            .phase = Phase::decode,
                            .rank = rank,
                            .routed = routed,
                            .slots = 4};
};

TEST_F(HostCostsTest, RouterIsAProductAndTheChoice) {
  const TableSet set = unit_tables();
  const auto costs = HostCosts::create(set, {.cores = 2, .ranks = 1});
  ASSERT_TRUE(costs) << costs.error().text();
  const HostCost cost = costs->task(context, task(TaskKind::router, Stage::whole), 0);
  // product: tokens · in · out, out in whole tiles of 16; route: tokens · experts.
  const double tiles = (model.moe.experts + 15) / 16 * 16;
  const double product = 2.0 * model.hidden * tiles;
  const double route = 2.0 * model.moe.experts;
  EXPECT_NEAR(at(cost.before, HostPart::kernels), (product + route) * 1e-6, 1e-15);
  EXPECT_NEAR(at(cost.before, HostPart::overhead), 1e-6, 1e-15);
  EXPECT_EQ(at(cost.before, HostPart::memory), 0);
  EXPECT_FALSE(cost.measured);  // beyond the single point of every table
  EXPECT_LT(cost.lower, cost.time());
  EXPECT_GT(cost.upper, cost.time());
}

TEST_F(HostCostsTest, WeightsComeFromMemoryWhereAStepDoesNotFitTheCache) {
  TableSet set = unit_tables();
  constexpr double kMiB = 1 << 20;
  find(set, "cold_read").axes = {{"cores", {1, 2}}};
  find(set, "cold_read").values = {kMiB, kMiB};  // 1 us per byte
  const Task logits = task(TaskKind::head, Stage::logits);
  const double bytes = 2.0 * model.vocab * model.hidden;
  const auto of = [&](double step_bytes, int ranks) {
    const auto costs = HostCosts::create(
        set, {.cores = 2, .cache_bytes = 1000, .ranks = ranks, .step_bytes = step_bytes});
    return at(costs->task(context, logits, 0).before, HostPart::memory);
  };
  EXPECT_EQ(of(1000, 1), 0);
  EXPECT_NEAR(of(1001, 1), bytes * 1e-6, 1e-12);
  EXPECT_NEAR(of(1001, 4), bytes / 4 * 1e-6, 1e-12);  // four ranks read the matrix once
}

TEST_F(HostCostsTest, BusyCoresSlowKernelsDown) {
  TableSet set = unit_tables();
  find(set, "crowding").axes = {{"cores", {1, 2}}};
  find(set, "crowding").values = {1, 1.5};
  const Task norm = task(TaskKind::norm, Stage::ffn);
  const auto of = [&](int ranks) {
    const auto costs = HostCosts::create(set, {.cores = 2, .ranks = ranks});
    return at(costs->task(context, norm, 0).before, HostPart::kernels);
  };
  EXPECT_NEAR(of(1), 2.0 * model.hidden * 1e-6, 1e-15);
  EXPECT_NEAR(of(2), of(1) * 1.5, 1e-15);
  EXPECT_NEAR(of(8), of(2), 1e-15);
}

TEST_F(HostCostsTest, ADispatchMeetsThreeTimes) {
  TableSet set = unit_tables();
  find(set, "all_to_all").values = {5};
  find(set, "exchange").axes = {{"ranks", {1}}, {"bytes", {100, 1000}}};
  find(set, "exchange").values = {10, 40};
  const auto costs = HostCosts::create(set, {.cores = 2, .ranks = 1});
  const HostCost cost = costs->task(context, task(TaskKind::dispatch, Stage::whole), 1000);
  // Counts 5 us; headers 4 · 12 B, below the first point: 10 us; rows 40 us, 30 of them copying.
  EXPECT_NEAR(at(cost.meet, HostPart::meeting), 25e-6, 1e-15);
  EXPECT_NEAR(at(cost.meet, HostPart::transfer), 30e-6, 1e-15);
  EXPECT_GT(at(cost.before, HostPart::packing), 0);
  EXPECT_EQ(at(cost.before, HostPart::kernels), 0);
  const HostCost back = costs->task(context, task(TaskKind::combine, Stage::whole), 100);
  EXPECT_NEAR(at(back.meet, HostPart::meeting), 10e-6, 1e-15);
  EXPECT_EQ(at(back.meet, HostPart::transfer), 0);
  EXPECT_GT(at(back.after, HostPart::packing), 0);
}

TEST_F(HostCostsTest, TheStepFactorMultipliesEveryPart) {
  const TableSet set = unit_tables();
  const auto plain = HostCosts::create(set, {.cores = 2, .ranks = 2});
  const auto doubled = HostCosts::create(set, {.cores = 2, .ranks = 2, .step_factor = 2});
  for (const Task& each :
       {task(TaskKind::router, Stage::whole), task(TaskKind::kda, Stage::project),
        task(TaskKind::dispatch, Stage::whole), task(TaskKind::combine, Stage::whole)}) {
    const HostCost once = plain->task(context, each, 100);
    const HostCost twice = doubled->task(context, each, 100);
    for (std::size_t i = 0; i < kNumHostParts; ++i) {
      EXPECT_EQ(twice.before[i], 2 * once.before[i]);
      EXPECT_EQ(twice.meet[i], 2 * once.meet[i]);
      EXPECT_EQ(twice.after[i], 2 * once.after[i]);
    }
    EXPECT_EQ(twice.lower, 2 * once.lower);
    EXPECT_EQ(twice.upper, 2 * once.upper);
  }
  EXPECT_EQ(doubled->start_seconds(), 2 * plain->start_seconds());
}

TEST_F(HostCostsTest, MissingTablesAreNamed) {
  TableSet set = unit_tables();
  find(set, "recurrence").name = "other";
  EXPECT_THAT(HostCosts::create(set, {}).error().text(), HasSubstr("table.recurrence: missing"));
  set = unit_tables();
  find(set, "exchange").axes.clear();
  EXPECT_THAT(HostCosts::create(set, {}).error().text(), HasSubstr("table.exchange: 0 axes"));
}

/// What the calls of a dense task compute is what the plan says that it computes.
TEST_F(HostCostsTest, ProductsAgreeWithThePlansWork) {
  const PrecisionSpec precision;
  for (const auto& [kind, stage] :
       {std::pair{TaskKind::kda, Stage::project}, std::pair{TaskKind::kda, Stage::output},
        std::pair{TaskKind::mla, Stage::project}, std::pair{TaskKind::mla, Stage::output},
        std::pair{TaskKind::latent, Stage::down}, std::pair{TaskKind::router, Stage::whole},
        std::pair{TaskKind::shared, Stage::whole}, std::pair{TaskKind::dense, Stage::whole},
        std::pair{TaskKind::head, Stage::logits}}) {
    double weights = 0;
    for (const OperatorCall& call : task_calls(context, task(kind, stage)).before)
      weights += call.shared_bytes * call.repeat;
    const TaskWork work =
        task_work(model, precision, Phase::decode, task(kind, stage), rank, routed);
    // bf16 weights: 2 bytes each, 2 FLOPs per token.
    EXPECT_DOUBLE_EQ(weights / 2 * 2 * static_cast<double>(rank.tokens), work.flops)
        << task_name(kind, stage);
  }
}

}  // namespace
}  // namespace k3::sim
