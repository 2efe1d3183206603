#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "engine/base/result.h"

namespace k3 {

/// A file mapped read-only into memory; pages are read when they are touched.
class MappedFile {
 public:
  /// Errors: not_found, io
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace k3
