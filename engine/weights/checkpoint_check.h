#pragma once

#include <span>

#include "engine/base/result.h"
#include "engine/model/tensor_spec.h"
#include "engine/weights/safetensors.h"

namespace k3 {

/// Compares a checkpoint with the tensors of its model; what WeightStore::open accepts.
/// Errors: invalid_input, one message with everything missing, extra or misshaped (ten of each)
Result<void> check_checkpoint(const Checkpoint& checkpoint, std::span<const TensorSpec> specs);

}  // namespace k3
