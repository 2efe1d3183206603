#pragma once

#include <cstdint>

namespace k3 {

/// Consecutive values that share one scale in the MX formats.
/// Source: OCP Microscaling Formats (MX) Specification 1.0
inline constexpr std::int64_t kMxBlock = 32;

/// How a number format stores consecutive values: so many bits each, and one scale per block.
struct FormatLayout {
  int bits = 0;
  std::int64_t scale_block = 0;  ///< values per scale; 0: no scales
  int scale_bytes = 0;
};

/// Bytes of `elements` consecutive values with their scales; a partial block has a scale of its
/// own.
constexpr std::int64_t row_size(FormatLayout layout, std::int64_t elements) {
  const std::int64_t values = (elements * layout.bits + 7) / 8;
  if (layout.scale_block == 0) return values;
  return values + (elements + layout.scale_block - 1) / layout.scale_block * layout.scale_bytes;
}

inline constexpr FormatLayout kFloat32Layout{32};
inline constexpr FormatLayout kBf16Layout{16};
inline constexpr FormatLayout kMxfp8Layout{8, kMxBlock, 1};
inline constexpr FormatLayout kMxfp4Layout{4, kMxBlock, 1};
inline constexpr FormatLayout kNvfp4Layout{4, 16, 1};
/// fp8 with a float32 scale per 128 values: the same size as MXFP8 where 128 divides the row.
inline constexpr FormatLayout kFp8Block128Layout{8, 128, 4};

}  // namespace k3
