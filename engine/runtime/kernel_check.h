#pragma once

#include "engine/base/result.h"
#include "engine/device/backend.h"
#include "engine/model/model_config.h"

namespace k3 {

/// Refuses a backend that lacks an operator which the model needs.
/// Errors: unsupported, naming the operators
Result<void> check_kernels(const ModelConfig& model, const Backend& backend);

}  // namespace k3
