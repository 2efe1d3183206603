#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/rng.h"
#include "kernels/ops/matrix.h"

namespace k3::test {

/// Values in [-1, 1) from a seed.
std::vector<float> random_values(std::int64_t count, std::uint64_t seed);

/// A matrix in one of the storage formats together with its memory.
class RandomMatrix {
 public:
  RandomMatrix(ops::WeightFormat format, std::int64_t rows, std::int64_t cols, std::uint64_t seed);

  ops::Matrix view() const;

  /// Element (row, col) as float32, decoded by plain arithmetic.
  float at(std::int64_t row, std::int64_t col) const;

 private:
  ops::WeightFormat format_;
  std::int64_t rows_;
  std::int64_t cols_;
  std::vector<std::uint8_t> data_;
  std::vector<std::uint8_t> scale_;
};

}  // namespace k3::test
