#pragma once

#include <cstdint>

#include "kernels/ops/matrix.h"

// The one matrix product behind every operator. Each output is a chain of float32 additions over k
// ascending; weights are decoded a tile of 16 outputs at a time into k-major order, so that the
// lanes of a vector are outputs and the bits do not depend on the vector width, the tile or the
// other rows.
namespace k3::reference {

/// Rows of float32 with a common distance.
struct Rows {
  const float* data;
  std::int64_t count;
  std::int64_t stride;
};

struct OutRows {
  float* data;
  std::int64_t stride;
};

/// Whether a product starts from 0 or continues the sums that `out` holds.
enum class Sums { from_zero, go_on };

/// Rows [first, first + count) of a matrix.
struct RowRange {
  std::int64_t first;
  std::int64_t count;
};

/// out[t, o] = Σ_k x[t, k] · weight[rows.first + o, k] for o in [0, rows.count); k over all
/// columns.
void multiply(const Rows& x, const ops::Matrix& weight, RowRange rows, const OutRows& out);

/// out[t, o] = Σ_k x[t, k] · weight[rows.first + k, o]: the rows of the matrix are the k of the
/// sum.
void multiply_transposed(const Rows& x,
                         const ops::Matrix& weight,
                         RowRange rows,
                         const OutRows& out);

/// Float32 matrix with any distance between its rows.
struct FloatMatrix {
  const float* data;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t stride;
};

/// out[t, o] = Σ_k x[t, k] · matrix[o, k].
void multiply(const Rows& x, const FloatMatrix& matrix, const OutRows& out);

/// out[t, o] (+)= Σ_k x[t, k] · matrix[k, o].
void multiply_transposed(const Rows& x, const FloatMatrix& matrix, const OutRows& out, Sums sums);

}  // namespace k3::reference
