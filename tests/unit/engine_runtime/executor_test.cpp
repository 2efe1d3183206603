#include "engine/runtime/executor.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "engine/comm/thread_communicator.h"
#include "kernels/reference/reference_backend.h"
#include "tests/unit/engine_runtime/golden_case.h"
#include "tests/unit/engine_runtime/tiny_run.h"

namespace k3::test {
namespace {

using Names = std::vector<std::string>;

class TinyExecutor : public testing::Test {
 protected:
  RunResult run(const RunOptions& options) { return run(request, options); }

  RunResult run(const GenerateRequest& what, const RunOptions& options) {
    auto result = run_generation(model, weights, what, options);
    EXPECT_TRUE(result) << result.error().text();
    return result ? *std::move(result) : RunResult{};
  }

  ModelConfig model = tiny_model();
  WeightStore weights = WeightStore::synthetic(model, 7);
  GenerateRequest request = tiny_request();
};

TEST_F(TinyExecutor, SameBitsAtEveryRankCount) {
  const RunResult one = run({.ranks = 1});
  ASSERT_FALSE(one.dump.empty());
  // 7 ranks do not divide 30 experts; at 4 and more, ranks are left without a sequence.
  for (const int ranks : {2, 3, 4, 7, 30}) {
    EXPECT_EQ(differing_tensors(one.dump, run({.ranks = ranks}).dump), Names{}) << ranks;
  }
}

TEST_F(TinyExecutor, SameBitsWithAndWithoutDedup) {
  const RunResult with = run({.ranks = 3});
  const RunResult without = run(
      {.ranks = 3, .execution = {.dispatch_dedup = false, .combine_reduce = CombineReduce::none}});
  EXPECT_EQ(differing_tensors(with.dump, without.dump), Names{});
}

TEST_F(TinyExecutor, SameBitsWhereverTheExpertsLive) {
  const RunResult one = run({.ranks = 1});
  const Placement placement = replicated_placement(model, 4);
  EXPECT_EQ(differing_tensors(one.dump, run({.ranks = 4, .placement = &placement}).dump), Names{});
}

TEST_F(TinyExecutor, SameBitsWithSharedExpertsBesideTheExchange) {
  const RunResult one = run({.ranks = 1});
  const ExecutionSpec overlapped{.combine_reduce = CombineReduce::none,
                                 .overlap = Overlap::shared_expert};
  EXPECT_EQ(differing_tensors(one.dump, run({.ranks = 3, .execution = overlapped}).dump), Names{});
}

TEST_F(TinyExecutor, SameBitsWhenCachesHaveToGrow) {
  const RunResult one = run({.ranks = 1});
  EXPECT_EQ(differing_tensors(one.dump, run({.ranks = 2, .capacity = {1, 1, 1}}).dump), Names{});
}

TEST_F(TinyExecutor, SameBitsForASequenceAloneAndInABatch) {
  const RunResult batch = run({.ranks = 2});
  for (std::size_t s = 0; s < request.prompts.size(); ++s) {
    const RunResult single = run(only_sequence(request, s), {.ranks = 2});
    for (const auto& [name, tensor] : single.dump.tensors()) {
      if (!name.starts_with("seq0.")) continue;
      const std::string in_batch = fmt::format("seq{}.{}", s, name.substr(5));
      EXPECT_EQ(tensor.data, batch.dump.tensors().at(in_batch).data) << in_batch;
    }
  }
}

TEST_F(TinyExecutor, ReducingInTheExpertRankChangesRoundingOnly) {
  const RunResult exact = run({.ranks = 4});
  const Placement placement = replicated_placement(model, 4);
  for (const bool dedup : {true, false}) {
    const RunResult reduced =
        run({.ranks = 4,
             .execution = {.dispatch_dedup = dedup, .combine_reduce = CombineReduce::rank},
             .placement = &placement});
    EXPECT_EQ(reduced.output.greedy_ids, exact.output.greedy_ids);
    for (const auto& [name, tensor] : exact.dump.tensors()) {
      const auto expected = values_of(tensor);
      const auto values = values_of(reduced.dump.tensors().at(name));
      double largest = 1e-3;
      for (const double value : expected)
        largest = std::max(largest, std::abs(value));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(values[i], expected[i], 1e-4 * largest) << name;
      }
    }
  }
}

TEST_F(TinyExecutor, PromptThenForcedTokensEqualsOneLongPrompt) {
  GenerateRequest whole;
  for (std::size_t s = 0; s < request.prompts.size(); ++s) {
    auto& ids = whole.prompts.emplace_back(request.prompts[s]);
    ids.insert(ids.end(), request.forced[s].begin(), request.forced[s].end());
  }
  const RunResult stepwise = run({.ranks = 2});
  const RunResult at_once = run(whole, {.ranks = 2});
  for (std::size_t s = 0; s < request.prompts.size(); ++s) {
    const auto steps = values_of(stepwise.dump.tensors().at(fmt::format("seq{}.decode_logits", s)));
    const auto all = values_of(at_once.dump.tensors().at(fmt::format("seq{}.logits", s)));
    const std::size_t first = request.prompts[s].size() * static_cast<std::size_t>(model.vocab);
    ASSERT_EQ(first + steps.size(), all.size());
    for (std::size_t i = 0; i < steps.size(); ++i)
      ASSERT_NEAR(steps[i], all[first + i], 1e-4);
    const auto state =
        values_of(stepwise.dump.tensors().at(fmt::format("seq{}.decode_kda_state", s)));
    const auto expected =
        values_of(at_once.dump.tensors().at(fmt::format("seq{}.prefill_kda_state", s)));
    ASSERT_EQ(state.size(), expected.size());
    for (std::size_t i = 0; i < state.size(); ++i)
      ASSERT_NEAR(state[i], expected[i], 1e-4);
  }
}

TEST_F(TinyExecutor, GreedyTokensDoNotSeeTheForcedOnes) {
  GenerateRequest only_greedy = request;
  only_greedy.forced.clear();
  const RunResult both = run({.ranks = 2});
  const RunResult greedy = run(only_greedy, {.ranks = 2});
  EXPECT_EQ(both.output.greedy_ids, greedy.output.greedy_ids);
  for (std::size_t s = 0; s < request.prompts.size(); ++s) {
    const std::string name = fmt::format("seq{}.greedy_logits", s);
    EXPECT_EQ(both.dump.tensors().at(name).data, greedy.dump.tensors().at(name).data);
  }
}

TEST_F(TinyExecutor, LogitsOfTheLastTokenOnlyGiveTheSameIds) {
  const RunResult with_all = run({.ranks = 2});
  const RunResult last_only = run({.ranks = 2, .dumps = false});
  EXPECT_TRUE(last_only.dump.empty());
  EXPECT_FALSE(last_only.plans[0].shape().all_logits);
  EXPECT_TRUE(with_all.plans[0].shape().all_logits);
  EXPECT_EQ(last_only.output.greedy_ids, with_all.output.greedy_ids);
}

TEST_F(TinyExecutor, MemoryOfAllRanksHoldsEveryExpertOnce) {
  const auto expert_bytes = [&](const RunResult& result) {
    std::int64_t bytes = 0;
    for (const MemoryRecord& record : result.memory) {
      if (record.what == "experts") bytes += record.bytes;
    }
    return bytes;
  };
  const RunResult one = run({.ranks = 1, .dumps = false});
  // 4 MoE layers, 30 experts, 3 matrices of 32 x 32 in 4 bits with one scale per 32.
  EXPECT_EQ(expert_bytes(one), 4 * 30 * 3 * (32 * 16 + 32));
  EXPECT_EQ(expert_bytes(run({.ranks = 7, .dumps = false})), expert_bytes(one));
}

/// An executor by itself, for single steps.
struct Stepper {
  explicit Stepper(const ModelConfig& model_config, const WeightStore& store, int ranks)
      : model(model_config),
        placement(Placement::contiguous(model.count(FfnKind::moe), model.moe.experts, ranks)),
        executor(Executor::create({.model = model,
                                   .placement = placement,
                                   .weights = store,
                                   .backend = *backend,
                                   .communicators = make_thread_communicators(ranks),
                                   .execution = execution,
                                   .precision = float32_precision(),
                                   .capacity = {16, 16}})
                     .value()) {}

  Result<StepOutput> step(const StepShape& shape, const std::vector<std::int32_t>& ids) {
    const Plan plan = Plan::build({.model = model, .execution = execution, .shape = shape});
    return executor.run_step(plan, {.shape = shape, .ids = ids});
  }

  const ModelConfig& model;
  ExecutionSpec execution{.combine_reduce = CombineReduce::none};
  Placement placement;
  std::unique_ptr<Backend> backend = make_reference_backend();
  Executor executor;
};

TEST_F(TinyExecutor, RestoredStateContinuesWithTheSameIds) {
  Stepper stepper(model, weights, 2);
  const StepShape prompt = StepShape::uniform(Phase::prefill, 2, 1, 0, 4);
  ASSERT_TRUE(stepper.step(prompt, {1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(stepper.executor.length(1), 4);
  const auto snapshot = stepper.executor.save_state();
  ASSERT_TRUE(snapshot);
  const StepShape token = StepShape::uniform(Phase::decode, 2, 1, 4, 1);
  const auto first = stepper.step(token, {9, 10});
  ASSERT_TRUE(first);
  EXPECT_EQ(stepper.executor.length(0), 5);
  ASSERT_TRUE(stepper.step(token.advanced(1), {50, 60}));
  ASSERT_TRUE(stepper.executor.restore_state(*snapshot));
  EXPECT_EQ(stepper.executor.length(0), 4);
  const auto again = stepper.step(token, {9, 10});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->next_ids, first->next_ids);
}

TEST_F(TinyExecutor, AssumedContextStandsForAPrompt) {
  Stepper stepper(model, weights, 2);
  const StepShape token = StepShape::uniform(Phase::decode, 2, 1, 40, 1);
  EXPECT_FALSE(stepper.step(token, {1, 2}));
  for (const int s : {0, 1})
    ASSERT_TRUE(stepper.executor.assume_context(s, 40));
  const auto output = stepper.step(token, {1, 2});
  ASSERT_TRUE(output) << output.error().text();
  EXPECT_EQ(output->record.context, 40);
  EXPECT_EQ(stepper.executor.length(1), 41);
}

TEST_F(TinyExecutor, RefusesStepsThatDoNotFitItsState) {
  Stepper stepper(model, weights, 2);
  const StepShape prompt = StepShape::uniform(Phase::prefill, 2, 1, 0, 2);
  EXPECT_FALSE(stepper.step(prompt, {1, 2, 3}));
  EXPECT_FALSE(stepper.step(StepShape::uniform(Phase::prefill, 3, 1, 0, 2), {1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(stepper.step(StepShape::uniform(Phase::decode, 2, 1, 3, 1), {1, 2}));
  EXPECT_FALSE(stepper.step(StepShape::uniform(Phase::prefill, 2, 2, 0, 1), {1, 2, 3, 4}));
  const auto outside = stepper.step(prompt, {1, 2, 101, 4});
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().code, Code::invalid_input);
  EXPECT_EQ(outside.error().message,
            "id 101 of sequence 1 at position 0 is not in the vocabulary; ids are 0 to 100");
  // Refused steps leave the executor as it was.
  EXPECT_TRUE(stepper.step(prompt, {1, 2, 3, 4}));
  float row = 0;
  EXPECT_FALSE(stepper.executor.read_state(0, {.mla = &row, .mla_first_row = 2, .mla_rows = 1}));
  EXPECT_FALSE(stepper.executor.read_state(2, {}));
}

}  // namespace
}  // namespace k3::test
