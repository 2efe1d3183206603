#include "engine/routing/placement.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/rng.h"

namespace k3 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Experts 0, 1, 2 on two ranks; expert 1 twice with shares 1/4 and 3/4.
LayerPlacement replicated() {
  return {.slot_to_expert = {0, 1, 1, 2}, .slot_rank = {0, 0, 1, 1}, .share = {1, 0.25, 0.75, 1}};
}

Error error_of(LayerPlacement layer) {
  const Result<Placement> placement = Placement::from_layers(3, 2, {std::move(layer)});
  EXPECT_FALSE(placement.has_value());
  return placement ? Error{} : placement.error();
}

TEST(Placement, ContiguousGivesFirstRanksOneMore) {
  const Placement placement = Placement::contiguous(2, 896, 72);  // 896 = 72 · 12 + 32
  int experts = 0;
  for (int rank = 0; rank < 72; ++rank) {
    const auto [first, last] = placement.slots_of_rank(1, rank);
    EXPECT_EQ(last - first, rank < 32 ? 13 : 12);
    EXPECT_EQ(first, experts);
    experts = last;
  }
  EXPECT_EQ(experts, 896);
  EXPECT_EQ(placement.slot_of(1, 895, 3, 4), 895);
  EXPECT_EQ(placement.rank_of_slot(1, 31 * 13 + 12), 31);
  EXPECT_EQ(placement.rank_of_slot(1, 32 * 13), 32);
}

TEST(Placement, MoreRanksThanExpertsLeavesRanksEmpty) {
  const Placement placement = Placement::contiguous(1, 2, 4);
  EXPECT_EQ(placement.slots_of_rank(0, 1), std::pair(1, 2));
  EXPECT_EQ(placement.slots_of_rank(0, 3), std::pair(2, 2));
}

TEST(Placement, ReplicaFollowsTheSharedRule) {
  const Placement placement = Placement::from_layers(3, 2, {replicated(), replicated()}).value();
  EXPECT_THAT(placement.replica_slots(0, 1), ElementsAre(1, 2));
  int second = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double u = unit_interval(hash_words(static_cast<std::uint64_t>(i % 7), i, 1, 1));
    const int slot = placement.slot_of(1, 1, i % 7, i);
    EXPECT_EQ(slot, u < 0.25 ? 1 : 2);
    second += slot == 2 ? 1 : 0;
  }
  EXPECT_NEAR(second / 10'000.0, 0.75, 0.02);
}

TEST(Placement, ReplicaWithoutShareServesNothing) {
  LayerPlacement layer = replicated();
  layer.share = {1, 1, 0, 1};
  const Placement placement = Placement::from_layers(3, 2, {layer}).value();
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(placement.slot_of(0, 1, 0, i), 1);
}

TEST(Placement, EmptySlotsAreAllowed) {
  const LayerPlacement layer{
      .slot_to_expert = {0, -1, 1, 2}, .slot_rank = {0, 0, 1, 1}, .share = {1, 0, 1, 1}};
  const Placement placement = Placement::from_layers(3, 2, {layer}).value();
  EXPECT_EQ(placement.slot_of(0, 1, 0, 0), 2);
}

TEST(Placement, RefusesWhatIsWrongWithItsPlace) {
  LayerPlacement layer = replicated();
  layer.slot_to_expert[3] = 0;
  EXPECT_THAT(error_of(layer).text(), HasSubstr("the shares of expert 0 sum to 2"));

  layer = replicated();
  layer.slot_to_expert[3] = 1;
  layer.share = {1, 0.25, 0.25, 0.5};
  EXPECT_THAT(error_of(layer).text(), HasSubstr("layers[0]: expert 2 has no slot"));

  layer = replicated();
  layer.slot_to_expert[3] = 3;
  EXPECT_THAT(error_of(layer).text(), HasSubstr("layers[0].slot_to_expert[3]: expert 3; 0 to 2"));

  layer = replicated();
  layer.slot_rank = {0, 1, 0, 1};
  EXPECT_THAT(error_of(layer).text(), HasSubstr("layers[0].slot_rank[2]: rank 0 after rank 1"));

  layer = replicated();
  layer.slot_rank[3] = 2;
  EXPECT_THAT(error_of(layer).text(), HasSubstr("layers[0].slot_rank[3]: rank 2; 0 to 1"));

  layer = replicated();
  layer.share[1] = -0.25;
  EXPECT_THAT(error_of(layer).text(), HasSubstr("layers[0].share[1]: share -0.25"));

  layer = replicated();
  layer.share.pop_back();
  EXPECT_THAT(error_of(layer).text(), HasSubstr("one each per slot"));
}

TEST(Placement, RefusesLayersOfUnequalSlotCounts) {
  const LayerPlacement plain{
      .slot_to_expert = {0, 1, 2}, .slot_rank = {0, 0, 1}, .share = {1, 1, 1}};
  const auto placement = Placement::from_layers(3, 2, {replicated(), plain});
  ASSERT_FALSE(placement.has_value());
  EXPECT_EQ(placement.error().where, "layers[1]");
  EXPECT_EQ(placement.error().code, Code::invalid_input);
}

}  // namespace
}  // namespace k3
