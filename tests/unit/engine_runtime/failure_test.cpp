#include <atomic>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/comm/thread_communicator.h"
#include "engine/runtime/executor.h"
#include "kernels/reference/reference_backend.h"
#include "tests/unit/engine_runtime/tiny_run.h"

namespace k3::test {
namespace {

using testing::HasSubstr;

/// The reference backend with some operators exchanged.
class AlteredBackend final : public Backend {
 public:
  std::string_view name() const override { return "altered"; }

  int num_devices() const override { return 1; }

  std::string device_title(int device) const override { return base_->device_title(device); }

  Result<std::unique_ptr<Buffer>> allocate(int device, std::size_t bytes) override {
    if (bytes > largest_buffer) return fail(Code::does_not_fit, "device memory is used up");
    return base_->allocate(device, bytes);
  }

  Result<std::unique_ptr<Stream>> make_stream(int device) override {
    return base_->make_stream(device);
  }

  /// Weights are then copied to the "device".
  bool uses_host_memory() const override { return false; }

  const KernelTable& kernels() const override { return table; }

 private:
  std::unique_ptr<Backend> base_ = make_reference_backend();

 public:
  KernelTable table = base_->kernels();
  std::size_t largest_buffer = ~std::size_t{0};
};

std::atomic<int> calls_until_failure{0};

void failing_expert_mlp(const ops::ExpertMlpArgs&, Stream&) {
  if (--calls_until_failure == 0) throw std::runtime_error("device lost");
}

class Failure : public testing::Test {
 protected:
  Result<RunResult> run(int ranks, const GenerateRequest& request, Progress* progress = nullptr) {
    return run_generation(model, weights, request,
                          {.ranks = ranks, .backend = &backend, .progress = progress});
  }

  ModelConfig model = tiny_model();
  WeightStore weights = WeightStore::synthetic(model, 7);
  AlteredBackend backend;
};

TEST_F(Failure, WeightsCopiedToADeviceGiveTheSameBits) {
  const auto copied = run(3, tiny_request());
  ASSERT_TRUE(copied) << copied.error().text();
  const auto shared = run_generation(model, weights, tiny_request(), {.ranks = 3});
  ASSERT_TRUE(shared);
  EXPECT_TRUE(differing_tensors(copied->dump, shared->dump).empty());
}

TEST_F(Failure, AnExceptionInOneRankEndsTheRun) {
  backend.table.expert_mlp = failing_expert_mlp;
  for (const int ranks : {1, 2, 5}) {
    calls_until_failure = ranks + 2;
    const auto result = run(ranks, tiny_request());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::internal);
    EXPECT_THAT(result.error().text(), HasSubstr("device lost"));
    EXPECT_THAT(result.error().text(), HasSubstr("rank "));
  }
}

TEST_F(Failure, MissingOperatorsAreNamed) {
  backend.table.kda_recurrence = nullptr;
  backend.table.combine = nullptr;
  const auto result = run(2, tiny_request());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::unsupported);
  EXPECT_EQ(result.error().message,
            "backend altered lacks operators of this model: kda_recurrence, combine");
}

TEST_F(Failure, MemoryThatDoesNotSufficeIsAnError) {
  backend.largest_buffer = 4096;
  const auto result = run(2, tiny_request());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::does_not_fit);
}

TEST_F(Failure, AStopRequestEndsTheRunAsCancelled) {
  Progress progress;
  progress.cancelled = true;
  const auto result = run(3, tiny_request(), &progress);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::cancelled);
}

TEST_F(Failure, ProgressCountsEveryTask) {
  Progress progress;
  const auto result = run(3, tiny_request(), &progress);
  ASSERT_TRUE(result);
  std::int64_t tasks = 0;
  for (const StepRecord& step : result->steps) {
    tasks += std::ssize(result->plans[static_cast<std::size_t>(step.plan)].tasks());
  }
  EXPECT_EQ(progress.done, tasks);
}

TEST_F(Failure, NoStepAfterAFailedOne) {
  backend.table.expert_mlp = failing_expert_mlp;
  calls_until_failure = 1;
  const Placement placement = Placement::contiguous(4, 30, 2);
  const ExecutionSpec execution{.combine_reduce = CombineReduce::none};
  auto executor = Executor::create({.model = model,
                                    .placement = placement,
                                    .weights = weights,
                                    .backend = backend,
                                    .communicators = make_thread_communicators(2),
                                    .execution = execution,
                                    .precision = float32_precision(),
                                    .capacity = {4, 4}});
  ASSERT_TRUE(executor);
  const StepShape shape = StepShape::uniform(Phase::prefill, 2, 1, 0, 2);
  const Plan plan = Plan::build({.model = model, .execution = execution, .shape = shape});
  const std::vector<std::int32_t> ids{1, 2, 3, 4};
  EXPECT_FALSE(executor->run_step(plan, {.shape = shape, .ids = ids}));
  const auto again = executor->run_step(plan, {.shape = shape, .ids = ids});
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("an earlier step failed"));
}

TEST_F(Failure, ServingPrecisionAndForeignPlacementsAreRefused) {
  const auto refused = [&](const Placement& placement, const PrecisionSpec& precision) {
    const auto result = Executor::create({.model = model,
                                          .placement = placement,
                                          .weights = weights,
                                          .backend = backend,
                                          .communicators = make_thread_communicators(2),
                                          .execution = {},
                                          .precision = precision,
                                          .capacity = {1}});
    return !result;
  };
  EXPECT_TRUE(refused(Placement::contiguous(4, 30, 2), {}));
  EXPECT_TRUE(refused(Placement::contiguous(4, 30, 3), float32_precision()));
  EXPECT_TRUE(refused(Placement::contiguous(3, 30, 2), float32_precision()));
  EXPECT_TRUE(refused(Placement::contiguous(4, 32, 2), float32_precision()));
  EXPECT_FALSE(refused(Placement::contiguous(4, 30, 2), float32_precision()));
}

}  // namespace
}  // namespace k3::test
