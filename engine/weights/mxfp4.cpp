#include "engine/weights/mxfp4.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/check.h"

namespace k3 {
namespace {

constexpr auto kBlock = static_cast<std::size_t>(kMxfp4Block);

float decode_code(unsigned code) {
  const float magnitude = kE2m1Magnitudes[code & 7U];
  return (code & 8U) != 0 ? -magnitude : magnitude;
}

float scale_value(std::uint8_t scale) {
  if (scale == 255) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0F, scale - 127);
}

/// Exponent that brings `largest` into [4, 8), within what a scale byte and float32 hold.
int block_exponent(float largest) {
  // NOTE: an all-zero block takes the exponent of 1e-30, as the reference encoder does.
  return std::clamp(std::ilogb(std::max(largest, 1e-30F)) - 2, -126, 126);
}

unsigned nearest_code(float value) {
  const float magnitude = std::abs(value);
  unsigned best = 0;
  for (unsigned code = 1; code < kE2m1Magnitudes.size(); ++code) {
    if (std::abs(magnitude - kE2m1Magnitudes[code]) < std::abs(magnitude - kE2m1Magnitudes[best])) {
      best = code;
    }
  }
  return std::signbit(value) ? best | 8U : best;
}

}  // namespace

void decode_mxfp4(std::span<const std::uint8_t> packed,
                  std::span<const std::uint8_t> scale,
                  std::span<float> out) {
  K3_CHECK(out.size() % kBlock == 0 && packed.size() * 2 == out.size() &&
               scale.size() * kBlock == out.size(),
           "{} values, {} bytes, {} scales", out.size(), packed.size(), scale.size());
  for (std::size_t i = 0; i < packed.size(); ++i) {
    const float factor = scale_value(scale[2 * i / kBlock]);
    out[2 * i] = decode_code(packed[i] & 15U) * factor;
    out[2 * i + 1] = decode_code(packed[i] >> 4U) * factor;
  }
}

Mxfp4 encode_mxfp4(std::span<const float> values) {
  K3_CHECK(values.size() % kBlock == 0, "{} values", values.size());
  Mxfp4 result;
  result.packed.reserve(values.size() / 2);
  result.scale.reserve(values.size() / kBlock);
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const std::span<const float> block = values.subspan(first, kBlock);
    float largest = 0;
    for (const float value : block)
      largest = std::max(largest, std::abs(value));
    const int exponent = block_exponent(largest);
    for (std::size_t i = 0; i < kBlock; i += 2) {
      const unsigned even = nearest_code(std::ldexp(block[i], -exponent));
      const unsigned odd = nearest_code(std::ldexp(block[i + 1], -exponent));
      result.packed.push_back(static_cast<std::uint8_t>(even | odd << 4U));
    }
    result.scale.push_back(static_cast<std::uint8_t>(exponent + 127));
  }
  return result;
}

}  // namespace k3
