#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/dtype.h"

namespace k3 {

/// A stored tensor, row-major, little-endian. The memory belongs to whoever gave the view.
struct WeightView {
  const std::byte* data = nullptr;
  DType dtype = DType::bf16;
  std::vector<std::int64_t> shape;

  std::int64_t elements() const;

  std::int64_t bytes() const { return elements() * size_of(dtype); }
};

}  // namespace k3
