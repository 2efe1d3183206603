#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace k3 {

/// Where the experts of one MoE layer live: slots in rank order, each holding an expert (−1: empty)
/// and the share of that expert's tokens that this replica takes (shares of an expert sum to 1).
struct LayerPlacement {
  std::vector<std::int32_t> slot_to_expert;
  std::vector<std::int32_t> slot_rank;  ///< ascending
  std::vector<double> share;
};

/// Slot → expert for every MoE layer, validated; answers "which slot serves this copy". Immutable.
class Placement {
 public:
  /// No layers.
  Placement() = default;

  /// Expert e of E lives on one of R ranks, contiguous: the first E mod R ranks own one expert
  /// more.
  static Placement contiguous(int num_layers, int num_experts, int num_ranks);

  /// Errors: entries that are not one per slot, an expert without a slot, shares that do not sum to
  /// 1, ranks out of range or not ascending, layers of unequal slot counts
  static Result<Placement> from_layers(int num_experts,
                                       int num_ranks,
                                       std::vector<LayerPlacement> layers);

  int num_layers() const { return static_cast<int>(layers_.size()); }

  int num_experts() const { return num_experts_; }

  int num_ranks() const { return num_ranks_; }

  const LayerPlacement& layer(int moe_layer) const {
    return layers_[static_cast<std::size_t>(moe_layer)];
  }

  /// Slot that serves one copy. Replicas: u = splitmix64(sequence, position, MoE layer, expert) /
  /// 2⁶⁴ against the cumulative share in slot order, so that every rank and the simulator agree.
  int slot_of(int moe_layer, int expert, std::int32_t sequence, std::int64_t position) const;

  int rank_of_slot(int moe_layer, int slot) const {
    return layer(moe_layer).slot_rank[static_cast<std::size_t>(slot)];
  }

  /// Slots that hold `expert`, ascending.
  std::span<const std::int32_t> replica_slots(int moe_layer, int expert) const {
    const Index& index = index_[static_cast<std::size_t>(moe_layer)];
    const auto first = static_cast<std::size_t>(index.first_slot[static_cast<std::size_t>(expert)]);
    const auto last =
        static_cast<std::size_t>(index.first_slot[static_cast<std::size_t>(expert) + 1]);
    return std::span(index.slots).subspan(first, last - first);
  }

  /// Slots of `rank`, a contiguous range [first, last).
  std::pair<int, int> slots_of_rank(int moe_layer, int rank) const {
    const std::vector<std::int32_t>& first =
        index_[static_cast<std::size_t>(moe_layer)].first_of_rank;
    return {first[static_cast<std::size_t>(rank)], first[static_cast<std::size_t>(rank) + 1]};
  }

 private:
  /// What is looked up, derived from the layer's slots.
  struct Index {
    std::vector<std::int32_t> first_slot;     ///< [expert + 1] into slots
    std::vector<std::int32_t> slots;          ///< grouped by expert, ascending in each group
    std::vector<std::int32_t> first_of_rank;  ///< [rank + 1]
  };

  Placement(int num_experts, int num_ranks, std::vector<LayerPlacement> layers);

  int num_experts_ = 0;
  int num_ranks_ = 0;
  std::vector<LayerPlacement> layers_;
  std::vector<Index> index_;
};

}  // namespace k3
