#pragma once

#include <cstdint>

#include "kernels/ops/matrix.h"

// Kimi delta attention (k3 specification 3.2). T = tokens of all sequences of the call, laid one
// sequence after the other; first_token int32 [S + 1] gives each sequence's range. Conv history and
// state never cross sequences; per-sequence pointers are arrays [S] in device memory.
namespace k3::ops {

/// y[t, c] = silu(Σ_j weight[c, j] · full[t + j, c]), full = history (taps − 1 rows, oldest first)
/// followed by x; history is replaced by the last taps − 1 rows. x, out [T, channels] (distinct),
/// weight f32 [channels, taps], history [taps − 1, channels] per sequence.
struct ShortConvArgs {
  const float* x;
  const float* weight;
  float* const* history;
  const std::int32_t* first_token;
  float* out;
  std::int64_t sequences;
  std::int64_t channels;
  std::int64_t taps;
};

/// log decay: g[t, h, d] = lower_bound · sigmoid(exp(a_log[h]) · (z[t, h, d] + dt_bias[h, d])).
/// z, g [T, heads, dim] (g may be z); dt_bias f32 [heads, dim]; a_log f32 [>= heads], per head.
struct KdaGateArgs {
  const float* z;
  const float* dt_bias;
  const float* a_log;
  float lower_bound;
  float* g;
  std::int64_t tokens;
  std::int64_t heads;
  std::int64_t dim;
};

/// Per head, token after token: q ← q/sqrt(Σq² + l2_eps) · scale, k ← k/sqrt(Σk² + l2_eps);
/// S ← diag(exp g) S; u = beta (v − Sᵀk); S ← S + k uᵀ; o = Sᵀq.
/// q, k, g [T, heads, key_dim]; v, o [T, heads, value_dim]; beta [T, heads] (already sigmoid);
/// state f32 [heads, key_dim, value_dim] per sequence, updated in place.
struct KdaRecurrenceArgs {
  const float* q;
  const float* k;
  const float* v;
  const float* g;
  const float* beta;
  float scale;
  float l2_eps;
  float* const* state;
  const std::int32_t* first_token;
  float* out;
  std::int64_t sequences;
  std::int64_t heads;
  std::int64_t key_dim;
  std::int64_t value_dim;
};

/// x ← sigmoid(x), `elements` values (beta of the recurrence).
struct SigmoidArgs {
  float* x;
  std::int64_t elements;
};

/// out = rms_norm(o per head; weight, eps) · sigmoid(gate): norm first, gate after.
/// o, gate, out [T, heads, dim]; weight f32 [dim], shared by all heads; out may be o.
struct KdaOutputArgs {
  const float* o;
  const float* gate;
  const float* weight;
  float eps;
  float* out;
  std::int64_t tokens;
  std::int64_t heads;
  std::int64_t dim;
};

}  // namespace k3::ops
