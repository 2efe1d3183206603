#include "kernels/reference/product.h"

#include <array>
#include <bit>
#include <cstring>

#include <gtest/gtest.h>

#include "tests/unit/kernels_reference/ops_json.h"
#include "tests/unit/kernels_reference/random_data.h"

namespace k3::test {
namespace {

void expect_same_bits(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(actual[i]), std::bit_cast<std::uint32_t>(expected[i]))
        << "element " << i << ": " << actual[i] << " and " << expected[i];
  }
}

/// The definition: one float32 chain per output. NOTE: volatile keeps the product from being fused.
std::vector<float> naive_product(const std::vector<float>& x,
                                 const RandomMatrix& weight,
                                 std::int64_t rows,
                                 std::int64_t cols) {
  const auto tokens = static_cast<std::int64_t>(x.size()) / cols;
  std::vector<float> out;
  for (std::int64_t t = 0; t < tokens; ++t) {
    for (std::int64_t o = 0; o < rows; ++o) {
      float sum = 0;
      for (std::int64_t k = 0; k < cols; ++k) {
        const volatile float product = x[static_cast<std::size_t>(t * cols + k)] * weight.at(o, k);
        sum += product;
      }
      out.push_back(sum);
    }
  }
  return out;
}

struct Shape {
  std::int64_t tokens;
  std::int64_t rows;
  std::int64_t cols;
};

class ProductTest : public testing::TestWithParam<ops::WeightFormat> {};

TEST_P(ProductTest, LinearHasTheBitsOfTheDoubleLoop) {
  const Reference reference;
  // Tiles are 16 outputs, 256 deep, rows go in fours: every remainder, and several of each.
  for (const Shape& shape : {Shape{1, 16, 32}, Shape{1, 1, 64}, Shape{3, 17, 96}, Shape{4, 33, 288},
                             Shape{7, 48, 256}, Shape{21, 5, 544}}) {
    SCOPED_TRACE(testing::Message() << shape.tokens << " x " << shape.rows << " x " << shape.cols);
    const std::vector<float> x = random_values(shape.tokens * shape.cols, 1);
    const RandomMatrix weight(GetParam(), shape.rows, shape.cols, 2);
    std::vector<float> out(static_cast<std::size_t>(shape.tokens * shape.rows));
    reference.kernels.linear(
        {.x = x.data(), .weight = weight.view(), .out = out.data(), .tokens = shape.tokens},
        *reference.stream);
    expect_same_bits(out, naive_product(x, weight, shape.rows, shape.cols));
  }
}

TEST_P(ProductTest, TransposedHasTheBitsOfTheDoubleLoop) {
  // out[t, c] = Σ_r x[t, r] · weight[10 + r, c]: rows 10 .. 10 + 81 of a 100 x 288 matrix.
  constexpr std::int64_t kTokens = 5;
  constexpr std::int64_t kRows = 81;
  constexpr std::int64_t kCols = 288;
  const std::vector<float> x = random_values(kTokens * kRows, 3);
  const RandomMatrix weight(GetParam(), 100, kCols, 4);
  std::vector<float> out(static_cast<std::size_t>(kTokens * kCols));
  reference::multiply_transposed({x.data(), kTokens, kRows}, weight.view(),
                                 {.first = 10, .count = kRows}, {out.data(), kCols});
  std::vector<float> expected;
  for (std::int64_t t = 0; t < kTokens; ++t) {
    for (std::int64_t c = 0; c < kCols; ++c) {
      float sum = 0;
      for (std::int64_t r = 0; r < kRows; ++r) {
        const volatile float product =
            x[static_cast<std::size_t>(t * kRows + r)] * weight.at(10 + r, c);
        sum += product;
      }
      expected.push_back(sum);
    }
  }
  expect_same_bits(out, expected);
}

std::string format_name(const testing::TestParamInfo<ops::WeightFormat>& info) {
  constexpr std::array<const char*, 3> kNames{"f32", "bf16", "mxfp4"};
  return kNames.at(static_cast<std::size_t>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         ProductTest,
                         testing::Values(ops::WeightFormat::f32,
                                         ops::WeightFormat::bf16,
                                         ops::WeightFormat::mxfp4),
                         format_name);

TEST(Product, ColumnsNeedNotFillScaleBlocks) {
  // 20 columns: one scale byte and ten bytes of codes per row; 7 columns: the last nibble is
  // unused.
  const Reference reference;
  const std::vector<float> x(20, 1.0F);
  const std::vector<std::uint8_t> codes(20, 0x22);  // all 1.0
  const std::vector<std::uint8_t> scale{127, 129};
  for (const std::int64_t cols : {20, 7}) {
    std::vector<float> out(2);
    reference.kernels.linear({.x = x.data(),
                              .weight = {.data = codes.data(),
                                         .scale = scale.data(),
                                         .format = ops::WeightFormat::mxfp4,
                                         .rows = 2,
                                         .cols = cols},
                              .out = out.data(),
                              .tokens = 1},
                             *reference.stream);
    EXPECT_EQ(out[0], static_cast<float>(cols));
    EXPECT_EQ(out[1], static_cast<float>(4 * cols));
  }
}

TEST(Product, WeightsNeedNotBeAligned) {
  const Reference reference;
  const std::vector<float> weight{0, 3, 5};
  std::vector<std::uint8_t> bytes(13);
  std::memcpy(bytes.data() + 1, weight.data(), 12);
  const std::vector<float> x{1, 2, 3};
  float out = 0;
  reference.kernels.linear({.x = x.data(),
                            .weight = {.data = bytes.data() + 1,
                                       .scale = nullptr,
                                       .format = ops::WeightFormat::f32,
                                       .rows = 1,
                                       .cols = 3},
                            .out = &out,
                            .tokens = 1},
                           *reference.stream);
  EXPECT_EQ(out, 21.0F);
}

}  // namespace
}  // namespace k3::test
