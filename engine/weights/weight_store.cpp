#include "engine/weights/weight_store.h"

#include <string>
#include <utility>

#include <fmt/core.h>

#include "engine/weights/checkpoint_check.h"
#include "engine/weights/weight_source_internal.h"

namespace k3 {
namespace {

/// [outputs, …] to rows and columns.
LinearWeight matrix_of(WeightView view) {
  LinearWeight linear;
  linear.rows = view.shape.empty() ? 1 : view.shape.front();
  linear.cols = linear.rows == 0 ? 0 : view.elements() / linear.rows;
  linear.weight = std::move(view);
  return linear;
}

}  // namespace

WeightStore::WeightStore(std::unique_ptr<Source> source) : source_(std::move(source)) {}

WeightStore::WeightStore(WeightStore&&) noexcept = default;
WeightStore& WeightStore::operator=(WeightStore&&) noexcept = default;
WeightStore::~WeightStore() = default;

Result<WeightStore> WeightStore::open(const std::filesystem::path& checkpoint,
                                      const ModelConfig& model) {
  K3_TRY(Checkpoint opened, Checkpoint::open(checkpoint));
  K3_TRY_VOID(check_checkpoint(opened, tensor_specs(model)));
  return WeightStore(std::make_unique<CheckpointSource>(std::move(opened)));
}

WeightStore WeightStore::synthetic(const ModelConfig& model, std::uint64_t seed) {
  return WeightStore(std::make_unique<SyntheticSource>(model, seed));
}

Result<WeightView> WeightStore::tensor(std::string_view name) const {
  return source_->tensor(name);
}

Result<LinearWeight> WeightStore::linear(std::string_view name) const {
  const std::string weight = std::string(name) + ".weight";
  const std::string packed = weight + "_packed";
  if (!source_->has(packed)) {
    K3_TRY(WeightView view, source_->tensor(weight));
    return matrix_of(std::move(view));
  }
  K3_TRY(WeightView codes, source_->tensor(packed));
  K3_TRY(const WeightView scale, source_->tensor(weight + "_scale"));
  LinearWeight linear = matrix_of(std::move(codes));
  linear.cols *= 2;
  linear.scale = reinterpret_cast<const std::uint8_t*>(scale.data);
  return linear;
}

Result<std::span<const float>> WeightStore::floats(std::string_view name) const {
  K3_TRY(const WeightView view, source_->tensor(name));
  if (view.dtype == DType::f32) {
    return std::span<const float>(reinterpret_cast<const float*>(view.data),
                                  static_cast<std::size_t>(view.elements()));
  }
  if (view.dtype != DType::bf16) {
    return fail(Code::unsupported,
                fmt::format("tensor {} is {}; F32 or BF16 is needed", name, name_of(view.dtype)));
  }
  return source_->converted(name, view);
}

}  // namespace k3
