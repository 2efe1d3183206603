#include "engine/weights/mxfp4.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "engine/base/rng.h"
#include "engine/text/file.h"
#include "engine/text/json.h"
#include "tests/support/shared_data.h"

namespace k3::test {
namespace {

std::vector<std::uint8_t> bytes_of(const Json& rows) {
  std::vector<std::uint8_t> bytes;
  for (const Json& row : rows.items()) {
    for (const Json& value : row.items())
      bytes.push_back(static_cast<std::uint8_t>(value.integer()));
  }
  return bytes;
}

Json golden(const std::filesystem::path& shared) {
  const std::string text = *read_text_file(shared / "golden" / "ops.json");
  return *Json::parse(text, "ops.json")->find("mxfp4");
}

void check_tables(const Json& tables) {
  std::vector<std::uint8_t> codes(256);
  for (std::size_t i = 0; i < codes.size(); ++i)
    codes[i] = static_cast<std::uint8_t>(i);
  for (const Json& table : tables.items()) {
    const auto scale = static_cast<std::uint8_t>(table.find("scale")->integer());
    std::vector<float> values(512);
    decode_mxfp4(codes, std::vector<std::uint8_t>(16, scale), values);
    const Json::Array& pairs = table.find("low_high")->items();
    for (std::size_t i = 0; i < 512; ++i) {
      const double expected = pairs[i / 2].items()[i % 2].number();
      const bool fits = std::abs(expected) <= std::numeric_limits<float>::max();
      EXPECT_EQ(values[i], fits ? expected : std::copysign(HUGE_VAL, expected)) << int{scale};
    }
  }
}

void check_matrix(const Json& matrix) {
  const std::vector<std::uint8_t> packed = bytes_of(*matrix.find("packed"));
  std::vector<float> values(packed.size() * 2);
  decode_mxfp4(packed, bytes_of(*matrix.find("scale")), values);
  std::size_t i = 0;
  for (const Json& row : matrix.find("values")->items()) {
    for (const Json& value : row.items())
      EXPECT_EQ(values[i++], value.number());
  }
  EXPECT_EQ(i, values.size());
}

TEST(Mxfp4, DecodesTheGoldenValuesExactly) {
  K3_SHARED_OR_SKIP(shared);
  const Json section = golden(shared);
  check_tables(*section.find("tables"));
  check_matrix(*section.find("matrix"));
}

TEST(Mxfp4, ScaleEndsAreTheSmallestPowerAndNan) {
  const std::vector<std::uint8_t> ones(16, 0x22);
  std::vector<float> values(32);
  decode_mxfp4(ones, std::vector<std::uint8_t>{0}, values);
  EXPECT_EQ(values[0], std::ldexp(1.0F, -127));
  decode_mxfp4(ones, std::vector<std::uint8_t>{255}, values);
  EXPECT_TRUE(std::isnan(values[31]));
}

TEST(Mxfp4, EncodesWhatItDecodes) {
  // Every block whose largest magnitude is 4 or 6 comes back as it was.
  Rng rng(1);
  std::vector<std::uint8_t> packed(16 * 20);
  std::vector<std::uint8_t> scale(20);
  for (std::uint8_t& byte : packed)
    byte = static_cast<std::uint8_t>(rng.next());
  for (std::uint8_t& byte : scale)
    byte = static_cast<std::uint8_t>(100 + rng.next() % 50);
  for (std::size_t block = 0; block < 20; ++block)
    packed[16 * block] = 0x0e;  // holds a 4
  std::vector<float> values(packed.size() * 2);
  decode_mxfp4(packed, scale, values);
  const Mxfp4 encoded = encode_mxfp4(values);
  EXPECT_EQ(encoded.packed, packed);
  EXPECT_EQ(encoded.scale, scale);
}

TEST(Mxfp4, EncodesToTheNearestCode) {
  // Largest 5.5: exponent floor(log2 5.5) − 2 = 0. Ties go to the smaller magnitude.
  std::vector<float> values(32);
  values[0] = 5.5F;   // 6
  values[1] = -2.4F;  // −2
  values[2] = 0.25F;  // between 0 and 0.5: 0
  values[3] = -5.0F;  // between 4 and 6: −4
  values[4] = 0.76F;  // 1
  const Mxfp4 encoded = encode_mxfp4(values);
  std::vector<float> decoded(32);
  decode_mxfp4(encoded.packed, encoded.scale, decoded);
  EXPECT_EQ(encoded.scale[0], 127);
  EXPECT_EQ(decoded[0], 6.0F);
  EXPECT_EQ(decoded[1], -2.0F);
  EXPECT_EQ(decoded[2], 0.0F);
  EXPECT_EQ(decoded[3], -4.0F);
  EXPECT_EQ(decoded[4], 1.0F);
  EXPECT_EQ(encode_mxfp4(std::vector<float>(32)).packed, std::vector<std::uint8_t>(16));
}

}  // namespace
}  // namespace k3::test
