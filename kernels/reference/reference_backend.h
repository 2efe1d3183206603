#pragma once

#include <memory>

#include "engine/device/backend.h"

namespace k3 {

/// The reference backend: every operator of kernels/ops as plain code in host memory, one device,
/// work done when a call returns. It is the specification that other backends are compared with:
/// sums run over k ascending in float32 without fused multiply-add, so results are the same bits on
/// every CPU and whatever batch a row is part of. Thread-safe; it starts no threads of its own.
std::unique_ptr<Backend> make_reference_backend();

}  // namespace k3
