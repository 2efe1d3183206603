#pragma once

#include <cstdint>

#include "kernels/ops/matrix.h"

namespace k3::ops {

/// Gated MLA without position encoding (k3 specification 3.3), causal, softmax in float32:
/// score = (q_nope·k_nope + q_pe·k_pe) · scale. Two forms with equal results up to rounding:
/// `mla_absorbed` (decode: W_k folded into q, attention over the 576-wide cache rows) and
/// `mla_expanded` (prefill: K and V of every cache row are computed first).
/// q [T, heads, nope + rope]; out [T, heads, v_dim]; kv_b [heads·(nope + v_dim), kv_lora], per head
/// nope rows then v rows; cache per sequence [cache_rows[s], kv_lora + rope] = normalised latent |
/// k_pe, the new tokens' rows already appended; the i-th new token of sequence s sits at
/// cache_rows[s] − (number of its new tokens) + i. first_token int32 [S + 1], cache_rows int64 [S]
/// and the pointer array [S] in device memory. Tolerance vs reference: 5e-6 of the largest value.
struct MlaArgs {
  const float* q;
  Matrix kv_b;
  const float* const* cache;
  const std::int64_t* cache_rows;
  const std::int32_t* first_token;
  float scale;
  float* out;
  std::int64_t sequences;
  std::int64_t heads;
  std::int64_t nope;
  std::int64_t rope;
  std::int64_t v_dim;
  std::int64_t kv_lora;
};

/// Appends the new tokens' rows to each sequence's cache: row = rms_norm(kv_a[:, :kv_lora]; norm,
/// eps) | kv_a[:, kv_lora:]. kv_a [T, kv_lora + rope]; cache[s] has room for at least cache_rows[s]
/// rows and its last (new tokens of s) rows are written.
struct MlaCacheArgs {
  const float* kv_a;
  Vector norm;
  float eps;
  float* const* cache;
  const std::int64_t* cache_rows;
  const std::int32_t* first_token;
  std::int64_t sequences;
  std::int64_t kv_lora;
  std::int64_t rope;
};

}  // namespace k3::ops
