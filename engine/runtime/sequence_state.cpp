#include "engine/runtime/sequence_state.h"

#include <algorithm>
#include <utility>

namespace k3 {
namespace {

std::size_t float_bytes(std::int64_t count) {
  return static_cast<std::size_t>(count) * sizeof(float);
}

float* floats(Buffer& buffer) {
  return static_cast<float*>(buffer.data());
}

}  // namespace

StateLayout::StateLayout(const ModelConfig& model)
    : kda_layers(model.count(AttentionKind::kda)),
      mla_layers(model.count(AttentionKind::mla)),
      kda_values(std::int64_t{model.kda.heads} * model.kda.head_dim * model.kda.head_dim),
      conv_values(std::int64_t{model.kda.conv_width - 1} * model.kda.width()),
      cache_width(model.mla.cache_width()) {}

Result<std::unique_ptr<Buffer>> SequenceState::allocate_floats(std::int64_t count) const {
  return backend_->allocate(device_, float_bytes(count));
}

Result<void> SequenceState::allocate(Stream& stream, std::int64_t capacity) {
  capacity_ = std::max<std::int64_t>(capacity, 1);
  K3_TRY(kda_, allocate_floats(layout_.kda_layers * layout_.kda_values));
  K3_TRY(conv_, allocate_floats(3 * layout_.kda_layers * layout_.conv_values));
  K3_TRY(mla_, allocate_floats(layout_.mla_layers * capacity_ * layout_.cache_width));
  for (Buffer* buffer : {kda_.get(), conv_.get(), mla_.get()}) {
    stream.fill_zero(buffer->data(), buffer->size());
  }
  length_ = 0;
  return {};
}

Result<void> SequenceState::reserve(Stream& stream, std::int64_t tokens) {
  if (tokens <= capacity_) return {};
  StateSnapshot::Sequence rows;
  save(stream, rows);
  capacity_ = std::max(tokens, capacity_ + capacity_ / 2);
  mla_.reset();
  K3_TRY(mla_, allocate_floats(layout_.mla_layers * capacity_ * layout_.cache_width));
  stream.fill_zero(mla_->data(), mla_->size());
  return restore(stream, rows);
}

float* SequenceState::kda(std::int64_t kda_index) const {
  return floats(*kda_) + kda_index * layout_.kda_values;
}

float* SequenceState::conv(int which, std::int64_t kda_index) const {
  return floats(*conv_) + (which * layout_.kda_layers + kda_index) * layout_.conv_values;
}

float* SequenceState::cache(std::int64_t mla_index) const {
  return floats(*mla_) + mla_index * capacity_ * layout_.cache_width;
}

void SequenceState::save(Stream& stream, StateSnapshot::Sequence& snapshot) const {
  snapshot.length = length_;
  snapshot.kda.resize(float_bytes(layout_.kda_layers * layout_.kda_values));
  snapshot.conv.resize(float_bytes(3 * layout_.kda_layers * layout_.conv_values));
  const std::size_t layer_bytes = float_bytes(length_ * layout_.cache_width);
  snapshot.mla.resize(static_cast<std::size_t>(layout_.mla_layers) * layer_bytes);
  stream.copy_to_host(snapshot.kda.data(), kda_->data(), snapshot.kda.size());
  stream.copy_to_host(snapshot.conv.data(), conv_->data(), snapshot.conv.size());
  for (std::int64_t layer = 0; layer < layout_.mla_layers; ++layer) {
    std::byte* to = snapshot.mla.data() + static_cast<std::size_t>(layer) * layer_bytes;
    stream.copy_to_host(to, cache(layer), layer_bytes);
  }
  stream.synchronize();
}

Result<void> SequenceState::restore(Stream& stream, const StateSnapshot::Sequence& snapshot) {
  K3_TRY_VOID(reserve(stream, snapshot.length));
  length_ = snapshot.length;
  const std::size_t layer_bytes = float_bytes(length_ * layout_.cache_width);
  stream.copy_to_device(kda_->data(), snapshot.kda.data(), snapshot.kda.size());
  stream.copy_to_device(conv_->data(), snapshot.conv.data(), snapshot.conv.size());
  for (std::int64_t layer = 0; layer < layout_.mla_layers; ++layer) {
    const std::byte* from = snapshot.mla.data() + static_cast<std::size_t>(layer) * layer_bytes;
    stream.copy_to_device(cache(layer), from, layer_bytes);
  }
  stream.synchronize();
  return {};
}

void SequenceState::read(Stream& stream, const StateView& view) const {
  if (view.kda != nullptr) {
    stream.copy_to_host(view.kda, kda_->data(),
                        float_bytes(layout_.kda_layers * layout_.kda_values));
  }
  for (int which = 0; which < 3; ++which) {
    float* to = view.conv[static_cast<std::size_t>(which)];
    if (to == nullptr) continue;
    stream.copy_to_host(to, conv(which, 0), float_bytes(layout_.kda_layers * layout_.conv_values));
  }
  const std::int64_t row_values = view.mla_rows * layout_.cache_width;
  for (std::int64_t layer = 0; view.mla != nullptr && layer < layout_.mla_layers; ++layer) {
    stream.copy_to_host(view.mla + layer * row_values,
                        cache(layer) + view.mla_first_row * layout_.cache_width,
                        float_bytes(row_values));
  }
  stream.synchronize();
}

Result<void> SequenceState::assume(Stream& stream, std::int64_t tokens) {
  K3_TRY_VOID(reserve(stream, tokens));
  for (Buffer* buffer : {kda_.get(), conv_.get(), mla_.get()}) {
    stream.fill_zero(buffer->data(), buffer->size());
  }
  stream.synchronize();
  length_ = tokens;
  return {};
}

std::int64_t SequenceState::kda_bytes() const {
  return static_cast<std::int64_t>(kda_->size() + conv_->size());
}

std::int64_t SequenceState::cache_bytes() const {
  return static_cast<std::int64_t>(mla_->size());
}

}  // namespace k3
