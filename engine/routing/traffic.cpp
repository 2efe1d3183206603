#include "engine/routing/traffic.h"

#include <algorithm>

#include "engine/base/check.h"

namespace k3 {

namespace {

/// Where the copies of one expert go; slot −1: several replicas, the copy decides.
struct Destination {
  std::int32_t slot = -1;
  std::int32_t rank = -1;
};

std::vector<Destination> destinations(const Placement& placement, int moe_layer) {
  std::vector<Destination> result(static_cast<std::size_t>(placement.num_experts()));
  for (int expert = 0; expert < placement.num_experts(); ++expert) {
    const std::span<const std::int32_t> slots = placement.replica_slots(moe_layer, expert);
    if (slots.size() != 1) continue;
    result[static_cast<std::size_t>(expert)] = {slots[0],
                                                placement.rank_of_slot(moe_layer, slots[0])};
  }
  return result;
}

/// Copies and distinct (token, rank) rows from owner to expert rank, and copies per slot.
struct Counts {
  TrafficMatrix traffic;
  std::vector<std::uint32_t> slot_tokens;
};

Counts count_copies(const StepRouting& routing,
                    int moe_layer,
                    const Placement& placement,
                    std::span<const TokenPosition> tokens,
                    std::span<const std::int32_t> owner_rank) {
  const std::vector<Destination> destination = destinations(placement, moe_layer);
  const auto ranks = static_cast<std::size_t>(placement.num_ranks());
  Counts counts{TrafficMatrix(placement.num_ranks()),
                std::vector<std::uint32_t>(placement.layer(moe_layer).slot_rank.size())};
  std::vector<int> last_token(ranks, -1);  // that sent a row to this rank
  for (int token = 0; token < routing.num_tokens; ++token) {
    const auto t = static_cast<std::size_t>(token);
    const std::size_t row = static_cast<std::size_t>(owner_rank[t]) * ranks;
    std::uint32_t* copies = counts.traffic.copies.data() + row;
    std::uint32_t* rows = counts.traffic.rows.data() + row;
    for (const std::uint16_t expert : routing.choice(moe_layer, token)) {
      Destination to = destination[expert];
      if (to.slot < 0) {
        to.slot = placement.slot_of(moe_layer, expert, tokens[t].sequence, tokens[t].position);
        to.rank = placement.rank_of_slot(moe_layer, to.slot);
      }
      const auto rank = static_cast<std::size_t>(to.rank);
      ++counts.slot_tokens[static_cast<std::size_t>(to.slot)];
      ++copies[rank];
      rows[rank] += last_token[rank] != token ? 1U : 0U;
      last_token[rank] = token;
    }
  }
  return counts;
}

TrafficMatrix with_rows(TrafficMatrix matrix, RowCount count) {
  if (count == RowCount::per_copy) matrix.rows = matrix.copies;
  return matrix;
}

}  // namespace

TrafficMatrix TrafficMatrix::transposed() const {
  TrafficMatrix result(num_ranks);
  for (int source = 0; source < num_ranks; ++source) {
    for (int destination = 0; destination < num_ranks; ++destination) {
      result.copies[at(destination, source)] = copies[at(source, destination)];
      result.rows[at(destination, source)] = rows[at(source, destination)];
    }
  }
  return result;
}

LayerTraffic count_traffic(const TrafficArgs& args) {
  const Placement& placement = args.placement;
  const int moe_layer = args.moe_layer;
  const auto num_tokens = static_cast<std::size_t>(args.routing.num_tokens);
  K3_CHECK(args.tokens.size() == num_tokens && args.owner_rank.size() == num_tokens,
           "{} tokens routed, {} positions, {} owners", num_tokens, args.tokens.size(),
           args.owner_rank.size());
  K3_CHECK(
      moe_layer >= 0 && moe_layer < args.routing.num_layers && moe_layer < placement.num_layers(),
      "MoE layer {} of {} routed and {} placed", moe_layer, args.routing.num_layers,
      placement.num_layers());

  Counts counts = count_copies(args.routing, moe_layer, placement, args.tokens, args.owner_rank);
  LayerTraffic traffic;
  traffic.combine = with_rows(counts.traffic.transposed(), args.combine);
  traffic.dispatch = with_rows(std::move(counts.traffic), args.dispatch);
  traffic.slot_tokens = std::move(counts.slot_tokens);
  traffic.expert_tokens.resize(static_cast<std::size_t>(placement.num_experts()));
  traffic.experts_touched.resize(static_cast<std::size_t>(placement.num_ranks()));
  const LayerPlacement& layer = placement.layer(moe_layer);
  for (std::size_t slot = 0; slot < traffic.slot_tokens.size(); ++slot) {
    const std::uint32_t copies = traffic.slot_tokens[slot];
    if (copies == 0) continue;
    traffic.expert_tokens[static_cast<std::size_t>(layer.slot_to_expert[slot])] += copies;
    ++traffic.experts_touched[static_cast<std::size_t>(layer.slot_rank[slot])];
  }
  return traffic;
}

}  // namespace k3
