#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

// MXFP4 as the checkpoint stores it: E2M1 codes, two per byte along the inputs (low nibble = even
// index), and one E8M0 scale byte per 32 values, value = code · 2^(scale − 127); scale 255 is NaN.
// Source: OCP Microscaling Formats specification 1.0
namespace k3 {

inline constexpr std::int64_t kMxfp4Block = 32;

/// Values of codes 0 .. 7; bit 3 of a code is the sign.
inline constexpr std::array<float, 8> kE2m1Magnitudes{0.0F, 0.5F, 1.0F, 1.5F,
                                                      2.0F, 3.0F, 4.0F, 6.0F};

struct Mxfp4 {
  std::vector<std::uint8_t> packed;  ///< values / 2
  std::vector<std::uint8_t> scale;   ///< values / 32
};

/// out.size() values, a multiple of 32; packed has half as many bytes, scale one per 32.
void decode_mxfp4(std::span<const std::uint8_t> packed,
                  std::span<const std::uint8_t> scale,
                  std::span<float> out);

/// Per 32 values the power of two that puts the largest between 4 and 8, then the nearest code
/// (larger values become 6; a value between two codes takes the smaller). Finite values, a multiple
/// of 32.
Mxfp4 encode_mxfp4(std::span<const float> values);

}  // namespace k3
