#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/device/backend.h"
#include "engine/device/communicator.h"
#include "engine/runtime/copy_exchange.h"
#include "engine/runtime/device_array.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/model_weights.h"
#include "engine/runtime/sequence_state.h"
#include "engine/runtime/step_tables.h"
#include "engine/runtime/workspace.h"

namespace k3 {

/// One sequence's part in a step on its owner.
struct LocalSequence {
  std::int32_t index = 0;  ///< in the step's shape
  std::int32_t sequence = 0;
  std::int64_t context = 0;
  std::int64_t new_tokens = 0;
  std::int64_t first_token = 0;   ///< among the rank's tokens
  std::int64_t first_global = 0;  ///< among the step's tokens
};

/// The rank's share of a step: its sequences one after the other, and what operators need to tell
/// them apart, on the host and uploaded.
struct RankBatch {
  std::vector<LocalSequence> sequences;
  std::int64_t tokens = 0;
  std::int64_t head_rows = 0;
  std::vector<TokenPosition> positions;  ///< [tokens]

  std::vector<std::int32_t> ids;          ///< [tokens]
  std::vector<std::int32_t> first_token;  ///< [sequences + 1]
  std::vector<std::int64_t> cache_rows;   ///< [sequences]
  std::vector<std::int32_t> last_row;     ///< [sequences]
  std::vector<float*> pointers;           ///< see state_pointers, conv_pointers, cache_pointers

  DeviceArray<std::int32_t> device_first_token;
  DeviceArray<std::int64_t> device_cache_rows;
  DeviceArray<std::int32_t> device_last_row;
  DeviceArray<float*> device_pointers;

  std::int64_t num_sequences() const { return static_cast<std::int64_t>(sequences.size()); }

  /// Whether only each sequence's last token goes through the head, out of several.
  bool gathers_head_rows() const { return head_rows != tokens; }

  /// Row of the head's buffers that belongs to the last token of a sequence.
  std::int64_t head_row(std::int64_t index) const {
    return gathers_head_rows() ? index : last_row[static_cast<std::size_t>(index)];
  }
};

/// Buffers of dispatch, experts and combine. Rows are float32 [latent].
struct ExpertExchange {
  SendPlan send;
  ReceivePlan receive;
  std::vector<std::int32_t> ids;  ///< [tokens, top_k] of the rank's tokens
  std::vector<float> weights;
  std::vector<std::int64_t> send_bytes, receive_bytes, send_counts, receive_counts;
  std::vector<ops::ExpertWeights> touched;

  DeviceArray<CopyHeader> sent_headers, received_headers;
  DeviceArray<std::int32_t> index;  ///< rows of the gather in flight
  DeviceArray<std::int32_t> return_row;
  DeviceArray<float> return_weight, reduce_weight;
  DeviceArray<float> sent_rows;  ///< dispatch: to the experts
  DeviceArray<float> received_rows;
  DeviceArray<float> expert_input;  ///< in the experts' order
  DeviceArray<float> expert_output;
  DeviceArray<float> returned_rows;   ///< combine: sent back
  DeviceArray<float> collected_rows;  ///< combine: received by the owner

  std::int64_t capacity_bytes() const;
};

/// Everything that one rank's thread works with. Others touch it only between steps.
struct RankContext {
  RankContext(const ExecutorInputs& executor_inputs, int rank_index);

  const ExecutorInputs& inputs;
  const ModelConfig& model;
  const KernelTable& kernels;
  Communicator& communicator;
  int rank;
  int device;
  std::unique_ptr<Stream> stream;
  StateLayout layout;
  ModelWeights weights;
  std::vector<SequenceState> states;  ///< sequences rank, rank + ranks, rank + 2·ranks …
  Workspace work;
  ExpertExchange exchange;
  RankBatch batch;
  RankRecord record;

  // Of the step in hand.
  const Plan* plan = nullptr;
  const StepInput* input = nullptr;
  StepTables* tables = nullptr;
  std::vector<std::int32_t>* next_ids = nullptr;
  // Index of the layer in hand among the layers of its kind.
  std::int64_t kda_index = 0;
  std::int64_t mla_index = 0;

  SequenceState& state(int sequence) {
    return states[static_cast<std::size_t>(sequence / inputs.placement.num_ranks())];
  }

  const LayerWeights& layer(const Task& task) const {
    return weights.layers[static_cast<std::size_t>(task.layer)];
  }

  // Pointers per sequence of the step, for the layer in hand.
  float* const* state_pointers() const;
  float* const* conv_pointers(int which) const;
  float* const* cache_pointers() const;

  /// Copies rows [tokens, width] of `values` to where the step's capture wants them. `layer` counts
  /// among the layers that have the quantity.
  void capture(Quantity quantity, std::int64_t layer, const void* values);
  /// The same for one row of one sequence.
  void capture_row(Quantity quantity, const LocalSequence& local, const void* row);
  bool captures(Quantity quantity) const;
};

/// Prepares the rank's share of the step: room in caches and work buffers, uploads.
Result<void> begin_batch(RankContext& context);

}  // namespace k3
