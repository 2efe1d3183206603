#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/tensor_spec.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/weight_store.h"

namespace k3 {

/// Where a store's tensors come from. Thread-safe.
class WeightStore::Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  Source(Source&&) = delete;
  Source& operator=(Source&&) = delete;

  virtual bool has(std::string_view name) const = 0;
  virtual Result<WeightView> tensor(std::string_view name) = 0;

  /// A float32 copy that is made once, from `view`.
  std::span<const float> converted(std::string_view name, const WeightView& view);

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<float>, std::less<>> floats_;
};

/// Memory that is handed out in pieces aligned to 64 bytes and freed as a whole. Thread-safe.
class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = delete;
  Arena& operator=(Arena&&) = delete;

  /// Null where the host has no memory left.
  std::byte* allocate(std::size_t bytes);

 private:
  std::mutex mutex_;
  std::vector<std::byte*> chunks_;
  std::byte* free_ = nullptr;
  std::size_t left_ = 0;
};

/// Tensors of a checkpoint, in place; copied only where they are not aligned to their type.
class CheckpointSource final : public WeightStore::Source {
 public:
  explicit CheckpointSource(Checkpoint checkpoint) : checkpoint_(std::move(checkpoint)) {}

  bool has(std::string_view name) const override { return checkpoint_.has(name); }

  Result<WeightView> tensor(std::string_view name) override;

 private:
  Checkpoint checkpoint_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::byte>, std::less<>> aligned_;
};

/// Tensors made from a seed when they are first asked for.
class SyntheticSource final : public WeightStore::Source {
 public:
  SyntheticSource(const ModelConfig& model, std::uint64_t seed);

  bool has(std::string_view name) const override { return index_.contains(name); }

  Result<WeightView> tensor(std::string_view name) override;

 private:
  struct Slot {
    std::once_flag once;
    std::byte* data = nullptr;
  };

  std::uint64_t seed_;
  std::int64_t heads_;
  std::vector<TensorSpec> specs_;
  std::unordered_map<std::string_view, std::size_t> index_;  ///< views into specs_
  std::vector<Slot> slots_;
  Arena arena_;
};

}  // namespace k3
