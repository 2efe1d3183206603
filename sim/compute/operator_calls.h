#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/model/model_config.h"
#include "engine/plan/plan.h"
#include "engine/plan/step_shape.h"
#include "engine/plan/work.h"

namespace k3::sim {

/// The pieces of work that a rank of the executor is made of on a CPU: operators of the kernel
/// table, and what the runtime does between them. Each has a table of its name in a calibration.
enum class Operator : std::uint8_t {
  product,     ///< tokens, in, out: rows times a bf16 matrix, out rounded up to whole tiles
  norm,        ///< tokens, width
  situ,        ///< values
  add,         ///< values
  sigmoid,     ///< values
  gate,        ///< values: x · sigmoid(gate)
  embed,       ///< values
  argmax,      ///< values
  gather,      ///< rows, width
  mix,         ///< tokens, sources, width: attention residuals
  conv,        ///< tokens, channels: short convolution of four taps
  kda_gate,    ///< rows (tokens · heads), dim
  recurrence,  ///< rows, dim: one token of one head
  kda_output,  ///< rows, dim
  cache,       ///< tokens, width: rows appended to a latent cache
  absorbed,    ///< cached rows, heads, dim: one token of one sequence
  expanded,    ///< new tokens, heads, dim: one sequence, nothing cached before
  route,       ///< tokens, experts
  expert,      ///< rows, latent, width: one MXFP4 expert
  combine,     ///< tokens, width: weighted sum of 16 rows each
  pack,        ///< copies: slots, ranks and order of outgoing copies
  order,       ///< copies, slots: incoming copies by expert
};
inline constexpr int kNumOperators = 22;

inline constexpr std::array<std::string_view, kNumOperators> kOperatorNames{
    "product",  "norm",  "situ",   "add",      "sigmoid",    "gate",       "embed", "argmax",
    "gather",   "mix",   "conv",   "kda_gate", "recurrence", "kda_output", "cache", "absorbed",
    "expanded", "route", "expert", "combine",  "pack",       "order"};

inline constexpr std::array<int, kNumOperators> kOperatorAxes{3, 2, 1, 1, 1, 1, 1, 1, 2, 3, 2,
                                                              2, 2, 2, 2, 3, 3, 2, 3, 2, 1, 2};

constexpr std::string_view name_of(Operator op) {
  return kOperatorNames[static_cast<std::size_t>(op)];
}

/// Outputs that the product computes together; matrices with fewer cost as much.
/// Source: kernels/reference/product.cpp, tiles of 16 outputs
inline constexpr double kProductTile = 16;

/// `repeat` calls of one operator at one shape (unused coordinates are 1).
struct OperatorCall {
  Operator op = Operator::product;
  std::array<double, 3> shape{1, 1, 1};
  double repeat = 1;
  double shared_bytes = 0;  ///< read, of weights that all ranks of the computer read
  double own_bytes = 0;     ///< read, of weights and states that no other rank reads
};

/// What a task calls, in the order of the runtime. Tasks of a rank without tokens call nothing.
struct TaskCalls {
  std::vector<OperatorCall> before;  ///< all of it; dispatch and combine: before the ranks meet
  std::vector<OperatorCall> after;   ///< combine: once the rows are there
};

struct CallContext {
  const ModelConfig& model;
  const ExecutionSpec& execution;
  Phase phase;
  const RankShape& rank;
  const RoutedShape& routed;
  std::int64_t slots = 0;  ///< places for experts on the task's rank
};

/// The calls of a task in float32 mode.
/// Source: engine/runtime/*_tasks.cpp (the executor and the simulator share no code)
TaskCalls task_calls(const CallContext& context, const Task& task);

}  // namespace k3::sim
