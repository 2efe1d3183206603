// What holds for the traffic of any layer, whatever the routing, the placement and the ranks.

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/routing/placement.h"
#include "engine/routing/routing.h"
#include "engine/routing/traffic.h"

namespace k3 {
namespace {

/// One layer's choices and where they go: everything that count_traffic reads.
struct Layer {
  int num_ranks = 0;
  RoutingShape shape;
  Placement placement;
  std::vector<TokenPosition> tokens;
  std::vector<std::int32_t> owners;
  StepRouting routing;
};

Layer any_layer() {
  Layer layer;
  layer.num_ranks = *rc::gen::inRange(1, 10);
  const int num_experts = *rc::gen::inRange(layer.num_ranks, 41);
  layer.shape = {.num_layers = 1,
                 .num_experts = num_experts,
                 .top_k = *rc::gen::inRange(1, std::min(num_experts, 16) + 1)};
  layer.placement = Placement::contiguous(1, num_experts, layer.num_ranks);
  const int num_tokens = *rc::gen::inRange(0, 50);
  for (int token = 0; token < num_tokens; ++token) {
    layer.tokens.push_back({.sequence = token, .position = *rc::gen::inRange(0, 1000)});
    layer.owners.push_back(*rc::gen::inRange(0, layer.num_ranks));
  }
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto routing =
      make_popularity_routing(layer.shape, lognormal_popularity(layer.shape, 1.0, seed), seed);
  layer.routing = *routing->step(0, layer.tokens);
  return layer;
}

LayerTraffic count(const Layer& layer, RowCount rows) {
  return count_traffic({.routing = layer.routing,
                        .placement = layer.placement,
                        .tokens = layer.tokens,
                        .owner_rank = layer.owners,
                        .dispatch = rows,
                        .combine = rows});
}

std::uint64_t sum(const std::vector<std::uint32_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

RC_GTEST_PROP(TrafficProperty, ConservesCopies, ()) {
  const Layer layer = any_layer();
  const LayerTraffic traffic = count(layer, RowCount::per_rank);
  const std::uint64_t copies = layer.tokens.size() * static_cast<std::uint64_t>(layer.shape.top_k);
  RC_ASSERT(sum(traffic.dispatch.copies) == copies);
  RC_ASSERT(sum(traffic.combine.copies) == copies);
  RC_ASSERT(sum(traffic.slot_tokens) == copies);
  RC_ASSERT(sum(traffic.expert_tokens) == copies);
}

RC_GTEST_PROP(TrafficProperty, CombineReturnsWhatDispatchSent, ()) {
  const LayerTraffic traffic = count(any_layer(), RowCount::per_rank);
  const TrafficMatrix back = traffic.combine.transposed();
  RC_ASSERT(back.copies == traffic.dispatch.copies);
  RC_ASSERT(back.rows == traffic.dispatch.rows);
}

RC_GTEST_PROP(TrafficProperty, RowsAreCopiesUnlessDeduplicated, ()) {
  const Layer layer = any_layer();
  const TrafficMatrix all = count(layer, RowCount::per_copy).dispatch;
  const TrafficMatrix distinct = count(layer, RowCount::per_rank).dispatch;
  RC_ASSERT(all.rows == all.copies);
  for (std::size_t pair = 0; pair < all.rows.size(); ++pair) {
    RC_ASSERT(distinct.rows[pair] <= all.rows[pair]);
    RC_ASSERT((distinct.rows[pair] == 0) == (all.rows[pair] == 0));
  }
  // A rank cannot take more distinct tokens from one owner than the owner has.
  for (int source = 0; source < layer.num_ranks; ++source) {
    const auto owned = std::count(layer.owners.begin(), layer.owners.end(), source);
    for (int destination = 0; destination < layer.num_ranks; ++destination) {
      RC_ASSERT(distinct.rows[distinct.at(source, destination)] <= owned);
    }
  }
}

RC_GTEST_PROP(TrafficProperty, RenamingTheOwnersRenamesTheMatrix, ()) {
  Layer layer = any_layer();
  const TrafficMatrix before = count(layer, RowCount::per_rank).dispatch;
  const int shift = *rc::gen::inRange(0, layer.num_ranks);
  for (std::int32_t& owner : layer.owners)
    owner = (owner + shift) % layer.num_ranks;
  const TrafficMatrix after = count(layer, RowCount::per_rank).dispatch;
  for (int source = 0; source < layer.num_ranks; ++source) {
    const int renamed = (source + shift) % layer.num_ranks;
    for (int destination = 0; destination < layer.num_ranks; ++destination) {
      RC_ASSERT(before.rows[before.at(source, destination)] ==
                after.rows[after.at(renamed, destination)]);
    }
  }
}

RC_GTEST_PROP(TrafficProperty, ATokensChoiceDependsOnNoOtherToken, ()) {
  const Layer layer = any_layer();
  RC_PRE(!layer.tokens.empty());
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto routing = make_popularity_routing(layer.shape, uniform_popularity(layer.shape), seed);
  const StepRouting all = *routing->step(0, layer.tokens);
  const auto token = *rc::gen::inRange<std::size_t>(0, layer.tokens.size());
  const StepRouting alone = *routing->step(0, std::span(layer.tokens).subspan(token, 1));
  RC_ASSERT(std::ranges::equal(all.choice(0, static_cast<int>(token)), alone.choice(0, 0)));
}

}  // namespace
}  // namespace k3
