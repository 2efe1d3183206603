#include "sim/compute/table.h"

#include <array>

#include <gtest/gtest.h>

namespace k3::sim {
namespace {

Table curve(std::vector<double> points, std::vector<double> values) {
  Table table;
  table.axes = {{"x", std::move(points)}};
  table.values = std::move(values);
  return table;
}

double at(const Table& table, double x) {
  return look_up(table, std::array{x}).value;
}

TEST(Table, PowerLawsAreMetExactly) {
  const Table table = curve({1, 10, 1000}, {2, 200, 2e6});  // 2 x²
  EXPECT_NEAR(at(table, 1), 2, 1e-12);
  EXPECT_NEAR(at(table, 3), 18, 1e-11);
  EXPECT_NEAR(at(table, 10), 200, 1e-10);
  EXPECT_NEAR(at(table, 50), 5000, 1e-8);
  EXPECT_NEAR(at(table, 1000), 2e6, 1e-6);
}

TEST(Table, TwoAxesGeometricMiddle) {
  Table table;
  table.axes = {{"x", {1, 4}}, {"y", {1, 16}}};
  table.values = {1, 2, 8, 32};  // (1,1) (1,16) (4,1) (4,16)
  // Half way in both logarithms: the geometric mean of the four, (1 · 2 · 8 · 32)^(1/4).
  EXPECT_NEAR(look_up(table, std::array{2.0, 4.0}).value, 4.756828460010884, 1e-12);
  EXPECT_NEAR(look_up(table, std::array{4.0, 16.0}).value, 32, 1e-12);
  EXPECT_NEAR(look_up(table, std::array{2.0, 1.0}).value, 2.8284271247461903, 1e-12);
}

TEST(Table, BeyondTheRangeTheRateOfTheEdgeIsKept) {
  const Table table = curve({2, 8}, {3, 6});
  EXPECT_NEAR(at(table, 80), 60, 1e-11);
  EXPECT_NEAR(at(table, 0.01), 3, 1e-12);
  EXPECT_TRUE(look_up(table, std::array{8.0}).inside);
  EXPECT_TRUE(look_up(table, std::array{2.0}).inside);
  EXPECT_FALSE(look_up(table, std::array{8.1}).inside);
  EXPECT_FALSE(look_up(table, std::array{1.9}).inside);
}

TEST(Table, MonotoneValuesStayMonotone) {
  const Table table = curve({1, 2, 64, 100}, {1, 1.5, 1.5, 90});
  double before = 0;
  for (double x = 0.5; x < 300; x *= 1.03) {
    const double value = at(table, x);
    EXPECT_GE(value, before * (1 - 1e-12)) << x;
    before = value;
  }
}

TEST(Table, ASingleValueHasNoAxes) {
  Table table;
  table.values = {7};
  EXPECT_NEAR(look_up(table, {}).value, 7, 1e-12);
  EXPECT_TRUE(look_up(table, {}).inside);
}

TEST(TableSet, FindsByName) {
  TableSet set;
  set.tables.resize(2);
  set.tables[1].name = "b";
  EXPECT_EQ(set.find("b"), &set.tables[1]);
  EXPECT_EQ(set.find("c"), nullptr);
}

}  // namespace
}  // namespace k3::sim
