#include "kernels/reference/product.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/base/hot_loops.h"
#include "kernels/reference/decode.h"

namespace k3::reference {
namespace {

constexpr std::int64_t kLanes = 16;   // outputs of a tile
constexpr std::int64_t kDepth = 256;  // k of a tile: 16 KiB, half of a first-level cache

using Quad = float __attribute__((vector_size(16)));
using Octet = float __attribute__((vector_size(32), aligned(4), may_alias));

/// A weight tile in k-major order: `depth` rows of 16 outputs, `stride` apart.
struct Tile {
  const float* data;
  std::int64_t stride;
  std::int64_t depth;
  std::int64_t lanes;  ///< outputs that exist, <= 16
};

/// Continues the sums of `kRows` rows of x with one tile. `sums` rows are 16 wide.
template <int kRows>
__attribute__((always_inline)) inline void add_tile(
    const float* x, std::int64_t x_stride, const Tile& tile, float* out, std::int64_t out_stride) {
  Octet low[kRows];
  Octet high[kRows];
  for (int r = 0; r < kRows; ++r) {
    low[r] = *reinterpret_cast<const Octet*>(out + r * out_stride);
    high[r] = *reinterpret_cast<const Octet*>(out + r * out_stride + 8);
  }
  for (std::int64_t k = 0; k < tile.depth; ++k) {
    const Octet w_low = *reinterpret_cast<const Octet*>(tile.data + k * tile.stride);
    const Octet w_high = *reinterpret_cast<const Octet*>(tile.data + k * tile.stride + 8);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const float value = x[r * x_stride + k];
      low[r] += value * w_low;
      high[r] += value * w_high;
    }
  }
  for (int r = 0; r < kRows; ++r) {
    *reinterpret_cast<Octet*>(out + r * out_stride) = low[r];
    *reinterpret_cast<Octet*>(out + r * out_stride + 8) = high[r];
  }
}

/// All rows of x, four at a time; `out` holds the sums so far and has room for 16 outputs.
K3_CLONES void add_full_tile(const Rows& x, const Tile& tile, const OutRows& out) {
  std::int64_t t = 0;
  for (; t + 4 <= x.count; t += 4) {
    add_tile<4>(x.data + t * x.stride, x.stride, tile, out.data + t * out.stride, out.stride);
  }
  for (; t < x.count; ++t) {
    add_tile<1>(x.data + t * x.stride, x.stride, tile, out.data + t * out.stride, out.stride);
  }
}

/// As above for a last tile with fewer than 16 outputs: sums go through a buffer.
void add_narrow_tile(const Rows& x, const Tile& tile, const OutRows& out) {
  constexpr std::int64_t kGroup = 16;
  std::array<float, static_cast<std::size_t>(kGroup * kLanes)> buffer{};
  const auto bytes = static_cast<std::size_t>(tile.lanes) * sizeof(float);
  for (std::int64_t first = 0; first < x.count; first += kGroup) {
    const std::int64_t count = std::min(kGroup, x.count - first);
    float* part = out.data + first * out.stride;
    for (std::int64_t t = 0; t < count; ++t) {
      std::memcpy(buffer.data() + t * kLanes, part + t * out.stride, bytes);
    }
    add_full_tile({x.data + first * x.stride, count, x.stride}, tile, {buffer.data(), kLanes});
    for (std::int64_t t = 0; t < count; ++t) {
      std::memcpy(part + t * out.stride, buffer.data() + t * kLanes, bytes);
    }
  }
}

void add(const Rows& x, const Tile& tile, const OutRows& out) {
  if (tile.lanes == kLanes) {
    add_full_tile(x, tile, out);
  } else {
    add_narrow_tile(x, tile, out);
  }
}

Quad load_quad(const float* from) {
  Quad quad;
  std::memcpy(&quad, from, sizeof(quad));
  return quad;
}

void store_quad(float* to, Quad quad) {
  std::memcpy(to, &quad, sizeof(quad));
}

/// tile[k, o] = rows[o][k] for 16 rows.
void transpose(const std::array<const float*, kLanes>& rows, std::int64_t depth, float* tile) {
  for (std::int64_t o = 0; o < kLanes; o += 4) {
    const float* const* row = rows.data() + o;
    std::int64_t k = 0;
    for (; k + 4 <= depth; k += 4) {
      const Quad a = load_quad(row[0] + k);
      const Quad b = load_quad(row[1] + k);
      const Quad c = load_quad(row[2] + k);
      const Quad d = load_quad(row[3] + k);
      const Quad ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
      const Quad ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      const Quad cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
      const Quad cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      float* to = tile + k * kLanes + o;
      store_quad(to, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
      store_quad(to + kLanes, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
      store_quad(to + 2 * kLanes, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
      store_quad(to + 3 * kLanes, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
    }
    for (; k < depth; ++k) {
      for (std::int64_t i = 0; i < 4; ++i)
        tile[k * kLanes + o + i] = row[i][k];
    }
  }
}

void clear(const Rows& x, std::int64_t outputs, const OutRows& out) {
  for (std::int64_t t = 0; t < x.count; ++t) {
    std::fill_n(out.data + t * out.stride, outputs, 0.0F);
  }
}

/// Columns [k, k + depth) of 16 weight rows beginning at `first`, k-major; rows that do not exist
/// repeat the last one.
class TileReader {
 public:
  TileReader(const ops::Matrix& matrix, RowRange rows) : matrix_(matrix), rows_(rows) {}

  Tile read(std::int64_t output, std::int64_t k, std::int64_t depth) {
    std::array<const float*, kLanes> rows{};
    const std::int64_t lanes = std::min(kLanes, rows_.count - output);
    for (std::int64_t o = 0; o < kLanes; ++o) {
      float* row = decoded_.data() + std::min(o, lanes - 1) * kDepth;
      rows[static_cast<std::size_t>(o)] = row;
      if (o < lanes) {
        decode_row(matrix_, {.row = rows_.first + output + o, .first = k, .count = depth}, row);
      }
    }
    transpose(rows, depth, tile_.data());
    return {tile_.data(), kLanes, depth, lanes};
  }

 private:
  ops::Matrix matrix_;
  RowRange rows_;
  alignas(64) std::array<float, kLanes * kDepth> decoded_;
  alignas(64) std::array<float, kLanes * kDepth> tile_;
};

}  // namespace

void multiply(const Rows& x, const ops::Matrix& weight, RowRange rows, const OutRows& out) {
  if (x.count == 0) return;
  clear(x, rows.count, out);
  TileReader reader(weight, rows);
  for (std::int64_t o = 0; o < rows.count; o += kLanes) {
    for (std::int64_t k = 0; k < weight.cols; k += kDepth) {
      const Tile tile = reader.read(o, k, std::min(kDepth, weight.cols - k));
      add({x.data + k, x.count, x.stride}, tile, {out.data + o, out.stride});
    }
  }
}

void multiply(const Rows& x, const FloatMatrix& matrix, const OutRows& out) {
  if (x.count == 0) return;
  clear(x, matrix.rows, out);
  alignas(64) std::array<float, kLanes * kDepth> buffer;
  for (std::int64_t o = 0; o < matrix.rows; o += kLanes) {
    const std::int64_t lanes = std::min(kLanes, matrix.rows - o);
    for (std::int64_t k = 0; k < matrix.cols; k += kDepth) {
      const std::int64_t depth = std::min(kDepth, matrix.cols - k);
      std::array<const float*, kLanes> rows{};
      for (std::int64_t i = 0; i < kLanes; ++i) {
        rows[static_cast<std::size_t>(i)] =
            matrix.data + (o + std::min(i, lanes - 1)) * matrix.stride + k;
      }
      transpose(rows, depth, buffer.data());
      add({x.data + k, x.count, x.stride}, {buffer.data(), kLanes, depth, lanes},
          {out.data + o, out.stride});
    }
  }
}

void multiply_transposed(const Rows& x, const FloatMatrix& matrix, const OutRows& out, Sums sums) {
  if (x.count == 0) return;
  if (sums == Sums::from_zero) clear(x, matrix.cols, out);
  alignas(64) std::array<float, kLanes * kDepth> buffer;
  for (std::int64_t o = 0; o < matrix.cols; o += kLanes) {
    const std::int64_t lanes = std::min(kLanes, matrix.cols - o);
    for (std::int64_t k = 0; k < matrix.rows; k += kDepth) {
      const std::int64_t depth = std::min(kDepth, matrix.rows - k);
      Tile tile{matrix.data + k * matrix.stride + o, matrix.stride, depth, lanes};
      if (lanes < kLanes) {
        // NOTE: a whole 16-wide read would run past the matrix.
        buffer.fill(0.0F);
        for (std::int64_t i = 0; i < depth; ++i) {
          std::copy_n(tile.data + i * matrix.stride, lanes, buffer.data() + i * kLanes);
        }
        tile.data = buffer.data();
        tile.stride = kLanes;
      }
      add({x.data + k, x.count, x.stride}, tile, {out.data + o, out.stride});
    }
  }
}

void multiply_transposed(const Rows& x,
                         const ops::Matrix& weight,
                         RowRange rows,
                         const OutRows& out) {
  if (x.count == 0) return;
  clear(x, weight.cols, out);
  // NOTE: decoded columns of one k-block, kDepth wide at a time; a multiple of 32 keeps scales
  // whole.
  constexpr std::int64_t kBlock = 64;
  alignas(64) std::array<float, kBlock * kDepth> buffer;
  for (std::int64_t c = 0; c < weight.cols; c += kDepth) {
    const std::int64_t width = std::min(kDepth, weight.cols - c);
    for (std::int64_t k = 0; k < rows.count; k += kBlock) {
      const std::int64_t depth = std::min(kBlock, rows.count - k);
      for (std::int64_t i = 0; i < depth; ++i) {
        decode_row(weight, {.row = rows.first + k + i, .first = c, .count = width},
                   buffer.data() + i * kDepth);
      }
      multiply_transposed({x.data + k, x.count, x.stride},
                          FloatMatrix{buffer.data(), depth, width, kDepth},
                          {out.data + c, out.stride}, Sums::go_on);
    }
  }
}

}  // namespace k3::reference
