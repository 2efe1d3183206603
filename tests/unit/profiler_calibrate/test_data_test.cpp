#include "profiler/calibrate/test_data.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace k3::calibrate {
namespace {

TEST(TestData, FloatsAreWithinOneAndRepeat) {
  const std::vector<float> values = random_floats(1000);
  EXPECT_TRUE(std::ranges::all_of(values, [](float v) { return v > -1 && v < 1; }));
  EXPECT_EQ(values, random_floats(1000));
  EXPECT_NE(values, random_floats(1000, 2));
}

TEST(TestData, ExpertsLieOneAfterTheOther) {
  // Latent 64, width 32: gate and up 32 · 64 / 2 = 1024 B of codes and 32 · 2 scales each, down
  // 64 · 32 / 2 = 1024 B and 64 scales.
  const ExpertPool pool(3, 64, 32);
  EXPECT_EQ(pool.codes.size(), 3u * 3072);
  EXPECT_EQ(pool.scales.size(), 3u * 192);
  EXPECT_EQ(pool.bytes_per_expert(), 3072 + 192);
  ASSERT_EQ(pool.experts.size(), 3u);
  const ops::ExpertWeights& second = pool.experts[1];
  EXPECT_EQ(second.w1.data, pool.codes.data() + 3072);
  EXPECT_EQ(second.w2.data, pool.codes.data() + 3072 + 2048);
  EXPECT_EQ(second.w2.scale, pool.scales.data() + 192 + 128);
  EXPECT_EQ(second.w2.rows, 64);
  EXPECT_EQ(second.w2.cols, 32);
}

}  // namespace
}  // namespace k3::calibrate
