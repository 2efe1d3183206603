#include "engine/routing/alias_table.h"

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace k3 {
namespace {

/// Share of equidistant words that give each index: the table's law up to the grid.
std::vector<double> shares(const AliasTable& table, std::size_t size, std::uint64_t grid) {
  std::vector<double> share(size);
  for (std::uint64_t i = 0; i < grid; ++i) {
    const std::uint64_t word = i * (~std::uint64_t{0} / grid) + (~std::uint64_t{0} / grid) / 2;
    share[table.draw(word)] += 1.0 / static_cast<double>(grid);
  }
  return share;
}

TEST(AliasTable, DrawsInProportionToTheWeights) {
  const std::array<double, 5> weights{1, 2, 3, 4, 90};
  const std::vector<double> share = shares(AliasTable(weights), 5, 1'000'000);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(share[i], weights[i] / 100, 1e-5) << i;
}

TEST(AliasTable, NeverDrawsAWeightOfZero) {
  // Thirds do not add up exactly, so that rounding leaves columns over.
  const std::array<double, 6> weights{0, 1.0 / 3, 0, 1.0 / 3, 1.0 / 3, 0};
  const std::vector<double> share = shares(AliasTable(weights), 6, 300'000);
  for (const std::size_t i : {0U, 2U, 5U})
    EXPECT_EQ(share[i], 0) << i;
  for (const std::size_t i : {1U, 3U, 4U})
    EXPECT_NEAR(share[i], 1.0 / 3, 1e-5) << i;
}

TEST(AliasTable, ExtremeWordsStayInside) {
  const AliasTable table(std::array<double, 3>{1, 1, 1});
  EXPECT_EQ(table.draw(0), 0U);
  EXPECT_EQ(table.draw(~std::uint64_t{0}), 2U);
}

}  // namespace
}  // namespace k3
