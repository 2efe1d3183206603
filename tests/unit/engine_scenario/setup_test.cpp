#include "engine/scenario/setup.h"

#include <gtest/gtest.h>

namespace k3 {
namespace {

TEST(RowBytes, AreThoseOfTheLatentRowOfKimiK3) {
  EXPECT_EQ(row_bytes(NumberFormat::float32, 3584), 14336);
  EXPECT_EQ(row_bytes(NumberFormat::bf16, 3584), 7168);
  EXPECT_EQ(row_bytes(NumberFormat::fp8, 3584), 3584 + 112);
  EXPECT_EQ(row_bytes(NumberFormat::mxfp8, 3584), 3584 + 112);
  EXPECT_EQ(row_bytes(NumberFormat::mxfp4, 3584), 1792 + 112);
  EXPECT_EQ(row_bytes(NumberFormat::nvfp4, 3584), 1792 + 224);
}

TEST(RowBytes, CountPartialBlocksAndBytesWhole) {
  EXPECT_EQ(row_bytes(NumberFormat::mxfp8, 33), 33 + 2);
  EXPECT_EQ(row_bytes(NumberFormat::mxfp4, 3), 2 + 1);
  EXPECT_EQ(row_bytes(NumberFormat::nvfp4, 0), 0);
}

TEST(SetupNames, AreTheWordsOfScenarios) {
  EXPECT_EQ(name_of(NumberFormat::mxfp8), "mxfp8");
  EXPECT_EQ(name_of(RoutingSourceKind::lognormal), "lognormal");
}

}  // namespace
}  // namespace k3
