#include "engine/routing/load_statistics.h"

#include <algorithm>
#include <numeric>

namespace k3 {

double max_over_mean(std::span<const std::uint32_t> load) {
  const double sum = std::accumulate(load.begin(), load.end(), 0.0);
  if (sum <= 0) return 1;
  return *std::max_element(load.begin(), load.end()) * static_cast<double>(load.size()) / sum;
}

std::vector<std::uint32_t> rank_tokens(const Placement& placement,
                                       int moe_layer,
                                       std::span<const std::uint32_t> slot_tokens) {
  std::vector<std::uint32_t> tokens(static_cast<std::size_t>(placement.num_ranks()));
  for (std::size_t slot = 0; slot < slot_tokens.size(); ++slot) {
    const int rank = placement.rank_of_slot(moe_layer, static_cast<int>(slot));
    tokens[static_cast<std::size_t>(rank)] += slot_tokens[slot];
  }
  return tokens;
}

double expected_distinct_ranks(int num_experts, int num_ranks, int top_k) {
  // Chance that no copy meets a rank with n experts: Π over j < K of (E − n − j) / (E − j).
  const auto missed = [&](int n) {
    double chance = 1;
    for (int j = 0; j < top_k; ++j) {
      chance *= std::max(0, num_experts - n - j) / static_cast<double>(num_experts - j);
    }
    return chance;
  };
  const int each = num_experts / num_ranks;
  const int larger_ranks = num_experts % num_ranks;
  return larger_ranks * (1 - missed(each + 1)) + (num_ranks - larger_ranks) * (1 - missed(each));
}

}  // namespace k3
