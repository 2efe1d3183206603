#include "sim/calibration/step_factor.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace k3::sim {
namespace {

using ::testing::HasSubstr;

TEST(StepFactor, IsTheGeometricMeanOfTheRatios) {
  // Twice as long, half as long, four times as long: (2 · 1/2 · 4)^(1/3).
  const std::vector<StepPoint> points{{20, 10}, {5, 10}, {400, 100}};
  const auto factor = fit_step_factor(points);
  ASSERT_TRUE(factor) << factor.error().text();
  EXPECT_NEAR(factor->value, std::cbrt(4.0), 1e-15);
  EXPECT_EQ(factor->least, 0.5);
  EXPECT_EQ(factor->most, 4);
  EXPECT_EQ(factor->points, 3);
}

TEST(StepFactor, OnePointIsMetExactly) {
  const std::vector<StepPoint> points{{11.3, 10.7}};
  const auto factor = fit_step_factor(points);
  ASSERT_TRUE(factor) << factor.error().text();
  EXPECT_EQ(factor->value, 11.3 / 10.7);
}

TEST(StepFactor, RefusesWhatIsNoComparison) {
  const auto error = [](const std::vector<StepPoint>& points) {
    const auto factor = fit_step_factor(points);
    return factor ? "no error" : factor.error().text();
  };
  EXPECT_THAT(error({}), HasSubstr("no measured steps"));
  EXPECT_THAT(error({{1, 0}}), HasSubstr("both are positive"));
  EXPECT_THAT(error({{0, 1}}), HasSubstr("both are positive"));
  EXPECT_THAT(error({{std::numeric_limits<double>::quiet_NaN(), 1}}), HasSubstr("positive"));
  EXPECT_THAT(error({{1, 1}, {1e4, 1}}), HasSubstr("1e+04 times what the tables predict"));
}

TEST(StepFactor, SaysWhatItWasFittedTo) {
  EXPECT_EQ(describe(std::nullopt), "factor 1, not fitted to steps");
  const std::vector<StepPoint> points(4, {1.126, 1});
  EXPECT_EQ(describe(*fit_step_factor(points)), "fitted factor 1.13 from 4 points");
  EXPECT_EQ(describe(*fit_step_factor(std::vector<StepPoint>{{2, 1}})),
            "fitted factor 2 from 1 point");
}

}  // namespace
}  // namespace k3::sim
