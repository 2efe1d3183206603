#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/weights/mapped_file.h"
#include "engine/weights/weight_view.h"

namespace k3 {

/// One tensor of a safetensors header.
struct StoredTensor {
  std::string name;
  std::string dtype;  ///< as written; DType covers a part of what the format knows
  std::vector<std::int64_t> shape;
  std::int64_t begin = 0;  ///< offsets from the begin of the data
  std::int64_t end = 0;
};

/// A safetensors file, mapped: 8 bytes header length, JSON header, data. Opening reads and checks
/// the whole header; data is read when it is used and need not be aligned to its element type.
/// Source: format description of github.com/huggingface/safetensors
class SafetensorsFile {
 public:
  /// Errors: not_found, io; corrupt with the first contradiction (header length, JSON, unknown
  /// dtype,
  ///         size against shape × dtype, offsets outside the file, overlapping tensors)
  static Result<SafetensorsFile> open(const std::filesystem::path& path);

  /// In order of offsets.
  const std::vector<StoredTensor>& tensors() const { return tensors_; }

  /// Null if there is no such tensor.
  const StoredTensor* find(std::string_view name) const;

  /// Errors: not_found, unsupported (a dtype that DType does not name)
  Result<WeightView> view(std::string_view name) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  SafetensorsFile(std::filesystem::path path,
                  MappedFile file,
                  std::int64_t data_begin,
                  std::vector<StoredTensor> tensors);

  std::filesystem::path path_;
  MappedFile file_;
  std::int64_t data_begin_;
  std::vector<StoredTensor> tensors_;
  std::unordered_map<std::string_view, std::size_t> by_name_;  ///< views into tensors_
};

/// A checkpoint in Hugging Face layout: a folder with model.safetensors, or with
/// model.safetensors.index.json and shards, or a single file. Shards are opened when a tensor of
/// theirs is asked for first. Thread-safe.
class Checkpoint {
 public:
  /// Errors: not_found (no weights, or a shard that the index names is missing), corrupt index
  static Result<Checkpoint> open(const std::filesystem::path& path);

  /// Names of all tensors, sorted.
  std::vector<std::string_view> names() const;

  bool has(std::string_view name) const { return shard_of_.contains(name); }

  /// What the header of the tensor's shard says; lives as long as the checkpoint.
  /// Errors: not_found, or the shard is corrupt or lacks the tensor that the index promises
  Result<const StoredTensor*> stored(std::string_view name) const;

  Result<WeightView> view(std::string_view name) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  struct Shard {
    std::filesystem::path path;
    std::vector<std::string_view> promised;  ///< tensors that the index puts here
    std::unique_ptr<SafetensorsFile> file;   ///< null until needed
  };

  explicit Checkpoint(std::filesystem::path path);

  static Result<Checkpoint> open_single(const std::filesystem::path& path,
                                        const std::filesystem::path& file);
  static Result<Checkpoint> open_index(const std::filesystem::path& folder,
                                       const std::filesystem::path& index);
  Result<void> read_index(std::string_view text, const std::filesystem::path& index);
  Result<const SafetensorsFile*> shard_file(std::string_view tensor) const;

  std::filesystem::path path_;
  std::unique_ptr<std::mutex> mutex_;  ///< guards Shard::file
  mutable std::vector<Shard> shards_;
  std::unique_ptr<std::vector<std::string>> names_;  ///< of an index; stable addresses
  std::unordered_map<std::string_view, std::size_t> shard_of_;
};

}  // namespace k3
