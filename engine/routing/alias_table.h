#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace k3 {

/// Draws an index with probability proportional to its weight in constant time. Every index owns a
/// column of height 1: the lower part is its own, the rest belongs to one other index. Weights are
/// finite, non-negative, at least one positive; an index of weight 0 is never drawn. Source:
/// Walker's alias method, built as in Vose, "A linear algorithm for generating random numbers with
/// a given distribution", IEEE TSE 1991.
class AliasTable {
 public:
  explicit AliasTable(std::span<const double> weights);

  /// The index that a uniform 64-bit word stands for. The word's product with the number of columns
  /// gives the column (upper half) and the height inside it (lower half, resolution size · 2⁻⁶⁴).
  std::uint32_t draw(std::uint64_t word) const {
    const auto product = static_cast<Wide>(word) * columns_.size();
    const Column& column = columns_[static_cast<std::size_t>(product >> 64)];
    const auto height = static_cast<std::uint64_t>(product);
    return height < column.own ? column.index : column.other;
  }

 private:
  __extension__ using Wide = unsigned __int128;

  struct Column {
    std::uint64_t own = 0;  ///< height of the own part, of 2⁶⁴
    std::uint32_t index = 0;
    std::uint32_t other = 0;
  };

  std::vector<Column> columns_;
};

}  // namespace k3
