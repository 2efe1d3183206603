#include "engine/routing/load_statistics.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace k3 {
namespace {

TEST(LoadStatistics, MaxOverMean) {
  EXPECT_DOUBLE_EQ(max_over_mean(std::array<std::uint32_t, 4>{1, 2, 3, 6}), 2);
  EXPECT_DOUBLE_EQ(max_over_mean(std::array<std::uint32_t, 3>{0, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(max_over_mean({}), 1);
}

TEST(LoadStatistics, RankTokensSumSlots) {
  const Placement placement = Placement::contiguous(1, 5, 2);  // 3 slots, 2 slots
  const std::array<std::uint32_t, 5> slots{1, 2, 4, 8, 16};
  EXPECT_EQ(rank_tokens(placement, 0, slots), (std::vector<std::uint32_t>{7, 24}));
}

TEST(LoadStatistics, ExpectedDistinctRanks) {
  // Two experts on two ranks, one choice: always one rank; two choices: both.
  EXPECT_DOUBLE_EQ(expected_distinct_ranks(2, 2, 1), 1);
  EXPECT_DOUBLE_EQ(expected_distinct_ranks(2, 2, 2), 2);
  // Three experts on two ranks (2 and 1), two choices of {01, 02, 12}: 1, 2, 2 ranks.
  EXPECT_NEAR(expected_distinct_ranks(3, 2, 2), 5.0 / 3, 1e-15);
  // The exact value of the reference for K3 on 64 ranks.
  EXPECT_NEAR(expected_distinct_ranks(896, 64, 16), 14.362, 5e-4);
}

}  // namespace
}  // namespace k3
