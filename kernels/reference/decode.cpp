#include "kernels/reference/decode.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "kernels/reference/clones.h"

namespace k3::reference {
namespace {

/// Source: OCP Microscaling Formats specification 1.0, E2M1 (bit 3 is the sign).
constexpr std::array<float, 16> kE2m1{0.0F,  0.5F,  1.0F,  1.5F,  2.0F,  3.0F,  4.0F,  6.0F,
                                      -0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F};

struct Pair {
  float even;
  float odd;
};

constexpr std::array<Pair, 256> make_pairs() {
  std::array<Pair, 256> pairs{};
  for (std::size_t byte = 0; byte < 256; ++byte)
    pairs[byte] = {kE2m1[byte & 15], kE2m1[byte >> 4]};
  return pairs;
}

constexpr std::array<float, 256> make_scales() {
  std::array<float, 256> scales{};
  scales[0] = 0x1p-127F;
  for (std::uint32_t byte = 1; byte < 255; ++byte) {
    scales[byte] = std::bit_cast<float>(byte << 23);
  }
  scales[255] = std::numeric_limits<float>::quiet_NaN();
  return scales;
}

constexpr std::array<Pair, 256> kPairs = make_pairs();
constexpr std::array<float, 256> kScales = make_scales();

float scaled(float value, float scale) {
  return value * scale;
}

K3_CLONES void decode_bf16(const unsigned char* from, std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from + 2 * i, 2);
    out[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
}

void decode_mxfp4(const unsigned char* codes,
                  const std::uint8_t* scale,
                  std::int64_t count,
                  float* out) {
  for (std::int64_t first = 0; first < count; first += kScaleBlock) {
    const float factor = kScales[*scale++];
    const std::int64_t end = std::min(first + kScaleBlock, count);
    std::int64_t i = first;
    for (; i + 1 < end; i += 2) {
      const Pair pair = kPairs[codes[i / 2]];
      out[i] = scaled(pair.even, factor);
      out[i + 1] = scaled(pair.odd, factor);
    }
    if (i < end) out[i] = scaled(kPairs[codes[i / 2]].even, factor);
  }
}

}  // namespace

void decode_row(const ops::Matrix& matrix, RowSlice slice, float* out) {
  const auto* bytes = static_cast<const unsigned char*>(matrix.data);
  const std::int64_t element = slice.row * matrix.cols + slice.first;
  switch (matrix.format) {
    case ops::WeightFormat::f32:
      std::memcpy(out, bytes + 4 * element, static_cast<std::size_t>(4 * slice.count));
      return;
    case ops::WeightFormat::bf16:
      decode_bf16(bytes + 2 * element, slice.count, out);
      return;
    case ops::WeightFormat::mxfp4: {
      const std::int64_t row_bytes = (matrix.cols + 1) / 2;
      const std::int64_t row_scales = (matrix.cols + kScaleBlock - 1) / kScaleBlock;
      decode_mxfp4(bytes + slice.row * row_bytes + slice.first / 2,
                   matrix.scale + slice.row * row_scales + slice.first / kScaleBlock, slice.count,
                   out);
      return;
    }
  }
}

void decode_vector(const ops::Vector& vector, float* out) {
  const ops::Matrix row{.data = vector.data,
                        .scale = nullptr,
                        .format = vector.format,
                        .rows = 1,
                        .cols = vector.size};
  if (vector.size > 0) decode_row(row, {.row = 0, .first = 0, .count = vector.size}, out);
}

}  // namespace k3::reference
