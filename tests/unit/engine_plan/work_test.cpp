#include "engine/plan/work.h"

#include <gtest/gtest.h>

#include "tests/support/shared_data.h"

namespace k3 {
namespace {

/// FLOPs of one token of the full K3 in one step, by kind, with everything on one rank.
class K3Work : public ::testing::Test {
 protected:
  void SetUp() override {
    const Result<ModelConfig> loaded =
        load_model_config(test::source_dir() / "data/model/kimi-k3.json");
    ASSERT_TRUE(loaded) << loaded.error().text();
    model = *loaded;
  }

  double flops(TaskKind kind, Phase phase, const StepShape& shape) const {
    const ExecutionSpec execution;
    const PrecisionSpec precision;
    const Plan plan = Plan::build({model, execution, shape});
    const std::vector<RankShape> ranks = shape.rank_shapes();
    RoutedShape routed;
    routed.copies_received = shape.num_tokens() * model.moe.top_k;
    double total = 0;
    for (const Task& task : plan.tasks()) {
      if (task.kind != kind) continue;
      total += task_work(model, precision, phase, task, ranks[0], routed).flops;
    }
    return total;
  }

  ModelConfig model;
};

// Expected values: published accounting of K3, FLOPs per token of a decode step at context 1,024
// (k3/numbers.json, flops_decode), summed as the plan's tasks group them.
TEST_F(K3Work, DecodeFlopsEqualTheModelsAccounting) {
  const StepShape shape = StepShape::uniform(Phase::decode, 1, 1, 1023, 1);
  const double kda = flops(TaskKind::kda, Phase::decode, shape);
  EXPECT_EQ(kda, 61214097408.0 + 759693312.0 + 20348928.0);
  EXPECT_EQ(flops(TaskKind::mla, Phase::decode, shape), 11145314304.0 + 5133828096.0);
  EXPECT_EQ(flops(TaskKind::router, Phase::decode, shape), 1181745152.0);
  EXPECT_EQ(flops(TaskKind::shared, Phase::decode, shape), 24310185984.0);
  EXPECT_EQ(flops(TaskKind::experts, Phase::decode, shape), 97240743936.0);
  EXPECT_EQ(flops(TaskKind::dense, Phase::decode, shape), 1453326336.0);
}

TEST_F(K3Work, PrefillAttentionIsTheExpandedForm) {
  const StepShape shape = StepShape::uniform(Phase::prefill, 1, 1, 0, 1024);
  const MlaConfig& m = model.mla;
  const double pairs = 1024.0 * 1025 / 2;
  const double kv_b = 2.0 * 1024 * m.heads * (m.nope + m.v_dim) * m.kv_lora;
  const double projections =
      2.0 * 1024 * (1536.0 * 7168 + 18432.0 * 1536 + 576.0 * 7168 + 2 * 12288.0 * 7168);
  EXPECT_EQ(flops(TaskKind::mla, Phase::prefill, shape),
            24 * (projections + kv_b + 2 * pairs * 96 * 320));
}

TEST_F(K3Work, ExpertWeightsAreReadOncePerTouchedExpert) {
  const ExecutionSpec execution;
  const Plan plan = Plan::build({model, execution, StepShape::uniform(Phase::decode, 1, 1, 0, 1)});
  RoutedShape routed;
  routed.experts_touched = 14;
  for (const Task& task : plan.tasks()) {
    if (task.kind != TaskKind::experts) continue;
    const TaskWork work =
        task_work(model, PrecisionSpec{}, Phase::decode, task, RankShape{}, routed);
    EXPECT_EQ(work.bytes_read, 14 * 17547264.0);  // bytes of one packed expert of the checkpoint
    EXPECT_EQ(work.rate, NumberFormat::mxfp8);
    return;
  }
  FAIL() << "no experts task";
}

}  // namespace
}  // namespace k3
