#include "engine/routing/placement.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "engine/base/check.h"
#include "engine/base/rng.h"

namespace k3 {

namespace {

/// How far the shares of one expert may sum from 1: files print them with few digits.
constexpr double kShareTolerance = 1e-6;

Result<void> check_slots(const LayerPlacement& layer,
                         int num_experts,
                         int num_ranks,
                         const std::string& where) {
  const std::size_t slots = layer.slot_to_expert.size();
  if (layer.slot_rank.size() != slots || layer.share.size() != slots) {
    return fail(
        Code::invalid_input,
        fmt::format("slot_to_expert has {} entries, slot_rank {}, share {}; one each per slot",
                    slots, layer.slot_rank.size(), layer.share.size()),
        where);
  }
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const std::int32_t expert = layer.slot_to_expert[slot];
    const std::int32_t rank = layer.slot_rank[slot];
    const double share = layer.share[slot];
    if (expert < -1 || expert >= num_experts) {
      return fail(
          Code::invalid_input,
          fmt::format("expert {}; 0 to {}, or -1 for an empty slot", expert, num_experts - 1),
          fmt::format("{}.slot_to_expert[{}]", where, slot));
    }
    if (rank < 0 || rank >= num_ranks) {
      return fail(Code::invalid_input, fmt::format("rank {}; 0 to {}", rank, num_ranks - 1),
                  fmt::format("{}.slot_rank[{}]", where, slot));
    }
    if (slot > 0 && rank < layer.slot_rank[slot - 1]) {
      return fail(Code::invalid_input,
                  fmt::format("rank {} after rank {}; slots ascend by rank", rank,
                              layer.slot_rank[slot - 1]),
                  fmt::format("{}.slot_rank[{}]", where, slot));
    }
    if (!(share >= 0 && share <= 1 + kShareTolerance) || (expert < 0 && share != 0)) {
      return fail(Code::invalid_input,
                  fmt::format("share {}; {}", share,
                              expert < 0 ? "0 for an empty slot" : "between 0 and 1"),
                  fmt::format("{}.share[{}]", where, slot));
    }
  }
  return {};
}

Result<void> check_shares(const LayerPlacement& layer, int num_experts, const std::string& where) {
  std::vector<double> sum(static_cast<std::size_t>(num_experts));
  std::vector<int> replicas(sum.size());
  for (std::size_t slot = 0; slot < layer.slot_to_expert.size(); ++slot) {
    if (layer.slot_to_expert[slot] < 0) continue;
    const auto expert = static_cast<std::size_t>(layer.slot_to_expert[slot]);
    sum[expert] += layer.share[slot];
    ++replicas[expert];
  }
  for (std::size_t expert = 0; expert < sum.size(); ++expert) {
    if (replicas[expert] == 0) {
      return fail(Code::invalid_input,
                  fmt::format("expert {} has no slot; every expert needs at least one", expert),
                  where);
    }
    if (std::abs(sum[expert] - 1) > kShareTolerance) {
      return fail(Code::invalid_input,
                  fmt::format("the shares of expert {} sum to {}; 1 is right", expert, sum[expert]),
                  where);
    }
  }
  return {};
}

}  // namespace

Placement::Placement(int num_experts, int num_ranks, std::vector<LayerPlacement> layers)
    : num_experts_(num_experts), num_ranks_(num_ranks), layers_(std::move(layers)) {
  index_.reserve(layers_.size());
  for (const LayerPlacement& layer : layers_) {
    Index index;
    index.first_slot.resize(static_cast<std::size_t>(num_experts) + 1);
    index.first_of_rank.resize(static_cast<std::size_t>(num_ranks) + 1);
    for (const std::int32_t expert : layer.slot_to_expert) {
      if (expert >= 0) ++index.first_slot[static_cast<std::size_t>(expert) + 1];
    }
    for (const std::int32_t rank : layer.slot_rank) {
      ++index.first_of_rank[static_cast<std::size_t>(rank) + 1];
    }
    std::partial_sum(index.first_slot.begin(), index.first_slot.end(), index.first_slot.begin());
    std::partial_sum(index.first_of_rank.begin(), index.first_of_rank.end(),
                     index.first_of_rank.begin());
    index.slots.resize(static_cast<std::size_t>(index.first_slot.back()));
    std::vector<std::int32_t> next = index.first_slot;
    for (std::size_t slot = 0; slot < layer.slot_to_expert.size(); ++slot) {
      if (layer.slot_to_expert[slot] < 0) continue;
      const auto expert = static_cast<std::size_t>(layer.slot_to_expert[slot]);
      index.slots[static_cast<std::size_t>(next[expert]++)] = static_cast<std::int32_t>(slot);
    }
    index_.push_back(std::move(index));
  }
}

Placement Placement::contiguous(int num_layers, int num_experts, int num_ranks) {
  K3_CHECK(num_ranks > 0, "{} ranks", num_ranks);
  LayerPlacement layer;
  const int each = num_experts / num_ranks;
  const int larger_ranks = num_experts % num_ranks;
  for (int rank = 0; rank < num_ranks; ++rank) {
    const int owned = each + (rank < larger_ranks ? 1 : 0);
    layer.slot_rank.insert(layer.slot_rank.end(), static_cast<std::size_t>(owned), rank);
  }
  layer.slot_to_expert.resize(static_cast<std::size_t>(num_experts));
  std::iota(layer.slot_to_expert.begin(), layer.slot_to_expert.end(), 0);
  layer.share.assign(static_cast<std::size_t>(num_experts), 1.0);
  return {num_experts, num_ranks,
          std::vector<LayerPlacement>(static_cast<std::size_t>(num_layers), layer)};
}

Result<Placement> Placement::from_layers(int num_experts,
                                         int num_ranks,
                                         std::vector<LayerPlacement> layers) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string where = fmt::format("layers[{}]", i);
    if (layers[i].slot_to_expert.size() != layers[0].slot_to_expert.size()) {
      return fail(Code::invalid_input,
                  fmt::format("{} slots, layers[0] has {}; all layers have equally many",
                              layers[i].slot_to_expert.size(), layers[0].slot_to_expert.size()),
                  where);
    }
    K3_TRY_VOID(check_slots(layers[i], num_experts, num_ranks, where));
    K3_TRY_VOID(check_shares(layers[i], num_experts, where));
  }
  return Placement(num_experts, num_ranks, std::move(layers));
}

int Placement::slot_of(int moe_layer,
                       int expert,
                       std::int32_t sequence,
                       std::int64_t position) const {
  const std::span<const std::int32_t> replicas = replica_slots(moe_layer, expert);
  if (replicas.size() == 1) return replicas.front();
  const double u =
      unit_interval(hash_words(static_cast<std::uint64_t>(sequence), position, moe_layer, expert));
  const std::vector<double>& share = layer(moe_layer).share;
  double cumulative = 0;
  std::int32_t last = replicas.front();
  for (const std::int32_t slot : replicas) {
    if (share[static_cast<std::size_t>(slot)] <= 0) continue;
    last = slot;
    cumulative += share[static_cast<std::size_t>(slot)];
    if (u < cumulative) break;
  }
  return last;
}

}  // namespace k3
