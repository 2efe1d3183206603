#include "kernels/reference/elementary.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace k3::test {
namespace {

/// Relative error allowed: far below float32 rounding (6e-8).
constexpr double kLimit = 1e-9;

void expect_relative(double actual, double expected, double x) {
  EXPECT_NEAR(actual, expected, kLimit * std::abs(expected)) << "x = " << x;
}

TEST(Elementary, AgreesWithTheLibraryOverTheWholeRange) {
  for (double x = -100; x <= 100; x += 0.0137) {
    expect_relative(reference::exp(x), std::exp(x), x);
    expect_relative(reference::sigmoid(x), 1 / (1 + std::exp(-x)), x);
    expect_relative(reference::tanh(x), std::tanh(x), x);
  }
}

TEST(Elementary, KeepsRelativeAccuracyNearZero) {
  for (double x = 1e-30; x < 1; x *= 1.7) {
    expect_relative(reference::tanh(x), std::tanh(x), x);
    expect_relative(reference::tanh(-x), std::tanh(-x), -x);
  }
  EXPECT_EQ(reference::tanh(0), 0);
  EXPECT_EQ(reference::sigmoid(0), 0.5);
  EXPECT_EQ(reference::exp(0), 1);
}

TEST(Elementary, SaturatesAndKeepsNan) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(static_cast<float>(reference::exp(-infinity)), 0.0F);
  EXPECT_EQ(static_cast<float>(reference::sigmoid(-infinity)), 0.0F);
  EXPECT_EQ(static_cast<float>(reference::sigmoid(infinity)), 1.0F);
  EXPECT_EQ(reference::tanh(infinity), 1);
  EXPECT_EQ(reference::tanh(-infinity), -1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(reference::exp(nan)));
  EXPECT_TRUE(std::isnan(reference::sigmoid(nan)));
  EXPECT_TRUE(std::isnan(reference::tanh(nan)));
}

}  // namespace
}  // namespace k3::test
