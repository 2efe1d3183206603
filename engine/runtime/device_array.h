#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/base/result.h"
#include "engine/device/backend.h"

namespace k3 {

/// Device memory that grows on demand and never shrinks; its content is lost when it grows.
template <class T>
class DeviceArray {
 public:
  T* data() const { return data_; }

  std::int64_t capacity_bytes() const { return capacity_ * std::int64_t{sizeof(T)}; }

  Result<void> reserve(Backend& backend, int device, std::int64_t count) {
    if (count <= capacity_) return {};
    // NOTE: sizes that follow the routing change a little in every step; the reserve keeps them
    // from growing the array again and again.
    const std::int64_t wanted = capacity_ == 0 ? count : count + count / 4;
    data_ = nullptr;
    capacity_ = 0;
    buffer_.reset();
    K3_TRY(buffer_, backend.allocate(device, static_cast<std::size_t>(wanted) * sizeof(T)));
    data_ = static_cast<T*>(buffer_->data());
    capacity_ = wanted;
    return {};
  }

  /// Makes room for `values` and queues their copy; `values` stay untouched until the stream has
  /// been synchronised.
  Result<void> upload(Backend& backend, int device, Stream& stream, std::span<const T> values) {
    K3_TRY_VOID(reserve(backend, device, static_cast<std::int64_t>(values.size())));
    if (!values.empty()) stream.copy_to_device(data_, values.data(), values.size_bytes());
    return {};
  }

 private:
  std::unique_ptr<Buffer> buffer_;
  T* data_ = nullptr;
  std::int64_t capacity_ = 0;
};

}  // namespace k3
