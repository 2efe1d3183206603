#include "profiler/visual/axis.h"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace k3::visual {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> out;
  for (const Tick& tick : ticks)
    out.push_back(tick.label);
  return out;
}

TEST(LinearTicks, StepByOneTwoOrFive) {
  EXPECT_THAT(labels(linear_ticks(0, 10, 5, 1)), ElementsAre("0", "2", "4", "6", "8", "10"));
  EXPECT_THAT(labels(linear_ticks(0, 0.82, 6, 1)), ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8"));
  EXPECT_THAT(labels(linear_ticks(0, 2.4, 5, 1)), ElementsAre("0.0", "0.5", "1.0", "1.5", "2.0"));
  EXPECT_THAT(labels(linear_ticks(-3, 3, 4, 1)), ElementsAre("-2", "0", "2"));
}

TEST(LinearTicks, AreRoundInTheUnitShown) {
  const std::vector<Tick> ticks = linear_ticks(0, 0.0042, 5, 1e3);
  EXPECT_THAT(labels(ticks), ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_DOUBLE_EQ(ticks[3].value, 0.003);
}

TEST(LinearTicks, OfANonsensicalRangeAreNone) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(linear_ticks(1, 1, 5, 1), IsEmpty());
  EXPECT_THAT(linear_ticks(2, 1, 5, 1), IsEmpty());
  EXPECT_THAT(linear_ticks(0, inf, 5, 1), IsEmpty());
  EXPECT_THAT(linear_ticks(0, 1e308, 5, 1e12), IsEmpty());
  EXPECT_THAT(linear_ticks(0, std::numeric_limits<double>::quiet_NaN(), 5, 1), IsEmpty());
}

TEST(LogTicks, ArePowersOfTenWithTwoAndFiveWhereThereIsRoom) {
  EXPECT_THAT(labels(log_ticks(1, 1000, 5, 1)), ElementsAre("1", "10", "100", "1\u202f000"));
  EXPECT_THAT(labels(log_ticks(1, 50, 9, 1)), ElementsAre("1", "2", "5", "10", "20", "50"));
  EXPECT_THAT(labels(log_ticks(0.01, 1, 3, 1)), ElementsAre("0.01", "0.1", "1"));
}

TEST(LogTicks, OfANarrowRangeAreLinear) {
  EXPECT_THAT(labels(log_ticks(0.5, 2, 4, 1)), ElementsAre("0.5", "1.0", "1.5", "2.0"));
}

TEST(LogTicks, LabelOnlyAsManyPowersAsFit) {
  EXPECT_THAT(labels(log_ticks(1, 1e5, 3, 1)), ElementsAre("1", "", "100", "", "10\u202f000", ""));
}

TEST(Axis, ClampsAndMapsBothScales) {
  const Axis linear{Scale::linear, 0, 10, 100, 200};
  EXPECT_DOUBLE_EQ(linear.at(5), 150);
  EXPECT_DOUBLE_EQ(linear.at(-1), 100);
  EXPECT_DOUBLE_EQ(linear.at(11), 200);
  EXPECT_DOUBLE_EQ(linear.at(std::numeric_limits<double>::quiet_NaN()), 100);
  const Axis log{Scale::log, 1, 100, 0, 10};
  EXPECT_DOUBLE_EQ(log.at(10), 5);
  EXPECT_DOUBLE_EQ(log.at(0), 0);
  EXPECT_DOUBLE_EQ(log.at(-5), 0);
}

TEST(LogRange, WidensToRoundValues) {
  const Range range = log_range({3, 0, -1, 70, std::numeric_limits<double>::infinity()});
  EXPECT_DOUBLE_EQ(range.low, 2);
  EXPECT_DOUBLE_EQ(range.high, 100);
  EXPECT_DOUBLE_EQ(log_range({}).high, 10);
  const Range one = log_range({5, 5});
  EXPECT_LT(one.low, one.high);
}

}  // namespace
}  // namespace k3::visual
