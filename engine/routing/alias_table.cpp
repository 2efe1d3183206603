#include "engine/routing/alias_table.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/check.h"

namespace k3 {

namespace {

std::uint64_t height_of(double share) {
  constexpr double kWhole = 0x1.0p64;
  if (share >= 1) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(share * kWhole);
}

}  // namespace

AliasTable::AliasTable(std::span<const double> weights) : columns_(weights.size()) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  K3_CHECK(total > 0 && total <= std::numeric_limits<double>::max(), "sum of weights is {}", total);
  const auto heaviest = static_cast<std::uint32_t>(
      std::max_element(weights.begin(), weights.end()) - weights.begin());

  std::vector<double> height(weights.size());
  std::vector<std::uint32_t> low;
  std::vector<std::uint32_t> high;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    height[i] = weights[i] / total * static_cast<double>(weights.size());
    (height[i] < 1 ? low : high).push_back(i);
    columns_[i].index = i;
  }
  while (!low.empty() && !high.empty()) {
    const std::uint32_t small = low.back();
    const std::uint32_t large = high.back();
    low.pop_back();
    columns_[small].own = height_of(height[small]);
    columns_[small].other = large;
    height[large] -= 1 - height[small];
    if (height[large] < 1) {
      high.pop_back();
      low.push_back(large);
    }
  }
  // NOTE: what is left differs from height 1 by rounding only; a weight of 0 still must own
  // nothing.
  for (const std::vector<std::uint32_t>* rest : {&low, &high}) {
    for (const std::uint32_t i : *rest) {
      columns_[i].own = weights[i] > 0 ? height_of(1) : 0;
      columns_[i].other = weights[i] > 0 ? i : heaviest;
    }
  }
}

}  // namespace k3
