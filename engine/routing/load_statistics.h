#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/routing/placement.h"

namespace k3 {

/// Largest value over the mean of all; 1 where everything is 0 (no load is balanced).
double max_over_mean(std::span<const std::uint32_t> load);

/// Copies per rank of one layer, from copies per slot.
std::vector<std::uint32_t> rank_tokens(const Placement& placement,
                                       int moe_layer,
                                       std::span<const std::uint32_t> slot_tokens);

/// Ranks that one token's copies reach on average when every set of `top_k` distinct experts is
/// equally likely and experts lie contiguously: Σ over ranks of 1 − C(E − n, K) / C(E, K), n
/// experts on the rank.
double expected_distinct_ranks(int num_experts, int num_ranks, int top_k);

}  // namespace k3
