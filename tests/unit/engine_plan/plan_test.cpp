#include "engine/plan/plan.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/tiny_model.h"

namespace k3 {
namespace {

using test::tiny_model;

Plan build(const ModelConfig& model, int ranks, Overlap overlap = Overlap::none) {
  ExecutionSpec execution;
  execution.overlap = overlap;
  return Plan::build({model, execution, StepShape::uniform(Phase::decode, ranks, 2, 10, 1)});
}

TEST(Plan, EveryRankHasTheSameTasksInTheSameOrder) {
  const ModelConfig model = tiny_model();
  const Plan plan = build(model, 3);
  const auto first = plan.rank_tasks(0);
  for (int rank = 0; rank < 3; ++rank) {
    const auto tasks = plan.rank_tasks(rank);
    ASSERT_EQ(tasks.size(), first.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      EXPECT_EQ(tasks[i].rank, rank);
      EXPECT_EQ(tasks[i].kind, first[i].kind);
      EXPECT_EQ(tasks[i].layer, first[i].layer);
      EXPECT_EQ(tasks[i].collective, first[i].collective);
    }
  }
}

TEST(Plan, DependenciesPointBackwardsWithinTheRank) {
  for (const Overlap overlap : {Overlap::none, Overlap::shared_expert}) {
    const ModelConfig model = tiny_model();
    const Plan plan = build(model, 2, overlap);
    for (std::size_t id = 0; id < plan.tasks().size(); ++id) {
      const Task& task = plan.tasks()[id];
      EXPECT_EQ(task.num_dependencies == 0, task.kind == TaskKind::embed);
      for (const std::int32_t d : plan.dependencies(task)) {
        EXPECT_LT(d, static_cast<std::int32_t>(id));
        EXPECT_EQ(plan.tasks()[static_cast<std::size_t>(d)].rank, task.rank);
      }
    }
  }
}

TEST(Plan, EveryMoeLayerDispatchesAndCombinesOncePerRank) {
  const ModelConfig model = tiny_model();  // layer 0 dense, layers 1..3 MoE
  const Plan plan = build(model, 2);
  EXPECT_EQ(plan.num_collectives(), 2 * 3);
  std::map<int, std::set<int>> ranks_of;
  for (const Task& task : plan.tasks()) {
    EXPECT_EQ(task.collective >= 0, is_communication(task.kind));
    if (task.collective < 0) continue;
    EXPECT_TRUE(ranks_of[task.collective].insert(task.rank).second);
  }
  for (const auto& [collective, ranks] : ranks_of)
    EXPECT_EQ(ranks.size(), 2U) << collective;
  EXPECT_EQ(plan.moe_index(0), -1);
  EXPECT_EQ(plan.moe_index(1), 0);
  EXPECT_EQ(plan.moe_index(3), 2);
}

TEST(Plan, SharedExpertsMayRunBesideTransfersOnlyWithOverlap) {
  const ModelConfig model = tiny_model();
  for (const Overlap overlap : {Overlap::none, Overlap::shared_expert}) {
    const Plan plan = build(model, 1, overlap);
    for (const Task& task : plan.tasks()) {
      if (task.kind != TaskKind::shared) continue;
      const std::int32_t before = plan.dependencies(task)[0];
      const TaskKind kind = plan.tasks()[static_cast<std::size_t>(before)].kind;
      EXPECT_EQ(kind, overlap == Overlap::none ? TaskKind::combine : TaskKind::norm);
    }
  }
}

TEST(Plan, HashFollowsRanksAndShapeAndNothingElse) {
  const ModelConfig model = tiny_model();
  EXPECT_EQ(build(model, 2).hash(), build(model, 2).hash());
  EXPECT_NE(build(model, 2).hash(), build(model, 3).hash());
  EXPECT_NE(build(model, 2).hash(), build(model, 2, Overlap::shared_expert).hash());
  ExecutionSpec other;
  other.dispatch_dedup = false;
  const Plan same = Plan::build({model, other, StepShape::uniform(Phase::decode, 2, 2, 10, 1)});
  EXPECT_EQ(build(model, 2).hash(), same.hash());
}

TEST(StepShape, SequencesBelongToRankModuloRanks) {
  const StepShape shape = StepShape::uniform(Phase::prefill, 3, 2, 0, 4);
  ASSERT_EQ(shape.sequences.size(), 6U);
  EXPECT_EQ(shape.sequences[4].rank, 1);
  EXPECT_EQ(shape.num_tokens(), 24);
  const auto ranks = shape.rank_shapes();
  EXPECT_EQ(ranks[1].tokens, 8);
  EXPECT_EQ(ranks[1].attended_pairs, 2 * (1 + 2 + 3 + 4));
  EXPECT_EQ(ranks[1].head_rows, 2);
  EXPECT_EQ(shape.owner_ranks()[4], 1);
  EXPECT_EQ(shape.advanced(2).sequences[0].context, 8);
  EXPECT_EQ(shape.advanced(2).token_positions()[1].position, 9);
}

}  // namespace
}  // namespace k3
