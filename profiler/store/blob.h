#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "engine/base/result.h"

namespace k3::store {

// NOTE: arrays are stored as they lie in memory; a big-endian build would have to swap here.
static_assert(std::endian::native == std::endian::little);

/// The bytes of an array as stored in a blob, without a copy.
template <std::unsigned_integral T>
std::span<const std::byte> blob_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

/// Errors: corrupt if the blob does not hold exactly `count` values
Result<void> check_blob_size(std::size_t num_bytes, std::size_t count, std::size_t value_bytes);

template <std::unsigned_integral T>
Result<std::vector<T>> array_from(std::span<const std::byte> blob, std::size_t count) {
  K3_TRY_VOID(check_blob_size(blob.size(), count, sizeof(T)));
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), blob.data(), blob.size());
  return values;
}

/// All values of a blob. Errors: corrupt if it ends inside a value
template <std::unsigned_integral T>
Result<std::vector<T>> array_from(std::span<const std::byte> blob) {
  return array_from<T>(blob, blob.size() / sizeof(T));
}

/// One zstd frame with a checksum.
std::vector<std::byte> compressed_bytes(std::span<const std::byte> bytes);
std::vector<std::byte> compressed(const std::vector<std::uint16_t>& values);

/// Errors: corrupt if the frame is damaged or holds more than `most` bytes
Result<void> decompress_bytes(std::span<const std::byte> blob,
                              std::size_t most,
                              std::vector<std::byte>& bytes);

/// Errors: corrupt if the frame is damaged or does not hold exactly `count` values
Result<std::vector<std::uint16_t>> decompressed(std::span<const std::byte> blob, std::size_t count);

}  // namespace k3::store
