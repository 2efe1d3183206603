#pragma once

#include "engine/model/model_config.h"
#include "engine/text/json.h"

namespace k3 {

/// Everything that can be counted from a configuration alone: parameters, bytes, cache, FLOPs of a
/// decode step and of a prefill, all-to-all volume, expected distinct ranks and experts under
/// uniform routing, weights per GPU. A multiply-add counts as two FLOPs; sizes in bytes; absorbed
/// MLA in decode, expanded in prefill. Expected distinct ranks draw ranks with replacement, as the
/// published table does. Shape:  the tree of the reference table, same keys; parts that a model
/// lacks are 0 Source: k3 specification, section 5
Json model_numbers(const ModelConfig& model);

}  // namespace k3
