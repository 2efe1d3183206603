#pragma once

#include <cstdint>

#include "kernels/ops/matrix.h"

// Weights as stored to float32, exactly.
namespace k3::reference {

/// Columns that share one E8M0 scale byte.
inline constexpr std::int64_t kScaleBlock = 32;

/// Part of one row of a matrix: columns [first, first + count). For mxfp4 `first` is a multiple
/// of 32.
struct RowSlice {
  std::int64_t row;
  std::int64_t first;
  std::int64_t count;
};

/// out[0 .. count) = the slice as float32. Memory need not be aligned to the element.
void decode_row(const ops::Matrix& matrix, RowSlice slice, float* out);

/// out[0 .. size) = the vector as float32.
void decode_vector(const ops::Vector& vector, float* out);

}  // namespace k3::reference
