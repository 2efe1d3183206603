#pragma once

#include <cstdint>

#include "kernels/ops/matrix.h"

// Operators over whole rows of activations. All activations are float32, row-major, contiguous, in
// device memory; T = tokens. Every output row depends on its own input row only, so results do not
// change with the batch that a token is part of. Sums run over k ascending in float32 without fused
// multiply-add on the reference backend (same bits on every CPU); other backends: 5e-6 of the
// largest value.
namespace k3::ops {

/// out[t, :] = table[ids[t], :]. ids int32 [T], table [vocab, hidden], out [T, hidden]. Exact.
struct EmbedArgs {
  const std::int32_t* ids;
  Matrix table;
  float* out;
  std::int64_t tokens;
};

/// out[t, o] = Σ_i x[t, i] · weight[o, i]. x [T, in], out [T, out].
struct LinearArgs {
  const float* x;
  Matrix weight;
  float* out;
  std::int64_t tokens;
};

/// out = x / sqrt(mean(x²) + eps) · weight, per row. x, out [T, width]; out may be x.
struct RmsNormArgs {
  const float* x;
  Vector weight;
  float eps;
  float* out;
  std::int64_t tokens;
};

/// out = beta·tanh(gate/beta)·sigmoid(gate) · linear_beta·tanh(up/linear_beta); all [T, width].
/// linear_beta = 0: up enters uncapped. out may be gate or up.
struct SituArgs {
  const float* gate;
  const float* up;
  float beta;
  float linear_beta;
  float* out;
  std::int64_t elements;
};

/// out = a + b, `elements` values; out may be a or b.
struct AddArgs {
  const float* a;
  const float* b;
  float* out;
  std::int64_t elements;
};

/// x *= sigmoid(gate), in place (MLA output gate).
struct SigmoidGateArgs {
  float* x;
  const float* gate;
  std::int64_t elements;
};

/// out[i, :] = x[rows[i], :]. x [any, width], rows int32 [count], out [count, width].
struct GatherRowsArgs {
  const float* x;
  const std::int32_t* rows;
  float* out;
  std::int64_t count;
  std::int64_t width;
};

/// ids[t] = index of the largest logit of row t, the lowest index on a tie. logits [T, vocab].
struct ArgmaxArgs {
  const float* logits;
  std::int32_t* ids;
  std::int64_t tokens;
  std::int64_t vocab;
};

/// Mix of n sources per token: e_i = Σ_d v_i[d] · rsqrt(mean(v_i²) + eps) · norm[d] · proj[d];
/// p = softmax_i(e); out = Σ_i p_i v_i with the un-normalised v_i.
/// Source: k3 specification 3.1. sources: n pointers (host memory) to [T, width]; n <= kMaxSources.
struct AttnResMixArgs {
  static constexpr int kMaxSources = 128;
  const float* const* sources;
  int num_sources;
  Vector norm;
  Vector proj;
  float eps;
  float* out;
  std::int64_t tokens;
};

}  // namespace k3::ops
