#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/base/result.h"
#include "engine/plan/plan.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/tensor_dump.h"

namespace k3 {

/// Prompts and what follows them. Sequences keep their order; s belongs to rank s mod ranks.
struct GenerateRequest {
  using Lists = std::vector<std::vector<std::int32_t>>;

  Lists prompts = {};              ///< one per sequence, none empty
  Lists forced = {};               ///< empty, or one per sequence
  std::int64_t greedy_tokens = 0;  ///< per sequence
  Lists pinned_prompt = {};        ///< empty, or [MoE layers, prompt tokens, top_k] each
  Lists pinned_forced = {};        ///< empty, or [MoE layers, forced tokens, top_k] each
};

/// Refuses what cannot be run: no prompt, ids outside the vocabulary (sequence and index are
/// named), pinned experts of another size, more positions than the model has.
Result<void> check_request(const ModelConfig& model, const GenerateRequest& request);

std::vector<DumpLengths> dump_lengths(const GenerateRequest& request);

/// Tokens that each sequence's caches must hold, for ExecutorInputs::capacity.
std::vector<std::int64_t> cache_capacity(const GenerateRequest& request);

/// The plans of a generation: 0 the prompts as one varlen step, 1 one token per sequence (only when
/// something follows the prompts). `dump` decides whether logits are computed at every prompt
/// token.
std::vector<Plan> generate_plans(const ModelConfig& model,
                                 const ExecutionSpec& execution,
                                 int num_ranks,
                                 const GenerateRequest& request,
                                 const TensorDump& dump);

/// Steps that the generation takes; each walks all tasks of its plan (for Progress::total).
std::int64_t num_steps(const GenerateRequest& request);

struct GenerateOutput {
  std::vector<std::vector<std::int32_t>> greedy_ids;  ///< per sequence
};

/// Takes each step as soon as it is done; an Error ends the run.
using StepConsumer = std::function<Result<void>(const StepRecord&)>;

/// Runs the prompts; then the forced tokens; then, from the state after the prompts, the greedy
/// tokens (id 0 is the argmax of the last prompt row, so that N ids need N − 1 further steps).
/// Fills `dump`.
Result<GenerateOutput> generate(Executor& executor,
                                const std::vector<Plan>& plans,
                                const GenerateRequest& request,
                                TensorDump& dump,
                                const StepConsumer& consume);

}  // namespace k3
