#pragma once

#include <cstdint>

#include "engine/model/model_config.h"

namespace k3 {

/// Parameters by part, counted from the tensors of a checkpoint.
struct ParameterCounts {
  std::int64_t routed_experts = 0;
  std::int64_t kda = 0;
  std::int64_t mla = 0;
  std::int64_t shared = 0;
  std::int64_t latent_proj = 0;
  std::int64_t router = 0;
  std::int64_t latent_norm = 0;
  std::int64_t dense = 0;
  std::int64_t norms = 0;  ///< layer norms, attention residuals, output mix, final norm
  std::int64_t embed = 0;
  std::int64_t lm_head = 0;
  std::int64_t vision = 0;
  std::int64_t projector = 0;
  std::int64_t routed_active = 0;  ///< top-k experts of every MoE layer

  std::int64_t per_expert = 0;
  std::int64_t per_kda_layer = 0;
  std::int64_t per_mla_layer = 0;
  std::int64_t per_moe_layer = 0;  ///< router, latent, shared: all but the routed experts

  std::int64_t text_total() const;

  std::int64_t total() const { return text_total() + vision + projector; }

  /// What one token uses, the embedding table included.
  std::int64_t active_with_embed() const { return text_total() - routed_experts + routed_active; }

  /// What one token uses; the embedding table is looked up, not multiplied.
  std::int64_t active() const { return active_with_embed() - embed; }
};

/// Bytes of a checkpoint's tensors by part.
struct WeightBytes {
  std::int64_t total = 0;
  std::int64_t routed_experts = 0;
  std::int64_t vision = 0;  ///< tower and projector
  std::int64_t embed = 0;
  std::int64_t per_expert = 0;
  std::int64_t per_kda_layer = 0;
  std::int64_t per_mla_layer = 0;
  std::int64_t per_moe_layer = 0;  ///< all but the routed experts

  std::int64_t nonexpert() const { return total - routed_experts; }

  std::int64_t text_nonexpert() const { return nonexpert() - vision; }
};

/// Values that a sequence keeps between steps, all layers of a kind together.
struct CacheElements {
  std::int64_t mla_per_token_layer = 0;
  std::int64_t mla_per_token = 0;
  std::int64_t kda_state_layer = 0;  ///< [heads, key, value]
  std::int64_t kda_state = 0;
  std::int64_t kda_conv_layer = 0;  ///< last inputs of the q, k and v convolutions
  std::int64_t kda_conv = 0;
};

ParameterCounts parameter_counts(const ModelConfig& model);
WeightBytes weight_bytes(const ModelConfig& model);
CacheElements cache_elements(const ModelConfig& model);

}  // namespace k3
