#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "engine/plan/work.h"
#include "engine/routing/traffic.h"
#include "tests/unit/engine_runtime/tiny_run.h"

namespace k3::test {
namespace {

std::uint64_t sum(const auto& values) {
  std::uint64_t total = 0;
  for (const auto value : values)
    total += value;
  return total;
}

struct Setting {
  bool dedup = true;
  CombineReduce reduce = CombineReduce::none;
  bool replicated = false;
};

class Record : public testing::TestWithParam<Setting> {
 protected:
  static constexpr int kRanks = 4;

  void SetUp() override {
    const Setting setting = GetParam();
    if (setting.replicated) placement = replicated_placement(model, kRanks);
    const auto run = run_generation(
        model, WeightStore::synthetic(model, 3), tiny_request(),
        {.ranks = kRanks,
         .execution = {.dispatch_dedup = setting.dedup, .combine_reduce = setting.reduce},
         .placement = &placement,
         .dumps = false});
    ASSERT_TRUE(run) << run.error().text();
    steps = run->steps;
    plans = run->plans;
  }

  ModelConfig model = tiny_model();
  Placement placement = Placement::contiguous(4, 30, kRanks);
  std::vector<StepRecord> steps;
  std::vector<Plan> plans;
};

/// The step's choices as the executor recorded them.
StepRouting routing_of(const StepRecord& step, int top_k) {
  StepRouting routing(static_cast<int>(step.routing.size()), static_cast<int>(step.tokens), top_k);
  auto to = routing.experts.begin();
  for (const RoutingRecord& layer : step.routing)
    to = std::ranges::copy(layer.experts, to).out;
  return routing;
}

TEST_P(Record, TrafficIsWhatTheChoicesSay) {
  const Setting setting = GetParam();
  // Prompt, three forced tokens, two greedy ones.
  ASSERT_EQ(steps.size(), 6U);
  const GenerateRequest request = tiny_request();
  for (const StepRecord& step : steps) {
    StepShape shape = plans[static_cast<std::size_t>(step.plan)].shape();
    if (step.phase == Phase::decode) {
      shape = shape.advanced(step.step <= 3 ? step.step - 1 : step.step - 4);
    }
    const StepRouting routing = routing_of(step, model.moe.top_k);
    const auto tokens = shape.token_positions();
    const auto owners = shape.owner_ranks();
    ASSERT_EQ(step.traffic.size(), 8U);
    for (int moe = 0; moe < 4; ++moe) {
      const LayerTraffic expected =
          count_traffic({.routing = routing,
                         .moe_layer = moe,
                         .placement = placement,
                         .tokens = tokens,
                         .owner_rank = owners,
                         .dispatch = setting.dedup ? RowCount::per_rank : RowCount::per_copy,
                         .combine = setting.reduce == CombineReduce::rank ? RowCount::per_rank
                                                                          : RowCount::per_copy});
      const TrafficRecord& dispatch = step.traffic[static_cast<std::size_t>(2 * moe)];
      const TrafficRecord& combine = step.traffic[static_cast<std::size_t>(2 * moe) + 1];
      EXPECT_EQ(dispatch.direction, Direction::dispatch);
      EXPECT_EQ(dispatch.layer, moe + 1);
      EXPECT_EQ(dispatch.copies, expected.dispatch.copies);
      EXPECT_EQ(dispatch.rows, expected.dispatch.rows);
      EXPECT_EQ(combine.copies, expected.combine.copies);
      EXPECT_EQ(combine.rows, expected.combine.rows);
      const ExpertLoadRecord& load = step.expert_load[static_cast<std::size_t>(moe)];
      EXPECT_EQ(load.expert_tokens, expected.expert_tokens);
      EXPECT_EQ(load.slot_tokens, expected.slot_tokens);
    }
  }
}

TEST_P(Record, CopiesAndBytesAreConserved) {
  for (const StepRecord& step : steps) {
    const auto copies = static_cast<std::uint64_t>(step.tokens * model.moe.top_k);
    for (const TrafficRecord& traffic : step.traffic) {
      EXPECT_EQ(sum(traffic.copies), copies);
      EXPECT_LE(sum(traffic.rows), copies);
      // A float32 row of the latent width 32.
      EXPECT_EQ(sum(traffic.bytes), sum(traffic.rows) * 32 * 4);
    }
    for (const ExpertLoadRecord& load : step.expert_load) {
      EXPECT_EQ(sum(load.expert_tokens), copies);
      EXPECT_EQ(sum(load.slot_tokens), copies);
    }
  }
}

TEST_P(Record, EveryTaskHasItsSpans) {
  for (const StepRecord& step : steps) {
    const Plan& plan = plans[static_cast<std::size_t>(step.plan)];
    std::map<std::int32_t, std::multiset<SpanCategory>> categories;
    std::map<std::int32_t, std::vector<const Span*>> lanes;
    for (const Span& span : step.spans) {
      categories[span.task].insert(span.category);
      lanes[span.lane].push_back(&span);
      const Task& task = plan.tasks()[static_cast<std::size_t>(span.task)];
      EXPECT_EQ(span.layer, task.layer);
      EXPECT_EQ(span.name, task_name_id(task.kind, task.stage));
      EXPECT_EQ(span.lane / 2, task.rank);
      EXPECT_EQ(span.lane % 2, task.lane == TaskLane::communication ? 1 : 0);
      EXPECT_GE(span.begin_ns, step.begin_ns);
      EXPECT_LE(span.begin_ns + span.duration_ns, step.begin_ns + step.duration_ns);
    }
    ASSERT_EQ(categories.size(), plan.tasks().size());
    using enum SpanCategory;
    for (const auto& [task, found] : categories) {
      const TaskKind kind = plan.tasks()[static_cast<std::size_t>(task)].kind;
      std::multiset<SpanCategory> expected{compute};
      if (kind == TaskKind::dispatch) expected = {memory, wait, transfer};
      if (kind == TaskKind::combine) expected = {memory, wait, transfer, compute};
      EXPECT_EQ(found, expected) << name_of(kind);
    }
    for (auto& [lane, spans] : lanes) {
      std::int64_t end = step.begin_ns;
      for (const Span* span : spans) {
        EXPECT_GE(span->begin_ns, end);
        end = span->begin_ns + span->duration_ns;
      }
    }
  }
}

TEST_P(Record, TransfersAddUpToTheirSpans) {
  for (const StepRecord& step : steps) {
    EXPECT_EQ(step.transfers.size(), 2U * 4 * kRanks);
    std::int64_t transfers = 0;
    std::int64_t spans = 0;
    double bytes = 0;
    std::uint64_t moved = 0;
    for (const TransferRecord& transfer : step.transfers)
      transfers += transfer.wait_ns + transfer.move_ns;
    for (const Span& span : step.spans) {
      if (span.category == SpanCategory::wait) spans += span.duration_ns;
      if (span.category != SpanCategory::transfer) continue;
      spans += span.duration_ns;
      bytes += span.bytes;
    }
    for (const TrafficRecord& traffic : step.traffic)
      moved += sum(traffic.bytes);
    EXPECT_EQ(transfers, spans);
    EXPECT_EQ(bytes, static_cast<double>(moved));
  }
}

INSTANTIATE_TEST_SUITE_P(Settings,
                         Record,
                         testing::Values(Setting{},
                                         Setting{.dedup = false},
                                         Setting{.reduce = CombineReduce::rank},
                                         Setting{.dedup = false, .reduce = CombineReduce::rank},
                                         Setting{.replicated = true},
                                         Setting{.reduce = CombineReduce::rank,
                                                 .replicated = true}));

TEST(RecordSteps, FollowEachOtherAndCountWhatTheyRan) {
  const ModelConfig model = tiny_model();
  const auto run = run_generation(model, WeightStore::synthetic(model, 3), tiny_request(),
                                  {.ranks = 2, .dumps = false});
  ASSERT_TRUE(run) << run.error().text();
  const auto& steps = run->steps;
  ASSERT_EQ(steps.size(), 6U);
  EXPECT_EQ(std::ssize(steps), num_steps(tiny_request()));
  EXPECT_EQ(steps[0].phase, Phase::prefill);
  EXPECT_EQ(steps[0].tokens, 15);
  EXPECT_EQ(steps[0].sequences, 3);
  EXPECT_EQ(steps[0].context, 0);
  std::int64_t end = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].step, static_cast<std::int32_t>(i));
    EXPECT_EQ(steps[i].plan, i == 0 ? 0 : 1);
    EXPECT_GE(steps[i].begin_ns, end);
    end = steps[i].begin_ns + steps[i].duration_ns;
  }
  EXPECT_EQ(steps[3].context, 9 + 2);
  EXPECT_EQ(steps[4].context, 9);
  EXPECT_EQ(executor_lanes(2).size(), 4U);
}

}  // namespace
}  // namespace k3::test
