#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/dtype.h"
#include "engine/base/result.h"

namespace k3 {

/// A tensor that will be written.
struct TensorHeader {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;

  std::int64_t bytes() const;
};

/// Writes a safetensors file piece by piece: the header from the list of tensors, then each
/// tensor's bytes in name order. The content depends on names, types, shapes and values only (no
/// metadata); the file appears under its name when it is complete.
class SafetensorsWriter {
 public:
  /// Bytes of the file that these tensors make.
  static std::int64_t file_bytes(std::vector<TensorHeader> tensors);

  /// Creates the temporary file and writes the header.
  /// Errors: invalid_input (path, or two tensors of one name), io
  static Result<SafetensorsWriter> create(const std::filesystem::path& path,
                                          std::vector<TensorHeader> tensors,
                                          Overwrite overwrite);

  SafetensorsWriter(SafetensorsWriter&& other) noexcept;
  SafetensorsWriter& operator=(SafetensorsWriter&&) = delete;
  SafetensorsWriter(const SafetensorsWriter&) = delete;
  SafetensorsWriter& operator=(const SafetensorsWriter&) = delete;
  /// Removes the temporary file unless finish() has succeeded.
  ~SafetensorsWriter();

  /// In the order in which append() takes them: by name.
  const std::vector<TensorHeader>& tensors() const { return tensors_; }

  /// The next bytes of the data; tensors may come in pieces.
  /// Errors: io; internal if there are more bytes than the header says
  Result<void> append(std::span<const std::byte> bytes);

  /// Flushes and renames.
  /// Errors: io; internal if bytes are missing
  Result<void> finish();

 private:
  SafetensorsWriter(std::filesystem::path path, std::vector<TensorHeader> tensors);

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::vector<TensorHeader> tensors_;
  std::FILE* file_ = nullptr;
  std::int64_t missing_ = 0;  ///< bytes that append() still expects
};

/// A tensor and its bytes.
struct TensorData {
  TensorHeader header;
  std::span<const std::byte> bytes;
};

/// Writes tensors that are in memory.
Result<void> write_safetensors(const std::filesystem::path& path,
                               std::span<const TensorData> tensors,
                               Overwrite overwrite);

}  // namespace k3
