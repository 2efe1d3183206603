#include "kernels/reference/decode.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "engine/base/hot_loops.h"

namespace k3::reference {
namespace {

/// The upper 16 bits of the float32 values of E2M1 codes 0 .. 7 (their lower bits are 0).
/// Source: OCP Microscaling Formats specification 1.0: 0, 0.5, 1, 1.5, 2, 3, 4, 6; bit 3 is the
/// sign.
constexpr std::array<std::uint32_t, 8> kE2m1{0x0000, 0x3f00, 0x3f80, 0x3fc0,
                                             0x4000, 0x4040, 0x4080, 0x40c0};

constexpr std::uint32_t upper_half(std::uint32_t code) {
  return kE2m1[code & 7] | (code & 8) << 12;
}

/// Both values of a byte, the even column in the lower half.
constexpr std::array<std::uint32_t, 256> make_pairs() {
  std::array<std::uint32_t, 256> pairs{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    pairs[byte] = upper_half(byte & 15) | upper_half(byte >> 4) << 16;
  }
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

constexpr std::array<std::uint32_t, 256> kPairs = make_pairs();
constexpr std::array<float, 256> kScales = make_scales();

K3_CLONES void decode_bf16(const unsigned char* from, std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from + 2 * i, 2);
    out[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
}

/// out[i] = value of pairs[i], for i < size; one scale for all.
K3_CLONES void scale_pairs(const std::uint32_t* pairs,
                           float scale,
                           std::int64_t size,
                           float* __restrict out) {
  for (std::int64_t i = 0; i < size / 2; ++i) {
    out[2 * i] = std::bit_cast<float>(pairs[i] << 16) * scale;
    out[2 * i + 1] = std::bit_cast<float>(pairs[i] & 0xffff0000U) * scale;
  }
  if (size % 2 != 0) out[size - 1] = std::bit_cast<float>(pairs[size / 2] << 16) * scale;
}

void decode_mxfp4(const unsigned char* codes,
                  const std::uint8_t* scale,
                  std::int64_t count,
                  float* out) {
  // NOTE: all look-ups of a piece come before its arithmetic; wide loads right behind the narrow
  // stores would wait for them.
  constexpr std::int64_t kPiece = 256;
  std::array<std::uint32_t, kPiece / 2> pairs;
  for (std::int64_t first = 0; first < count; first += kPiece) {
    const std::int64_t size = std::min(kPiece, count - first);
    const unsigned char* from = codes + first / 2;
    for (std::int64_t i = 0; i < (size + 1) / 2; ++i) {
      pairs[static_cast<std::size_t>(i)] = kPairs[from[i]];
    }
    for (std::int64_t block = 0; block < size; block += kScaleBlock) {
      scale_pairs(pairs.data() + block / 2, kScales[*scale++], std::min(kScaleBlock, size - block),
                  out + first + block);
    }
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
