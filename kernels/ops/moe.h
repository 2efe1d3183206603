#pragma once

#include <cstdint>

#include "kernels/ops/matrix.h"

namespace k3::ops {

enum class ScoreFunction : std::uint8_t { sigmoid, softmax };

/// Chooses experts (k3 specification 3.4): s = function(logits); ids = top_k of s + bias by falling
/// biased score, the lower expert first on a tie; weights = s[ids], divided by their sum + 1e-20
/// when `renormalize` and top_k > 1, times scaling. logits [T, experts], bias f32 [experts], ids
/// int32 [T, top_k], weights [T, top_k]; margin [T] or null: gap between the last chosen and the
/// first rejected biased score (+inf if all are chosen). `forced` int32 [T, top_k] or null: these
/// ids instead (weights from their scores; margin is not written). Ids are exact.
struct RouteArgs {
  const float* logits;
  const float* bias;
  const std::int32_t* forced;
  ScoreFunction function;
  bool renormalize;
  float scaling;
  std::int32_t* ids;
  float* weights;
  float* margin;
  std::int64_t tokens;
  std::int64_t experts;
  std::int64_t top_k;
};

/// Weights of one routed expert: w1 gate and w3 up [width, latent], w2 down [latent, width].
struct ExpertWeights {
  Matrix w1;
  Matrix w3;
  Matrix w2;
};

/// out[i] = w2 · situ(w1 · x[i], w3 · x[i]) for rows grouped by expert: rows first_row[e] ..
/// first_row[e + 1] belong to experts[e]. x, out [rows, latent]; first_row int64 [num_experts + 1]
/// and experts [num_experts] in host memory. A row's result does not depend on the other rows.
struct ExpertMlpArgs {
  const float* x;
  const ExpertWeights* experts;
  const std::int64_t* first_row;
  float beta;
  float linear_beta;
  float* out;
  std::int64_t num_experts;
  std::int64_t latent;
  std::int64_t width;
};

/// out[t] = Σ_j weights[t, j] · x[row[t, j]], j ascending (router order). x [rows, width],
/// row int32 [T, top_k], weights [T, top_k], out [T, width].
struct CombineArgs {
  const float* x;
  const std::int32_t* row;
  const float* weights;
  float* out;
  std::int64_t tokens;
  std::int64_t top_k;
  std::int64_t width;
};

}  // namespace k3::ops
