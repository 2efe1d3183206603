#include "engine/routing/traffic.h"

#include <numeric>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/routing/load_statistics.h"

namespace k3 {
namespace {

using testing::ElementsAre;

struct Step {
  std::vector<TokenPosition> tokens;
  std::vector<std::int32_t> owners;
};

/// One token per sequence, sequence s on rank s mod ranks.
Step decode_step(int sequences, int ranks) {
  Step step;
  for (int s = 0; s < sequences; ++s) {
    step.tokens.push_back({s, 100});
    step.owners.push_back(s % ranks);
  }
  return step;
}

std::uint64_t sum(const std::vector<std::uint32_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

TEST(Traffic, CountsByHand) {
  // Experts 0, 1 on rank 0 and 2, 3 on rank 1; token 0 of rank 0, token 1 of rank 1.
  StepRouting routing(1, 2, 3);
  routing.experts = {0, 2, 3, 3, 1, 2};
  const Placement placement = Placement::contiguous(1, 4, 2);
  const Step step = decode_step(2, 2);
  const LayerTraffic traffic = count_traffic({.routing = routing,
                                              .placement = placement,
                                              .tokens = step.tokens,
                                              .owner_rank = step.owners,
                                              .dispatch = RowCount::per_rank,
                                              .combine = RowCount::per_copy});
  EXPECT_THAT(traffic.dispatch.copies, ElementsAre(1, 2, 1, 2));
  EXPECT_THAT(traffic.dispatch.rows, ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(traffic.combine.copies, ElementsAre(1, 1, 2, 2));  // [expert rank][owner]
  EXPECT_THAT(traffic.combine.rows, ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(traffic.expert_tokens, ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(traffic.slot_tokens, ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(traffic.experts_touched, ElementsAre(2, 2));
}

TEST(Traffic, AgreesWithASlowCount_WithReplicas) {
  // 10 experts, 12 slots on 3 ranks: experts 0 and 5 twice.
  const LayerPlacement layer{
      .slot_to_expert = {0, 1, 2, 5, 0, 3, 4, 6, 5, 7, 8, 9},
      .slot_rank = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2},
      .share = {0.5, 1, 1, 0.3, 0.5, 1, 1, 1, 0.7, 1, 1, 1},
  };
  const Placement placement = Placement::from_layers(10, 3, {layer, layer}).value();
  const Step step = decode_step(60, 3);
  const RoutingShape shape{2, 10, 4};
  const StepRouting routing = make_popularity_routing(shape, lognormal_popularity(shape, 1, 3), 3)
                                  ->step(0, step.tokens)
                                  .value();
  TrafficMatrix expected(3);
  std::vector<std::uint32_t> slots(12);
  for (int t = 0; t < 60; ++t) {
    std::set<int> ranks;
    const auto at = static_cast<std::size_t>(t);
    for (const std::uint16_t expert : routing.choice(1, t)) {
      const int slot = placement.slot_of(1, expert, step.tokens[at].sequence, 100);
      const int rank = placement.rank_of_slot(1, slot);
      ++slots[static_cast<std::size_t>(slot)];
      ++expected.copies[expected.at(step.owners[at], rank)];
      ranks.insert(rank);
    }
    for (const int rank : ranks)
      ++expected.rows[expected.at(step.owners[at], rank)];
  }
  const LayerTraffic traffic = count_traffic({.routing = routing,
                                              .moe_layer = 1,
                                              .placement = placement,
                                              .tokens = step.tokens,
                                              .owner_rank = step.owners});
  EXPECT_EQ(traffic.dispatch.copies, expected.copies);
  EXPECT_EQ(traffic.dispatch.rows, expected.rows);
  EXPECT_EQ(traffic.combine.copies, expected.transposed().copies);
  EXPECT_EQ(traffic.combine.rows, expected.transposed().rows);
  EXPECT_EQ(traffic.slot_tokens, slots);
  EXPECT_EQ(traffic.expert_tokens[5], slots[3] + slots[8]);
  EXPECT_EQ(sum(traffic.expert_tokens), 60U * 4);
}

TEST(Traffic, DistinctRanksMatchTheExactExpectation) {
  const RoutingShape shape{4, 896, 16};
  const Placement placement = Placement::contiguous(4, 896, 64);
  const Step step = decode_step(64 * 16, 64);
  const StepRouting routing =
      make_popularity_routing(shape, uniform_popularity(shape), 1)->step(0, step.tokens).value();
  std::uint64_t rows = 0;
  for (int layer = 0; layer < 4; ++layer) {
    const LayerTraffic traffic = count_traffic({.routing = routing,
                                                .moe_layer = layer,
                                                .placement = placement,
                                                .tokens = step.tokens,
                                                .owner_rank = step.owners});
    EXPECT_EQ(sum(traffic.dispatch.copies), 1024U * 16);
    rows += sum(traffic.dispatch.rows);
  }
  // 4096 tokens; one token's distinct ranks have a standard deviation of about 1.1: 5 sigma = 0.09,
  // less than the distance to drawing with replacement (14.255).
  EXPECT_NEAR(static_cast<double>(rows) / 4096, expected_distinct_ranks(896, 64, 16), 0.09);
}

TEST(Traffic, NoTokensGivesZeros) {
  const Placement placement = Placement::contiguous(1, 4, 2);
  const StepRouting routing(1, 0, 2);
  const LayerTraffic traffic =
      count_traffic({.routing = routing, .placement = placement, .tokens = {}, .owner_rank = {}});
  EXPECT_EQ(sum(traffic.dispatch.copies), 0U);
  EXPECT_THAT(traffic.experts_touched, ElementsAre(0, 0));
}

}  // namespace
}  // namespace k3
