#pragma once

#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/device/backend.h"
#include "engine/model/model_config.h"
#include "engine/routing/placement.h"
#include "kernels/ops/matrix.h"
#include "kernels/ops/moe.h"

namespace k3 {

class WeightStore;

/// Learned query and norm of one attention-residual site.
struct MixWeights {
  ops::Vector norm;
  ops::Vector proj;
};

struct KdaWeights {
  ops::Matrix q, k, v, gate, out, decay_in, decay_out, beta;
  const float* q_conv = nullptr;
  const float* k_conv = nullptr;
  const float* v_conv = nullptr;
  const float* a_log = nullptr;
  const float* dt_bias = nullptr;
  const float* out_norm = nullptr;
};

struct MlaWeights {
  ops::Matrix q_a, q_b, kv_a, kv_b, gate, out;
  ops::Vector q_norm, kv_norm;
};

/// Gate, up and down projection of a dense layer or of the shared experts.
struct FeedForwardWeights {
  ops::Matrix gate, up, down;
};

struct MoeWeights {
  ops::Matrix router, latent_down, latent_up;
  const float* bias = nullptr;
  ops::Vector latent_norm;
  FeedForwardWeights shared;
  std::vector<ops::ExpertWeights> slots;  ///< of this rank, placement order; empty slots hold nulls
};

/// Only the parts that the layer's kinds use are filled.
struct LayerWeights {
  ops::Vector attention_norm, ffn_norm;
  MixWeights attention_mix, ffn_mix;
  KdaWeights kda;
  MlaWeights mla;
  FeedForwardWeights dense;
  MoeWeights moe;
};

/// The weights of one rank as the operators take them: in the store's own memory where the backend
/// can use it, else copied to the device. Experts: only those of the rank's slots.
struct ModelWeights {
  ops::Matrix embed, lm_head;
  ops::Vector final_norm;
  MixWeights output_mix;
  std::vector<LayerWeights> layers;
  std::int64_t expert_bytes = 0;
  std::int64_t other_bytes = 0;
  std::vector<std::unique_ptr<Buffer>> copies;
};

struct WeightRequest {
  const ModelConfig& model;
  const Placement& placement;
  const WeightStore& store;
  Backend& backend;
  int device = 0;
  int rank = 0;
};

/// Errors: a tensor that the store lacks, or of another shape or type; does_not_fit
Result<ModelWeights> load_model_weights(const WeightRequest& request, Stream& stream);

}  // namespace k3
