#pragma once

#include <cstdint>
#include <span>

#include "kernels/ops/dense.h"

// Loops over single rows and elements that several operators share.
namespace k3::reference {

/// Σ values², index ascending, float32.
float sum_of_squares(std::span<const float> values);

/// out = x / sqrt(mean(x²) + eps) · weight for one row; out may be x.
void normalise_row(std::span<const float> x, const float* weight, float eps, float* out);

/// Probabilities from scores, in place: exp(s − max) / Σ.
void softmax_row(std::span<float> scores);

/// out[i] = sigmoid(x[i]); out may be x.
void sigmoid_row(std::span<const float> x, float* out);

/// out[i] = a[i] · sigmoid(gate[i]); out may be a or gate.
void gate_row(std::span<const float> a, const float* gate, float* out);

/// x[i] = exp(x[i]).
void exp_row(std::span<float> x);

/// SiTU-GLU of `args.elements` values.
void situ_row(const ops::SituArgs& args);

}  // namespace k3::reference
