#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace k3::store {

/// Spans of one lane and depth as columns, ascending in begin: the blob of span_block. Layout:
/// kSpanBlockDoc. Numbers that stand for themselves are checked against the limits that the caller
/// names, so that a damaged blob gives an Error and never an index that leads nowhere.
inline constexpr std::size_t kMaxBlockSpans = 65'536;

inline constexpr std::size_t kNumSpanFields = 8;
enum class SpanField : std::uint8_t {
  span_id,
  begin_ns,
  duration_ns,
  step,
  task_id,
  layer,
  name_id,
  category,
};

inline constexpr std::string_view kSpanBlockDoc =
    "One zstd frame. Decompressed, it holds eight columns one after the other: span_id, begin_ns,\n"
    "duration_ns, step, task_id, layer, name_id and category (0 compute, 1 transfer, 2 wait,\n"
    "3 memory, 4 other). A column is: width (u8: 0, 1, 2, 4 or 8), coding (u8), start (i64), base\n"
    "(i64), then `width` planes of `count` bytes; byte i of plane p is byte p (the lowest first) "
    "of\n"
    "the unsigned number u[i]. Numbers are little-endian, sums wrap at 2^64. Coding 0: value[i] =\n"
    "base + u[i]. Coding 1: value[i] = value[i-1] + base + u[i], with value[-1] = start.\n";

/// The values of one block to be encoded, all columns equally long and not longer than
/// kMaxBlockSpans.
using SpanBlockValues = std::array<std::vector<std::int64_t>, kNumSpanFields>;

std::vector<std::byte> encode_span_block(const SpanBlockValues& values);

/// Decodes block after block, keeping its memory. Not thread-safe.
class SpanBlockDecoder {
 public:
  /// Errors: corrupt if the blob is no block of `count` spans
  Result<void> open(std::span<const std::byte> blob, std::size_t count);

  /// Values of one column of the block opened last.
  /// Errors: corrupt if one is below `lowest` or above `highest`
  template <std::integral T>
  Result<void> read(SpanField field,
                    std::span<T> out,
                    std::int64_t lowest = std::numeric_limits<T>::min(),
                    std::int64_t highest = std::int64_t{std::numeric_limits<T>::max()}) const;

 private:
  struct Stored {
    std::size_t width = 0;
    bool differences = false;
    std::uint64_t start = 0;
    std::uint64_t base = 0;
    const std::byte* planes = nullptr;
  };

  std::vector<std::byte> bytes_;
  std::array<Stored, kNumSpanFields> columns_;
  std::size_t count_ = 0;
};

extern template Result<void> SpanBlockDecoder::read(SpanField,
                                                    std::span<std::int64_t>,
                                                    std::int64_t,
                                                    std::int64_t) const;
extern template Result<void> SpanBlockDecoder::read(SpanField,
                                                    std::span<std::uint32_t>,
                                                    std::int64_t,
                                                    std::int64_t) const;
extern template Result<void> SpanBlockDecoder::read(SpanField,
                                                    std::span<std::int32_t>,
                                                    std::int64_t,
                                                    std::int64_t) const;
extern template Result<void> SpanBlockDecoder::read(SpanField,
                                                    std::span<std::int16_t>,
                                                    std::int64_t,
                                                    std::int64_t) const;
extern template Result<void> SpanBlockDecoder::read(SpanField,
                                                    std::span<std::uint8_t>,
                                                    std::int64_t,
                                                    std::int64_t) const;

}  // namespace k3::store
