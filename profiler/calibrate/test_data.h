#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ops/matrix.h"
#include "kernels/ops/moe.h"

namespace k3::calibrate {

/// `count` values in (−1, 1), the same for equal arguments; long lists repeat themselves.
std::vector<float> random_floats(std::int64_t count, std::uint64_t seed = 1);

/// `count` indices below `bound`, scattered.
std::vector<std::int32_t> scattered(std::int64_t count, std::int64_t bound);

/// A bf16 matrix [rows, cols] that owns its values, within ±1/8.
struct Bf16Matrix {
  Bf16Matrix(std::int64_t rows, std::int64_t cols);

  ops::Matrix view() const;
  ops::Vector row() const;  ///< the first one

  std::int64_t rows;
  std::int64_t cols;
  std::vector<std::uint16_t> values;
};

/// MXFP4 experts [latent → width → latent], one after the other in memory.
struct ExpertPool {
  ExpertPool(std::int64_t count, std::int64_t latent, std::int64_t width);

  std::int64_t bytes_per_expert() const;

  std::vector<std::uint8_t> codes;
  std::vector<std::uint8_t> scales;
  std::vector<ops::ExpertWeights> experts;
};

}  // namespace k3::calibrate
