#include "engine/runtime/rank_context.h"

namespace k3 {
namespace {

void add_sequence(RankContext& context,
                  const SequenceShape& shape,
                  std::int32_t index,
                  std::int64_t first_global) {
  RankBatch& batch = context.batch;
  batch.sequences.push_back({.index = index,
                             .sequence = shape.sequence,
                             .context = shape.context,
                             .new_tokens = shape.new_tokens,
                             .first_token = batch.tokens,
                             .first_global = first_global});
  for (std::int64_t i = 0; i < shape.new_tokens; ++i) {
    batch.positions.push_back({.sequence = shape.sequence, .position = shape.context + i});
    batch.ids.push_back(context.input->ids[static_cast<std::size_t>(first_global + i)]);
  }
  batch.tokens += shape.new_tokens;
  batch.first_token.push_back(static_cast<std::int32_t>(batch.tokens));
  batch.cache_rows.push_back(shape.context + shape.new_tokens);
  batch.last_row.push_back(static_cast<std::int32_t>(batch.tokens - 1));
}

void collect_sequences(RankContext& context) {
  RankBatch& batch = context.batch;
  batch.sequences.clear();
  batch.positions.clear();
  batch.ids.clear();
  batch.cache_rows.clear();
  batch.last_row.clear();
  batch.first_token.assign(1, 0);
  batch.tokens = 0;
  std::int64_t first_global = 0;
  std::int32_t index = 0;
  for (const SequenceShape& shape : context.input->shape.sequences) {
    if (shape.rank == context.rank) add_sequence(context, shape, index, first_global);
    first_global += shape.new_tokens;
    ++index;
  }
  batch.head_rows = context.input->shape.all_logits ? batch.tokens : batch.num_sequences();
}

/// [KDA layers] states, [3, KDA layers] convolution histories, [MLA layers] caches, each
/// [sequences].
void collect_pointers(RankContext& context) {
  std::vector<float*>& pointers = context.batch.pointers;
  pointers.clear();
  const auto for_each_sequence = [&](const auto& pointer_of) {
    for (const LocalSequence& local : context.batch.sequences) {
      pointers.push_back(pointer_of(context.state(local.sequence)));
    }
  };
  for (std::int64_t i = 0; i < context.layout.kda_layers; ++i) {
    for_each_sequence([i](const SequenceState& state) { return state.kda(i); });
  }
  for (int which = 0; which < 3; ++which) {
    for (std::int64_t i = 0; i < context.layout.kda_layers; ++i) {
      for_each_sequence([which, i](const SequenceState& state) { return state.conv(which, i); });
    }
  }
  for (std::int64_t i = 0; i < context.layout.mla_layers; ++i) {
    for_each_sequence([i](const SequenceState& state) { return state.cache(i); });
  }
}

}  // namespace

RankContext::RankContext(const ExecutorInputs& executor_inputs, int rank_index)
    : inputs(executor_inputs),
      model(executor_inputs.model),
      kernels(executor_inputs.backend.kernels()),
      communicator(*executor_inputs.communicators[static_cast<std::size_t>(rank_index)]),
      rank(rank_index),
      device(rank_index % executor_inputs.backend.num_devices()),
      layout(executor_inputs.model) {}

float* const* RankContext::state_pointers() const {
  return batch.device_pointers.data() + kda_index * batch.num_sequences();
}

float* const* RankContext::conv_pointers(int which) const {
  const std::int64_t block = (which + 1) * layout.kda_layers + kda_index;
  return batch.device_pointers.data() + block * batch.num_sequences();
}

float* const* RankContext::cache_pointers() const {
  const std::int64_t block = 4 * layout.kda_layers + mla_index;
  return batch.device_pointers.data() + block * batch.num_sequences();
}

bool RankContext::captures(Quantity quantity) const {
  if (input->capture == nullptr) return false;
  for (const LocalSequence& local : batch.sequences) {
    const auto& targets = input->capture->sequences[static_cast<std::size_t>(local.index)];
    if (targets[static_cast<std::size_t>(quantity)].data != nullptr) return true;
  }
  return false;
}

void RankContext::capture(Quantity quantity, std::int64_t layer, const void* values) {
  if (input->capture == nullptr) return;
  for (const LocalSequence& local : batch.sequences) {
    const CaptureTarget& target =
        input->capture
            ->sequences[static_cast<std::size_t>(local.index)][static_cast<std::size_t>(quantity)];
    if (target.data == nullptr) continue;
    const auto* from = static_cast<const std::byte*>(values) + 4 * local.first_token * target.width;
    stream->copy_to_host(target.row(layer), from,
                         static_cast<std::size_t>(4 * local.new_tokens * target.width));
  }
}

void RankContext::capture_row(Quantity quantity, const LocalSequence& local, const void* row) {
  if (input->capture == nullptr) return;
  const CaptureTarget& target =
      input->capture
          ->sequences[static_cast<std::size_t>(local.index)][static_cast<std::size_t>(quantity)];
  if (target.data == nullptr) return;
  stream->copy_to_host(target.row(0), row, static_cast<std::size_t>(4 * target.width));
}

Result<void> begin_batch(RankContext& context) {
  collect_sequences(context);
  RankBatch& batch = context.batch;
  Backend& backend = context.inputs.backend;
  for (const LocalSequence& local : batch.sequences) {
    K3_TRY_VOID(
        context.state(local.sequence).reserve(*context.stream, local.context + local.new_tokens));
  }
  collect_pointers(context);
  K3_TRY_VOID(reserve(context.work, backend, context.device, context.model,
                      {.tokens = batch.tokens,
                       .head_rows = batch.head_rows,
                       .gathers_head_rows = batch.gathers_head_rows()}));
  const auto upload = [&](auto& array, const auto& values) {
    return array.upload(backend, context.device, *context.stream, std::span(values));
  };
  K3_TRY_VOID(upload(context.work.ids, std::as_const(batch.ids)));
  K3_TRY_VOID(upload(batch.device_first_token, std::as_const(batch.first_token)));
  K3_TRY_VOID(upload(batch.device_cache_rows, std::as_const(batch.cache_rows)));
  K3_TRY_VOID(upload(batch.device_last_row, std::as_const(batch.last_row)));
  return upload(batch.device_pointers, std::as_const(batch.pointers));
}

}  // namespace k3
