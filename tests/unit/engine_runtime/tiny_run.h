#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/device/backend.h"
#include "engine/model/model_config.h"
#include "engine/routing/placement.h"
#include "engine/runtime/generate.h"
#include "engine/weights/weight_store.h"

namespace k3::test {

/// Five layers (KDA, MLA, KDA, KDA, MLA), the first dense, 30 experts of which 4 are chosen.
ModelConfig tiny_model();

/// Three sequences of 5, 1 and 9 tokens, three forced and three greedy tokens each.
GenerateRequest tiny_request();

PrecisionSpec float32_precision();

/// Experts over `ranks` with every third expert on two ranks, shares 0.25 and 0.75.
Placement replicated_placement(const ModelConfig& model, int ranks);

struct RunOptions {
  int ranks = 1;
  ExecutionSpec execution = {.combine_reduce = CombineReduce::none};
  const Placement* placement = nullptr;  ///< null: contiguous
  Backend* backend = nullptr;            ///< null: reference
  Progress* progress = nullptr;
  std::vector<std::int64_t> capacity = {};  ///< empty: what the request needs
  bool dumps = true;
  std::vector<std::string> dump_names = {};  ///< empty: all tensors
  StepConsumer consume = {};                 ///< asked after each step
};

struct RunResult {
  TensorDump dump;
  GenerateOutput output;
  std::vector<Plan> plans;
  std::vector<StepRecord> steps;
  std::vector<MemoryRecord> memory;
};

Result<RunResult> run_generation(const ModelConfig& model,
                                 const WeightStore& weights,
                                 const GenerateRequest& request,
                                 const RunOptions& options);

/// Names of tensors whose bytes differ (or that one of the two lacks).
std::vector<std::string> differing_tensors(const TensorDump& a, const TensorDump& b);

}  // namespace k3::test
