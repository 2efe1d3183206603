#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/device/backend.h"
#include "engine/device/communicator.h"
#include "engine/plan/plan.h"
#include "engine/routing/placement.h"
#include "engine/runtime/step_capture.h"
#include "engine/trace/trace.h"

namespace k3 {

class WeightStore;
class RankGroup;

/// What an executor works with. References outlive it.
struct ExecutorInputs {
  const ModelConfig& model;
  const Placement& placement;
  const WeightStore& weights;
  Backend& backend;
  std::vector<std::unique_ptr<Communicator>> communicators;  ///< index = rank
  ExecutionSpec execution;
  PrecisionSpec precision;             ///< float32 mode; formats are used to account for bytes
  std::vector<std::int64_t> capacity;  ///< per sequence: tokens that its caches are made for
  Progress* progress = nullptr;        ///< optional: counts tasks, can stop a step
};

struct StepInput {
  StepShape shape;                    ///< the plan's, or a later one with grown contexts
  std::int32_t step = 0;              ///< number in the run
  std::int32_t plan_id = 0;           ///< index of the plan in the run's header
  std::span<const std::int32_t> ids;  ///< of all tokens, global order
  std::span<const std::int32_t> pinned_experts = {};  ///< [MoE layers, tokens, top_k], or empty
  const StepCapture* capture = nullptr;
};

struct StepOutput {
  StepRecord record;
  std::vector<std::int32_t> next_ids;  ///< per sequence of the step: argmax of its last logits
};

/// Caches of all sequences at one moment, kept in host memory.
struct StateSnapshot {
  struct Sequence {
    std::int64_t length = 0;
    std::vector<std::byte> kda;
    std::vector<std::byte> conv;
    std::vector<std::byte> mla;  ///< [MLA layers, length, cache width]
  };

  std::vector<Sequence> sequences;
};

/// Host memory for parts of one sequence's state; null parts are skipped.
struct StateView {
  float* kda = nullptr;          ///< [KDA layers, heads, key, value]
  std::array<float*, 3> conv{};  ///< q, k, v: [KDA layers, taps − 1, width], oldest first
  float* mla = nullptr;          ///< [MLA layers, mla_rows, cache width]
  std::int64_t mla_first_row = 0;
  std::int64_t mla_rows = 0;
};

/// Runs the steps of a plan for real: one thread per rank, experts spread over the ranks by the
/// placement, attention data-parallel (a sequence's caches live on its owner, sequence mod ranks).
/// Holds weights, caches and work buffers of all ranks; work buffers grow with the largest step and
/// stay.
///
/// In float32 mode with `CombineReduce::none` results do not depend on the number of ranks, on the
/// placement, on de-duplication or on the other sequences of a step: each token's sums have a fixed
/// order.
///
/// Any failure of a step is final: ranks are then at different points, and later steps answer with
/// an Error. Not thread-safe. Times in records count from the executor's creation.
class Executor {
 public:
  /// Allocates caches and loads weights, ranks in parallel, each only its experts.
  /// Errors: unsupported (an operator the backend lacks, a precision), corrupt (weights),
  /// does_not_fit, invalid_input (placement of another shape)
  static Result<Executor> create(ExecutorInputs inputs);

  ~Executor();
  Executor(Executor&&) noexcept;
  Executor& operator=(Executor&&) noexcept;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  int num_ranks() const;
  const ModelConfig& model() const;

  /// Tokens in the caches of a sequence.
  std::int64_t length(int sequence) const;

  /// Runs one step on all ranks.
  /// Errors: invalid_input (ids outside the vocabulary, a context that is not the cache's length,
  /// sizes that do not match the shape), cancelled, does_not_fit, and what a backend reports
  Result<StepOutput> run_step(const Plan& plan, const StepInput& input);

  /// Continues as if `tokens` (all caches zero) had been processed: measures steps at a context
  /// without its prefill; the values computed then mean nothing.
  Result<void> assume_context(int sequence, std::int64_t tokens);

  Result<StateSnapshot> save_state();
  Result<void> restore_state(const StateSnapshot& snapshot);
  Result<void> read_state(int sequence, const StateView& view);

  /// Bytes that each rank holds on its device (weights that several ranks share in host memory
  /// count for each), by what they are for.
  std::vector<MemoryRecord> memory() const;

 private:
  explicit Executor(std::unique_ptr<RankGroup> group);

  std::unique_ptr<RankGroup> group_;
};

/// Rows of the timeline: per rank a compute lane (id 2·rank) and a communication lane (2·rank + 1).
std::vector<Lane> executor_lanes(int num_ranks);

}  // namespace k3
