#include "engine/weights/synthetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "engine/base/rng.h"
#include "engine/weights/mxfp4.h"

namespace k3::test {
namespace {

std::vector<std::byte> made(const TensorSpec& spec, std::uint64_t seed, std::int64_t heads = 2) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(spec.bytes()));
  fill_synthetic(spec, seed, heads, bytes);
  return bytes;
}

std::vector<double> values_of(const TensorSpec& spec, std::uint64_t seed, std::int64_t heads = 2) {
  const std::vector<std::byte> bytes = made(spec, seed, heads);
  std::vector<double> values;
  for (std::int64_t i = 0; i < spec.elements(); ++i) {
    std::uint32_t bits = 0;
    if (spec.dtype == DType::bf16) {
      std::uint16_t half = 0;
      std::memcpy(&half, bytes.data() + 2 * i, 2);
      bits = std::uint32_t{half} << 16;
    } else {
      std::memcpy(&bits, bytes.data() + 4 * i, 4);
    }
    values.push_back(std::bit_cast<float>(bits));
  }
  return values;
}

TensorSpec spec_of(std::string name, DType dtype, std::vector<std::int64_t> shape) {
  return {.name = std::move(name), .dtype = dtype, .shape = std::move(shape)};
}

double deviation(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values)
    squares += value * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

TEST(Synthetic, MatricesKeepTheSizeOfActivations) {
  const TensorSpec spec = spec_of("x.q_proj.weight", DType::bf16, {128, 256});
  const std::vector<double> values = values_of(spec, 1);
  // 1/sqrt(256); 32768 values: 1.5 % is 4 standard errors of a uniform distribution's deviation.
  EXPECT_NEAR(deviation(values), 1.0 / 16, 0.015 / 16);
  double sum = 0;
  for (const double value : values)
    sum += value;
  EXPECT_NEAR(sum / static_cast<double>(values.size()), 0, 4.0 / 16 / std::sqrt(32768.0));
}

TEST(Synthetic, PackedExpertsHaveTheSameDeviation) {
  for (const std::int64_t inputs : {64, 128, 3584}) {
    const std::int64_t rows = 64;
    const std::vector<std::byte> codes =
        made(spec_of("x.w1.weight_packed", DType::u8, {rows, inputs / 2}), 1);
    const std::vector<std::byte> scale =
        made(spec_of("x.w1.weight_scale", DType::u8, {rows, inputs / 32}), 1);
    std::vector<float> values(static_cast<std::size_t>(rows * inputs));
    decode_mxfp4({reinterpret_cast<const std::uint8_t*>(codes.data()), codes.size()},
                 {reinterpret_cast<const std::uint8_t*>(scale.data()), scale.size()}, values);
    const double expected = 1 / std::sqrt(static_cast<double>(inputs));
    EXPECT_NEAR(deviation({values.begin(), values.end()}), expected, 0.12 * expected) << inputs;
  }
}

TEST(Synthetic, SpecialTensorsLieInTheirRanges) {
  const std::vector<double> a_log = values_of(spec_of("x.A_log", DType::f32, {128}), 3, 96);
  EXPECT_TRUE(std::all_of(a_log.begin(), a_log.begin() + 96,
                          [](double value) { return value >= -0.47 && value <= 1.01; }));
  EXPECT_NE(a_log[95], 0.0);
  EXPECT_EQ(std::vector<double>(a_log.begin() + 96, a_log.end()), std::vector<double>(32));
  const std::vector<double> bias =
      values_of(spec_of("x.gate.e_score_correction_bias", DType::f32, {896}), 3);
  EXPECT_LE(*std::max_element(bias.begin(), bias.end()), 0.02F);
  EXPECT_GE(*std::min_element(bias.begin(), bias.end()), -0.02F);
  EXPECT_GT(*std::max_element(bias.begin(), bias.end()), 0.018);
  const std::vector<double> norm =
      values_of(spec_of("x.input_layernorm.weight", DType::bf16, {64}), 3);
  EXPECT_NEAR(*std::max_element(norm.begin(), norm.end()), 1.1, 0.02);
  EXPECT_NEAR(*std::min_element(norm.begin(), norm.end()), 0.9, 0.02);
}

TEST(Synthetic, DecaysCoverTheirRange) {
  // g = −5 sigmoid(exp(A_log) (z + dt_bias)) at z = 0: long memory and nearly the bound both occur.
  const std::vector<double> dt = values_of(spec_of("x.dt_bias", DType::f32, {2048}), 5);
  const auto decay = [](double bias) { return std::exp(-5 / (1 + std::exp(-2.7 * bias))); };
  EXPECT_GT(decay(*std::min_element(dt.begin(), dt.end())), 0.999);
  EXPECT_LT(decay(*std::max_element(dt.begin(), dt.end())), 0.01);
}

TEST(Synthetic, SeedAndNameMatterAndNothingElse) {
  const TensorSpec spec = spec_of("x.w", DType::bf16, {5, 7});
  EXPECT_EQ(made(spec, 1), made(spec, 1));
  EXPECT_NE(made(spec, 1), made(spec, 2));
  EXPECT_NE(made(spec, 1), made(spec_of("y.w", DType::bf16, {5, 7}), 1));
  // One row more leaves the rows before as they were: values are counted, not drawn in turn.
  const std::vector<std::byte> more = made(spec_of("x.w", DType::bf16, {6, 7}), 1);
  EXPECT_TRUE(std::equal(more.begin(), more.begin() + 70, made(spec, 1).begin()));
}

/// A change here changes every session made with synthetic weights.
TEST(Synthetic, BytesArePinned) {
  const auto digest = [](const TensorSpec& spec) {
    std::uint64_t hash = 0;
    for (const std::byte byte : made(spec, 42))
      hash = splitmix64(hash ^ std::to_integer<std::uint64_t>(byte));
    return hash;
  };
  EXPECT_EQ(digest(spec_of("layers.3.q_proj.weight", DType::bf16, {24, 32})), 8518340113588595595U);
  EXPECT_EQ(digest(spec_of("layers.3.dt_bias", DType::f32, {24})), 7893895746756769909U);
  EXPECT_EQ(digest(spec_of("layers.3.experts.5.w1.weight_packed", DType::u8, {24, 16})),
            8223892033685219743U);
  EXPECT_EQ(digest(spec_of("layers.3.experts.5.w1.weight_scale", DType::u8, {24, 1})),
            8022460102940427679U);
}

}  // namespace
}  // namespace k3::test
