#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/routing/placement.h"
#include "engine/routing/routing.h"

namespace k3 {

/// What one dispatch (or combine) moves between every pair of ranks, row-major
/// [source][destination], source = destination included. A copy is one (token, expert) choice; a
/// row is what is moved.
struct TrafficMatrix {
  int num_ranks = 0;
  std::vector<std::uint32_t> copies;
  std::vector<std::uint32_t> rows;

  explicit TrafficMatrix(int ranks = 0)
      : num_ranks(ranks),
        copies(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks)),
        rows(copies.size()) {}

  std::size_t at(int source, int destination) const {
    return static_cast<std::size_t>(source) * static_cast<std::size_t>(num_ranks) +
           static_cast<std::size_t>(destination);
  }

  TrafficMatrix transposed() const;
};

/// Everything that one MoE layer of one step needs to be costed, counted from the choices.
struct LayerTraffic {
  TrafficMatrix dispatch;  ///< source: owner of the token; destination: rank of the expert
  TrafficMatrix combine;   ///< source: rank of the expert; destination: owner of the token
  std::vector<std::uint32_t> slot_tokens;     ///< copies per slot
  std::vector<std::uint32_t> expert_tokens;   ///< copies per expert
  std::vector<std::int32_t> experts_touched;  ///< per rank: slots with at least one copy
};

enum class RowCount : std::uint8_t {
  per_copy,  ///< rows = copies
  per_rank,  ///< one row per distinct (token, rank): de-duplicated dispatch, combine reduced in the
             ///< rank
};

struct TrafficArgs {
  const StepRouting& routing;
  int moe_layer = 0;
  const Placement& placement;
  std::span<const TokenPosition> tokens;     ///< of the step, global order
  std::span<const std::int32_t> owner_rank;  ///< per token: the rank that owns it
  RowCount dispatch = RowCount::per_rank;
  RowCount combine = RowCount::per_rank;
};

/// Counts one layer.
/// Conservation: Σ copies = tokens × top_k; Σ rows ≤ Σ copies
LayerTraffic count_traffic(const TrafficArgs& args);

}  // namespace k3
