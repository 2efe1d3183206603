#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/reference/decode.h"
#include "tests/unit/kernels_reference/ops_json.h"

namespace k3::test {
namespace {

TEST(GoldenOps, SituMatchesEveryRow) {
  K3_SHARED_OR_SKIP(shared);
  Reference reference;
  for (const json& group : ops_section(shared, "situ")) {
    std::vector<float> gate;
    std::vector<float> up;
    std::vector<double> expected;
    for (const json& row : group.at("g_u_y")) {
      gate.push_back(row[0].get<float>());
      up.push_back(row[1].get<float>());
      expected.push_back(row[2].get<double>());
    }
    std::vector<float> out(gate.size());
    const json& cap = group.at("linear_beta");
    reference.kernels.situ({.gate = gate.data(),
                            .up = up.data(),
                            .beta = group.at("beta").get<float>(),
                            .linear_beta = cap.is_null() ? 0.0F : cap.get<float>(),
                            .out = out.data(),
                            .elements = static_cast<std::int64_t>(out.size())},
                           *reference.stream);
    expect_close(out, expected);
    // Sharper than the limit: every single value, also the small ones (below 1e-38 float32 is
    // coarse).
    constexpr double kTiny = std::numeric_limits<float>::denorm_min();
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double limit = 2e-7 * std::abs(expected[i]) + kTiny;
      EXPECT_NEAR(out[i], expected[i], limit) << gate[i] << " " << up[i];
    }
  }
}

TEST(GoldenOps, RmsNormMatchesUnroundedValues) {
  K3_SHARED_OR_SKIP(shared);
  Reference reference;
  const json section = ops_section(shared, "rmsnorm");  // outlives the loop
  for (const json& item : section.at("cases")) {
    const std::vector<float> x = floats(item.at("x"));
    const std::vector<float> weight = floats(item.at("w"));
    std::vector<float> out(x.size());
    reference.kernels.rms_norm({.x = x.data(),
                                .weight = f32_vector(weight),
                                .eps = item.at("eps").get<float>(),
                                .out = out.data(),
                                .tokens = static_cast<std::int64_t>(x.size() / weight.size())},
                               *reference.stream);
    expect_close(out, numbers(item.at("y")));
  }
}

/// Round to nearest even, as a cast to bf16.
int bf16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<int>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

TEST(GoldenOps, RmsNormRoundsToTheGoldenBf16Codes) {
  K3_SHARED_OR_SKIP(shared);
  Reference reference;
  const json section = ops_section(shared, "rmsnorm");  // outlives the loop
  for (const json& item : section.at("cases")) {
    std::vector<float> x = floats(item.at("x"));
    const std::vector<float> weight = floats(item.at("w"));
    reference.kernels.rms_norm({.x = x.data(),
                                .weight = f32_vector(weight),
                                .eps = item.at("eps").get<float>(),
                                .out = x.data(),
                                .tokens = static_cast<std::int64_t>(x.size() / weight.size())},
                               *reference.stream);
    std::vector<int> codes;
    for (const float value : x)
      codes.push_back(bf16_bits(value));
    EXPECT_EQ(codes, integers(item.at("y_bf16_one_rounding")));
  }
}

TEST(GoldenOps, AttnResMixMatches) {
  K3_SHARED_OR_SKIP(shared);
  Reference reference;
  const json section = ops_section(shared, "attn_res_mix");
  for (const json& item : section.at("cases")) {
    std::vector<std::vector<float>> sources;
    for (const json& source : item.at("sources"))
      sources.push_back(floats(source));
    std::vector<const float*> pointers;
    for (const std::vector<float>& source : sources)
      pointers.push_back(source.data());
    const std::vector<float> norm = floats(item.at("norm_w"));
    const std::vector<float> proj = floats(item.at("proj_w"));
    std::vector<float> out(sources.front().size());
    reference.kernels.attn_res_mix({.sources = pointers.data(),
                                    .num_sources = item.at("n").get<int>(),
                                    .norm = f32_vector(norm),
                                    .proj = f32_vector(proj),
                                    .eps = section.at("eps").get<float>(),
                                    .out = out.data(),
                                    .tokens = static_cast<std::int64_t>(out.size() / norm.size())},
                                   *reference.stream);
    expect_close(out, numbers(item.at("out")));
  }
}

std::vector<float> decoded(const std::vector<std::uint8_t>& codes,
                           const std::vector<std::uint8_t>& scale,
                           std::int64_t rows) {
  const auto cols = static_cast<std::int64_t>(2 * codes.size()) / rows;
  const ops::Matrix matrix{.data = codes.data(),
                           .scale = scale.data(),
                           .format = ops::WeightFormat::mxfp4,
                           .rows = rows,
                           .cols = cols};
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  for (std::int64_t row = 0; row < rows; ++row) {
    reference::decode_row(matrix, {.row = row, .first = 0, .count = cols},
                          values.data() + row * cols);
  }
  return values;
}

TEST(GoldenOps, Mxfp4DecodesEveryByteUnderEveryScaleExactly) {
  K3_SHARED_OR_SKIP(shared);
  std::vector<std::uint8_t> codes(256);
  for (std::size_t i = 0; i < codes.size(); ++i)
    codes[i] = static_cast<std::uint8_t>(i);
  const json section = ops_section(shared, "mxfp4");  // outlives the loop
  for (const json& table : section.at("tables")) {
    const std::vector<std::uint8_t> scale(16, table.at("scale").get<std::uint8_t>());
    const std::vector<float> values = decoded(codes, scale, 1);
    const std::vector<double> expected = numbers(table.at("low_high"));
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Beyond float32 (largest codes at scale 253 and 254): infinity.
      const bool fits = std::abs(expected[i]) <= std::numeric_limits<float>::max();
      const double wanted = fits ? expected[i] : std::copysign(HUGE_VAL, expected[i]);
      EXPECT_EQ(values[i], wanted) << "scale " << int{scale[0]} << " element " << i;
    }
  }
}

TEST(GoldenOps, Mxfp4Scale255IsNan) {
  for (const float value : decoded(std::vector<std::uint8_t>(16, 0x21), {255}, 1)) {
    EXPECT_TRUE(std::isnan(value));
  }
}

TEST(GoldenOps, Mxfp4MatrixDecodesExactly) {
  K3_SHARED_OR_SKIP(shared);
  const json matrix = ops_section(shared, "mxfp4").at("matrix");
  std::vector<std::uint8_t> codes;
  std::vector<std::uint8_t> scale;
  for (const json& row : matrix.at("packed")) {
    for (const json& byte : row)
      codes.push_back(byte.get<std::uint8_t>());
  }
  for (const json& row : matrix.at("scale")) {
    for (const json& byte : row)
      scale.push_back(byte.get<std::uint8_t>());
  }
  const std::vector<float> values = decoded(codes, scale, 4);
  const std::vector<double> expected = numbers(matrix.at("values"));
  EXPECT_EQ(std::vector<double>(values.begin(), values.end()), expected);
}

}  // namespace
}  // namespace k3::test
