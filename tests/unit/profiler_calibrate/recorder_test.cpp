#include "profiler/calibrate/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace k3::calibrate {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(Sampler, MedianAndDistanceOfTheQuartiles) {
  const Sample sample = median_sample({9, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(sample.seconds, 5);  // sorted: 1 2 3 4 5 6 7 9, index 4
  EXPECT_DOUBLE_EQ(sample.spread, (7.0 - 3.0) / 5);
}

TEST(Recorder, WalksEveryGridAndSharesTheTime) {
  Recorder recorder({.seconds = 10, .source = "a test", .date = "2026-11-30"});
  std::vector<double> budgets;
  recorder.add({.name = "grid",
                .about = "x and y",
                .axes = {{"x", {1, 2}}, {"y", {10, 20}}},
                .sample = [&](std::span<const double> point, double budget) {
                  budgets.push_back(budget);
                  return Sample{.seconds = point[0] + point[1] * 1e-6, .spread = 0.25};
                }});
  recorder.add({.name = "rate",
                .about = "in its own unit",
                .sample =
                    [&](std::span<const double> point, double budget) {
                      EXPECT_TRUE(point.empty());
                      budgets.push_back(budget);
                      return Sample{.seconds = 12.34567, .spread = 0};
                    },
                .unit = "GB/s",
                .weight = 6});
  Progress progress;
  const auto set = recorder.run(progress);
  ASSERT_TRUE(set);
  EXPECT_EQ(progress.total, 5);
  EXPECT_EQ(progress.done, 5);
  // Four points of weight 1 and one of weight 6 share 10 s.
  EXPECT_THAT(budgets,
              ElementsAre(DoubleEq(1), DoubleEq(1), DoubleEq(1), DoubleEq(1), DoubleEq(6)));
  const sim::Table* grid = set->find("grid");
  ASSERT_NE(grid, nullptr);
  EXPECT_EQ(grid->unit, "us");
  EXPECT_EQ(grid->source, "a test");
  EXPECT_EQ(grid->date, "2026-11-30");
  EXPECT_DOUBLE_EQ(grid->spread, 0.25);
  // Microseconds to four digits, the last axis fastest: 1000010, 1000020, 2000010, 2000020.
  EXPECT_THAT(grid->values, ElementsAre(1e6, 1e6, 2e6, 2e6));
  EXPECT_THAT(set->find("rate")->values, ElementsAre(12.35));
}

TEST(Recorder, StopsWhenAsked) {
  Recorder recorder({.seconds = 1, .source = "a test", .date = "2026-11-30"});
  Progress progress;
  recorder.add({.name = "curve",
                .about = "stopped at its first point",
                .axes = {{"x", {1, 2, 3}}},
                .sample = [&](std::span<const double>, double) {
                  progress.cancelled = true;
                  return Sample{.seconds = 1, .spread = 0};
                }});
  const auto set = recorder.run(progress);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, Code::cancelled);
  EXPECT_EQ(progress.done, 1);
}

TEST(Measure, CallsTheBodyAgainForItsSpread) {
  int calls = 0;
  static_cast<void>(measure([&] { ++calls; }, 0));
  EXPECT_GE(calls, 2);
}

}  // namespace
}  // namespace k3::calibrate
