#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "engine/base/result.h"
#include "engine/model/model_config.h"
#include "engine/weights/weight_view.h"

namespace k3 {

/// The weight of a linear layer: `NAME.weight` as it is stored, or `NAME.weight_packed` (u8, two
/// E2M1 codes per byte, low nibble first) with `NAME.weight_scale` (u8, E8M0 per 32 columns).
struct LinearWeight {
  WeightView weight;
  const std::uint8_t* scale = nullptr;  ///< null: not packed
  std::int64_t rows = 0;                ///< outputs
  std::int64_t cols = 0;                ///< inputs, not bytes

  bool packed() const { return scale != nullptr; }
};

/// All weights of a model by tensor name, from a checkpoint or made from a seed. Memory lives as
/// long as the store; nothing is read or made before it is asked for, so each rank of a group
/// touches only the experts it owns, and what several ranks ask for exists once. Weights stay as
/// stored (bf16, packed MXFP4). Thread-safe.
class WeightStore {
 public:
  /// Opens a checkpoint and compares its tensors with the model's: names, shapes and types. Tensors
  /// of the vision part are ignored; routed experts may be packed or plain whatever the config
  /// declares; f32 and bf16 are accepted for each other. Errors: everything that is missing, extra
  /// or misshaped in one error (ten names of each)
  static Result<WeightStore> open(const std::filesystem::path& checkpoint,
                                  const ModelConfig& model);

  /// Weights from a seed: the same bytes on every machine, in every order of asking.
  static WeightStore synthetic(const ModelConfig& model, std::uint64_t seed);

  WeightStore(WeightStore&&) noexcept;
  WeightStore& operator=(WeightStore&&) noexcept;
  WeightStore(const WeightStore&) = delete;
  WeightStore& operator=(const WeightStore&) = delete;
  ~WeightStore();

  /// A tensor as stored, aligned to its element type. Names are full names of tensor_specs.
  /// Errors: not_found
  Result<WeightView> tensor(std::string_view name) const;

  /// The weight of a linear layer by the name before `.weight`, e.g.
  /// "language_model.model.layers.1.block_sparse_moe.experts.7.w1".
  Result<LinearWeight> linear(std::string_view name) const;

  /// A small tensor as float32 (converted once if it is stored as bf16).
  Result<std::span<const float>> floats(std::string_view name) const;

  class Source;  ///< checkpoint or synthetic

 private:
  explicit WeightStore(std::unique_ptr<Source> source);

  std::unique_ptr<Source> source_;
};

}  // namespace k3
