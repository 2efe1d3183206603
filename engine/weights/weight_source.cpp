#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <new>

#include <fmt/core.h>

#include "engine/weights/synthetic.h"
#include "engine/weights/weight_source_internal.h"

namespace k3 {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kChunk = std::size_t{16} << 20;

std::vector<float> float_values(const WeightView& view) {
  std::vector<float> values(static_cast<std::size_t>(view.elements()));
  if (view.dtype == DType::f32) {
    std::memcpy(values.data(), view.data, values.size() * sizeof(float));
    return values;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, view.data + 2 * i, 2);
    values[i] = std::bit_cast<float>(std::uint32_t{bits} << 16);
  }
  return values;
}

}  // namespace

std::span<const float> WeightStore::Source::converted(std::string_view name,
                                                      const WeightView& view) {
  const std::lock_guard lock(mutex_);
  auto found = floats_.find(name);
  if (found == floats_.end()) {
    found = floats_.emplace(std::string(name), float_values(view)).first;
  }
  return found->second;
}

Arena::~Arena() {
  for (std::byte* chunk : chunks_)
    ::operator delete(chunk, std::align_val_t{kAlignment});
}

std::byte* Arena::allocate(std::size_t bytes) {
  const std::size_t size =
      std::max<std::size_t>((bytes + kAlignment - 1) / kAlignment, 1) * kAlignment;
  const std::lock_guard lock(mutex_);
  if (size > left_) {
    const std::size_t chunk = std::max(size, kChunk);
    void* memory = ::operator new(chunk, std::align_val_t{kAlignment}, std::nothrow);
    if (memory == nullptr) return nullptr;
    chunks_.push_back(static_cast<std::byte*>(memory));
    free_ = chunks_.back();
    left_ = chunk;
  }
  std::byte* piece = free_;
  free_ += size;
  left_ -= size;
  return piece;
}

Result<WeightView> CheckpointSource::tensor(std::string_view name) {
  K3_TRY(WeightView view, checkpoint_.view(name));
  const auto alignment = static_cast<std::uintptr_t>(size_of(view.dtype));
  if (reinterpret_cast<std::uintptr_t>(view.data) % alignment == 0) return view;
  const std::lock_guard lock(mutex_);
  auto found = aligned_.find(name);
  if (found == aligned_.end()) {
    std::vector<std::byte> copy(view.data, view.data + view.bytes());
    found = aligned_.emplace(std::string(name), std::move(copy)).first;
  }
  view.data = found->second.data();
  return view;
}

SyntheticSource::SyntheticSource(const ModelConfig& model, std::uint64_t seed)
    : seed_(seed), heads_(model.kda.heads), specs_(tensor_specs(model)), slots_(specs_.size()) {
  index_.reserve(specs_.size());
  for (std::size_t i = 0; i < specs_.size(); ++i)
    index_.emplace(specs_[i].name, i);
}

Result<WeightView> SyntheticSource::tensor(std::string_view name) {
  const auto found = index_.find(name);
  if (found == index_.end()) {
    return fail(Code::not_found, fmt::format("the model has no tensor {}", name));
  }
  const TensorSpec& spec = specs_[found->second];
  Slot& slot = slots_[found->second];
  std::call_once(slot.once, [&] {
    const auto bytes = static_cast<std::size_t>(spec.bytes());
    slot.data = arena_.allocate(bytes);
    if (slot.data != nullptr) fill_synthetic(spec, seed_, heads_, {slot.data, bytes});
  });
  if (slot.data == nullptr) {
    return fail(Code::does_not_fit,
                fmt::format("host memory cannot hold the model's weights; tensor {} of {} bytes",
                            name, spec.bytes()));
  }
  return WeightView{.data = slot.data, .dtype = spec.dtype, .shape = spec.shape};
}

}  // namespace k3
