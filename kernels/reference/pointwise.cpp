#include "kernels/reference/pointwise.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/hot_loops.h"
#include "kernels/reference/elementary.h"

namespace k3::reference {
namespace {

/// Calls body(first, count) for pieces of at most 64 elements: results are collected in a local
/// array, which the compiler knows not to overlap the operands, so that in-place calls vectorise
/// too.
constexpr std::int64_t kPiece = 64;

template <class Value>
__attribute__((always_inline)) inline void fill(std::int64_t size, float* out, Value value) {
  std::array<float, static_cast<std::size_t>(kPiece)> piece;
  std::int64_t first = 0;
  for (; first + kPiece <= size; first += kPiece) {
    for (std::int64_t i = 0; i < kPiece; ++i) {
      piece[static_cast<std::size_t>(i)] = static_cast<float>(value(first + i));
    }
    std::copy_n(piece.data(), kPiece, out + first);
  }
  for (; first < size; ++first)
    out[first] = static_cast<float>(value(first));
}

std::int64_t size_of(std::span<const float> values) {
  return static_cast<std::int64_t>(values.size());
}

/// The gate half of SiTU, in double.
double capped_silu(double gate, double beta, double inverse_beta) {
  return beta * tanh(gate * inverse_beta) * sigmoid(gate);
}

K3_CLONES void situ_uncapped(const ops::SituArgs& args) {
  const double beta = args.beta;
  const double inverse_beta = 1.0 / beta;
  fill(args.elements, args.out,
       [&](std::int64_t i) { return capped_silu(args.gate[i], beta, inverse_beta) * args.up[i]; });
}

K3_CLONES void situ_capped(const ops::SituArgs& args) {
  const double beta = args.beta;
  const double inverse_beta = 1.0 / beta;
  const double cap = args.linear_beta;
  const double inverse_cap = 1.0 / cap;
  fill(args.elements, args.out, [&](std::int64_t i) {
    return capped_silu(args.gate[i], beta, inverse_beta) * (cap * tanh(args.up[i] * inverse_cap));
  });
}

}  // namespace

float sum_of_squares(std::span<const float> values) {
  float sum = 0;
  for (const float value : values)
    sum += value * value;
  return sum;
}

K3_CLONES void normalise_row(std::span<const float> x, const float* weight, float eps, float* out) {
  const float mean = sum_of_squares(x) / static_cast<float>(x.size());
  const float factor = 1.0F / std::sqrt(mean + eps);
  fill(size_of(x), out,
       [&](std::int64_t i) { return x[static_cast<std::size_t>(i)] * factor * weight[i]; });
}

K3_CLONES void sigmoid_row(std::span<const float> x, float* out) {
  fill(size_of(x), out, [&](std::int64_t i) { return sigmoid(x[static_cast<std::size_t>(i)]); });
}

K3_CLONES void gate_row(std::span<const float> a, const float* gate, float* out) {
  fill(size_of(a), out,
       [&](std::int64_t i) { return a[static_cast<std::size_t>(i)] * sigmoid(gate[i]); });
}

K3_CLONES void exp_row(std::span<float> x) {
  fill(size_of(x), x.data(), [&](std::int64_t i) { return exp(x[static_cast<std::size_t>(i)]); });
}

void softmax_row(std::span<float> scores) {
  if (scores.empty()) return;
  const float largest = *std::max_element(scores.begin(), scores.end());
  for (float& score : scores)
    score -= largest;
  exp_row(scores);
  float sum = 0;
  for (const float score : scores)
    sum += score;
  for (float& score : scores)
    score /= sum;
}

void situ_row(const ops::SituArgs& args) {
  if (args.linear_beta == 0) {
    situ_uncapped(args);
  } else {
    situ_capped(args);
  }
}

}  // namespace k3::reference
