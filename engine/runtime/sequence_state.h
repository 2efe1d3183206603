#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/result.h"
#include "engine/device/backend.h"
#include "engine/model/model_config.h"
#include "engine/runtime/executor.h"

namespace k3 {

/// Sizes of one sequence's state, in float32 values.
struct StateLayout {
  std::int64_t kda_layers = 0;
  std::int64_t mla_layers = 0;
  std::int64_t kda_values = 0;   ///< recurrent state of one layer [heads, key, value]
  std::int64_t conv_values = 0;  ///< history of one of q, k, v in one layer [taps − 1, width]
  std::int64_t cache_width = 0;  ///< one row of one layer's latent cache

  explicit StateLayout(const ModelConfig& model);
};

/// Caches of one sequence on its owner's device: KDA states [KDA layers, heads, key, value],
/// convolution histories [q k v, KDA layers, taps − 1, width] and MLA latent rows [MLA layers,
/// capacity, width].
class SequenceState {
 public:
  SequenceState(Backend& backend, int device, const StateLayout& layout)
      : backend_(&backend), device_(device), layout_(layout) {}

  /// All zero, room for `capacity` tokens.
  Result<void> allocate(Stream& stream, std::int64_t capacity);

  std::int64_t length() const { return length_; }

  void set_length(std::int64_t length) { length_ = length; }

  /// Grows the latent caches to `tokens` rows, to the next half larger size at least; rows are
  /// kept.
  Result<void> reserve(Stream& stream, std::int64_t tokens);

  float* kda(std::int64_t kda_index) const;
  float* conv(int which, std::int64_t kda_index) const;  ///< which: 0 q, 1 k, 2 v
  float* cache(std::int64_t mla_index) const;

  void save(Stream& stream, StateSnapshot::Sequence& snapshot) const;
  Result<void> restore(Stream& stream, const StateSnapshot::Sequence& snapshot);
  void read(Stream& stream, const StateView& view) const;
  /// Zero rows instead of computed ones, up to `tokens`.
  Result<void> assume(Stream& stream, std::int64_t tokens);

  std::int64_t kda_bytes() const;
  std::int64_t cache_bytes() const;

 private:
  Result<std::unique_ptr<Buffer>> allocate_floats(std::int64_t count) const;

  Backend* backend_;
  int device_;
  StateLayout layout_;
  std::int64_t length_ = 0;
  std::int64_t capacity_ = 0;
  std::unique_ptr<Buffer> kda_;
  std::unique_ptr<Buffer> conv_;
  std::unique_ptr<Buffer> mla_;
};

}  // namespace k3
