#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/reference/product.h"

namespace k3::reference {

/// Causal softmax attention of a block of queries over keys and values that arrive in chunks of
/// cache rows, so that memory does not grow with the cache: running maximum and sum per query,
/// rescaled when the maximum rises. Chunk borders are absolute positions, hence a query's bits do
/// not depend on the other queries of the call.
class Attention {
 public:
  static constexpr std::int64_t kChunk = 256;    ///< cache rows per chunk
  static constexpr std::int64_t kQueries = 512;  ///< queries whose scores are held at once

  struct Args {
    Rows queries;
    /// Cache rows [0, visible[i]) count for query i; ascending.
    std::span<const std::int64_t> visible;
    float scale;
    OutRows out;  ///< [queries, value_width]
    std::int64_t value_width;
  };

  explicit Attention(const Args& args);

  /// Cache rows [first, first + keys.rows); calls in ascending order.
  void add_chunk(std::int64_t first, const FloatMatrix& keys, const FloatMatrix& values);

  /// Divides by the sums.
  void finish();

 private:
  void add_queries(std::int64_t begin,
                   std::int64_t end,
                   std::int64_t first,
                   const FloatMatrix& values);
  void update_row(std::int64_t query, std::span<float> scores);

  Args args_;
  std::vector<float> largest_;
  std::vector<float> sum_;
  std::vector<float> scores_;  ///< [kQueries, kChunk]
};

}  // namespace k3::reference
