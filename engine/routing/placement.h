#pragma once

#include <cstdint>
#include <span>
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
  /// Expert e of E lives on one of R ranks, contiguous: the first E mod R ranks own one expert
  /// more.
  static Placement contiguous(int num_layers, int num_experts, int num_ranks);

  /// Errors: an expert without a slot, shares that do not sum to 1, ranks out of range or not
  /// ascending, layers of unequal slot counts
  static Result<Placement> from_layers(int num_experts,
                                       int num_ranks,
                                       std::vector<LayerPlacement> layers);

  int num_layers() const { return static_cast<int>(layers_.size()); }

  int num_experts() const { return num_experts_; }

  int num_ranks() const { return num_ranks_; }

  const LayerPlacement& layer(int moe_layer) const {
    return layers_[static_cast<std::size_t>(moe_layer)];
  }

  /// Slot that serves one copy. Replicas: u = splitmix64(sequence, position, layer, expert) / 2⁶⁴
  /// against the cumulative share in slot order, so that every rank and the simulator agree.
  int slot_of(int moe_layer, int expert, std::int32_t sequence, std::int64_t position) const;

  int rank_of_slot(int moe_layer, int slot) const {
    return layer(moe_layer).slot_rank[static_cast<std::size_t>(slot)];
  }

  /// Slots of `rank`, a contiguous range [first, last).
  std::pair<int, int> slots_of_rank(int moe_layer, int rank) const;

 private:
  int num_experts_ = 0;
  int num_ranks_ = 0;
  std::vector<LayerPlacement> layers_;
  std::vector<std::vector<std::int32_t>> first_slot_;     ///< [layer][expert] into slots_
  std::vector<std::vector<std::int32_t>> expert_slots_;   ///< [layer] slots grouped by expert
  std::vector<std::vector<std::int32_t>> first_of_rank_;  ///< [layer][rank + 1]
};

}  // namespace k3
