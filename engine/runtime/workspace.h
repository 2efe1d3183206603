#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/device/backend.h"
#include "engine/model/model_config.h"
#include "engine/runtime/device_array.h"

namespace k3 {

/// Activations of one rank, made once and grown to the largest step. T = the rank's tokens. What a
/// buffer holds is said by the task that writes it; every buffer is written and last read within
/// one sub-layer, except the residual stream.
struct Workspace {
  // Residual stream (k3 specification 3.1): finished blocks in order, then the prefix; [T, hidden]
  // each.
  std::vector<DeviceArray<float>> residual;
  std::vector<const float*> sources;  ///< host: pointers of a mix
  int num_blocks = 0;

  DeviceArray<std::int32_t> ids;  ///< [T]
  DeviceArray<float> mixed;       ///< [T, hidden] input of a sub-layer before its norm
  DeviceArray<float> input;       ///< [T, hidden] the same, normed
  DeviceArray<float> output;      ///< [T, hidden] of the sub-layer

  // Attention, KDA: [T, width] each; MLA uses q, gate and attended.
  DeviceArray<float> q, k, v, gate, attended;
  DeviceArray<float> q_conv, k_conv, v_conv;
  DeviceArray<float> low_rank;  ///< [T, head_dim] or [T, q_lora]
  DeviceArray<float> decay;     ///< [T, width]
  DeviceArray<float> beta;      ///< [T, heads]
  DeviceArray<float> kv_a;      ///< [T, kv_lora + rope]

  // Feed-forward: inner width of the dense layer or of the shared experts.
  DeviceArray<float> inner_gate, inner_up;
  DeviceArray<float> shared;             ///< [T, hidden]
  DeviceArray<float> router_logits;      ///< [T, experts]
  DeviceArray<std::int32_t> router_ids;  ///< [T, top_k]
  DeviceArray<float> router_weights;     ///< [T, top_k]
  DeviceArray<float> router_margin;      ///< [T]
  DeviceArray<std::int32_t> pinned;      ///< [T, top_k]
  DeviceArray<float> latent;             ///< [T, latent] before the experts
  DeviceArray<float> latent_sum;         ///< [T, latent] after them

  // Head: rows = T, or one per sequence.
  DeviceArray<float> head_sources;     ///< [sources, rows, hidden]
  DeviceArray<float> logits;           ///< [rows, vocab]
  DeviceArray<std::int32_t> next_ids;  ///< [rows]

  float* prefix() { return residual[static_cast<std::size_t>(num_blocks)].data(); }

  std::int64_t capacity_bytes() const;
};

struct WorkspaceSize {
  std::int64_t tokens = 0;
  std::int64_t head_rows = 0;
  bool gathers_head_rows = false;
};

Result<void> reserve(Workspace& work,
                     Backend& backend,
                     int device,
                     const ModelConfig& model,
                     const WorkspaceSize& size);

}  // namespace k3
