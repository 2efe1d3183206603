#include "profiler/store/span_block.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "engine/base/check.h"
#include "profiler/store/blob.h"

namespace k3::store {
namespace {

/// Width, coding, start, base.
constexpr std::size_t kColumnHeadBytes = 2 + 8 + 8;

/// What a block of `count` spans can take at most.
constexpr std::size_t max_bytes(std::size_t count) {
  return kNumSpanFields * (kColumnHeadBytes + 8 * count);
}

/// Times and numbers that count up are stored as differences.
constexpr bool stored_as_differences(std::size_t field) {
  return field == static_cast<std::size_t>(SpanField::span_id) ||
         field == static_cast<std::size_t>(SpanField::begin_ns) ||
         field == static_cast<std::size_t>(SpanField::step);
}

tl::unexpected<Error> damaged_block(std::string_view what) {
  return fail(Code::corrupt, fmt::format("a block of spans is damaged ({})", what));
}

std::size_t width_of(std::uint64_t highest) {
  if (highest == 0) return 0;
  if (highest <= std::numeric_limits<std::uint8_t>::max()) return 1;
  if (highest <= std::numeric_limits<std::uint16_t>::max()) return 2;
  return highest <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
}

void put_number(std::vector<std::byte>& out, std::uint64_t value) {
  for (int i = 0; i < 8; ++i)
    out.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
}

std::uint64_t number_at(const std::byte* bytes) {
  std::uint64_t value = 0;
  for (int i = 7; i >= 0; --i)
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

void put_column(std::vector<std::byte>& out,
                const std::vector<std::int64_t>& values,
                bool differences) {
  std::vector<std::uint64_t> numbers(values.begin(), values.end());
  const std::uint64_t start = numbers.front();
  if (differences) {
    for (std::size_t i = numbers.size(); i-- > 1;)
      numbers[i] -= numbers[i - 1];
    numbers.front() = 0;
  }
  const auto is_less = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  };
  const std::uint64_t base = *std::min_element(numbers.begin(), numbers.end(), is_less);
  std::uint64_t highest = 0;
  for (std::uint64_t& number : numbers) {
    number -= base;
    highest = std::max(highest, number);
  }
  const std::size_t width = width_of(highest);
  out.push_back(static_cast<std::byte>(width));
  out.push_back(static_cast<std::byte>(differences ? 1 : 0));
  put_number(out, start);
  put_number(out, base);
  for (std::size_t plane = 0; plane < width; ++plane) {
    for (const std::uint64_t number : numbers)
      out.push_back(static_cast<std::byte>(number >> (8 * plane) & 0xff));
  }
}

/// u[first + i] for the first values of `out`.
template <std::size_t kWidth>
void join_planes(const std::byte* planes,
                 std::size_t count,
                 std::size_t first,
                 std::span<std::uint64_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint64_t number = 0;
    for (std::size_t plane = 0; plane < kWidth; ++plane)
      number |= std::to_integer<std::uint64_t>(planes[plane * count + first + i]) << (8 * plane);
    out[i] = number;
  }
}

void join_planes(std::size_t width,
                 const std::byte* planes,
                 std::size_t count,
                 std::size_t first,
                 std::span<std::uint64_t> out) {
  switch (width) {
    case 0:
      return join_planes<0>(planes, count, first, out);
    case 1:
      return join_planes<1>(planes, count, first, out);
    case 2:
      return join_planes<2>(planes, count, first, out);
    case 4:
      return join_planes<4>(planes, count, first, out);
    default:
      return join_planes<8>(planes, count, first, out);
  }
}

}  // namespace

std::vector<std::byte> encode_span_block(const SpanBlockValues& values) {
  const std::size_t count = values.front().size();
  K3_CHECK(count > 0 && count <= kMaxBlockSpans, "{} spans in a block", count);
  std::vector<std::byte> bytes;
  bytes.reserve(max_bytes(count) / 2);
  for (std::size_t field = 0; field < kNumSpanFields; ++field) {
    K3_CHECK(values[field].size() == count);
    put_column(bytes, values[field], stored_as_differences(field));
  }
  return compressed_bytes(bytes);
}

Result<void> SpanBlockDecoder::open(std::span<const std::byte> blob, std::size_t count) {
  if (count == 0 || count > kMaxBlockSpans) {
    return damaged_block(fmt::format("{} spans", count));
  }
  K3_TRY_VOID(decompress_bytes(blob, max_bytes(count), bytes_));
  count_ = count;
  std::span<const std::byte> rest = bytes_;
  for (Stored& column : columns_) {
    if (rest.size() < kColumnHeadBytes) return damaged_block("it ends too early");
    const auto width = std::to_integer<std::size_t>(rest[0]);
    const auto coding = std::to_integer<std::size_t>(rest[1]);
    if (width > 8 || (width & (width - 1)) != 0 || coding > 1) {
      return damaged_block("unknown coding");
    }
    if (rest.size() - kColumnHeadBytes < width * count) return damaged_block("it ends too early");
    column = {.width = width,
              .differences = coding == 1,
              .start = number_at(&rest[2]),
              .base = number_at(&rest[10]),
              .planes = rest.data() + kColumnHeadBytes};
    rest = rest.subspan(kColumnHeadBytes + width * count);
  }
  if (!rest.empty()) return damaged_block("it is too long");
  return {};
}

template <std::integral T>
Result<void> SpanBlockDecoder::read(SpanField field,
                                    std::span<T> out,
                                    std::int64_t lowest,
                                    std::int64_t highest) const {
  K3_CHECK(out.size() == count_, "{} of {} spans", out.size(), count_);
  const Stored& column = columns_[static_cast<std::size_t>(field)];
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  std::uint64_t previous = column.start;
  std::array<std::uint64_t, 256> chunk;  // stays in the nearest cache
  for (std::size_t first = 0; first < out.size(); first += chunk.size()) {
    const std::span part = std::span(chunk).first(std::min(chunk.size(), out.size() - first));
    join_planes(column.width, column.planes, count_, first, part);
    if (column.differences) {
      for (std::uint64_t& number : part)
        number = previous += column.base + number;
    } else {
      for (std::uint64_t& number : part)
        number += column.base;
    }
    for (std::size_t i = 0; i < part.size(); ++i) {
      const auto value = static_cast<std::int64_t>(part[i]);
      least = std::min(least, value);
      most = std::max(most, value);
      out[first + i] = static_cast<T>(value);
    }
  }
  if (least < lowest || most > highest) {
    return damaged_block(fmt::format("column {} holds {} to {}, only {} to {} make sense",
                                     static_cast<int>(field), least, most, lowest, highest));
  }
  return {};
}

template Result<void> SpanBlockDecoder::read(SpanField,
                                             std::span<std::int64_t>,
                                             std::int64_t,
                                             std::int64_t) const;
template Result<void> SpanBlockDecoder::read(SpanField,
                                             std::span<std::uint32_t>,
                                             std::int64_t,
                                             std::int64_t) const;
template Result<void> SpanBlockDecoder::read(SpanField,
                                             std::span<std::int32_t>,
                                             std::int64_t,
                                             std::int64_t) const;
template Result<void> SpanBlockDecoder::read(SpanField,
                                             std::span<std::int16_t>,
                                             std::int64_t,
                                             std::int64_t) const;
template Result<void> SpanBlockDecoder::read(SpanField,
                                             std::span<std::uint8_t>,
                                             std::int64_t,
                                             std::int64_t) const;

}  // namespace k3::store
