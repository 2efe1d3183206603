#include "profiler/store/blob.h"

#include <memory>

#include <fmt/core.h>
#include <zstd.h>

#include "engine/base/check.h"

namespace k3::store {
namespace {

/// Fastest level: expert ids are nearly random, higher levels win less than 1 %.
constexpr int kLevel = 1;

/// A frame that claims more values than this is damaged: 2 GiB, a step of a million tokens has a
/// tenth.
constexpr std::size_t kMaxValues = std::size_t{1} << 30;

/// What the head of a frame says it holds.
Result<std::uint64_t> frame_bytes(std::span<const std::byte> blob) {
  const unsigned long long size = ZSTD_getFrameContentSize(blob.data(), blob.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return fail(Code::corrupt, "a compressed blob has no valid header");
  }
  return size;
}

/// Fills `out` exactly.
Result<void> decompress_to(std::span<const std::byte> blob, std::span<std::byte> out) {
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), blob.data(), blob.size());
  if (ZSTD_isError(got) == 0U && got == out.size()) return {};
  return fail(Code::corrupt, "a compressed blob is damaged");
}

}  // namespace

Result<void> check_blob_size(std::size_t num_bytes, std::size_t count, std::size_t value_bytes) {
  if (num_bytes % value_bytes == 0 && num_bytes / value_bytes == count) return {};
  return fail(Code::corrupt, fmt::format("a blob has {} bytes, its row says {} values of {} bytes",
                                         num_bytes, count, value_bytes));
}

std::vector<std::byte> compressed_bytes(std::span<const std::byte> bytes) {
  std::vector<std::byte> out(ZSTD_compressBound(bytes.size()));
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  const std::size_t size =
      ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size());
  K3_CHECK(ZSTD_isError(size) == 0U, "{}", ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

std::vector<std::byte> compressed(const std::vector<std::uint16_t>& values) {
  return compressed_bytes(blob_of(values));
}

Result<void> decompress_bytes(std::span<const std::byte> blob,
                              std::size_t most,
                              std::vector<std::byte>& bytes) {
  K3_TRY(const std::uint64_t size, frame_bytes(blob));
  if (size > most) {
    return fail(Code::corrupt,
                fmt::format("a compressed blob holds {} bytes, {} at most make sense", size, most));
  }
  bytes.resize(size);
  return decompress_to(blob, bytes);
}

Result<std::vector<std::uint16_t>> decompressed(std::span<const std::byte> blob,
                                                std::size_t count) {
  K3_TRY(const std::uint64_t size, frame_bytes(blob));
  if (count > kMaxValues || size != count * sizeof(std::uint16_t)) {
    return fail(Code::corrupt,
                fmt::format("a compressed blob holds {} bytes, its row says {} values of 2 bytes",
                            size, count));
  }
  std::vector<std::uint16_t> values(count);
  K3_TRY_VOID(decompress_to(blob, std::as_writable_bytes(std::span(values))));
  return values;
}

}  // namespace k3::store
