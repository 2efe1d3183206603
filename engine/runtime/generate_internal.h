#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/runtime/generate.h"

namespace k3 {

/// "seq3.logits"
std::string dump_name(std::size_t sequence, std::string_view name);

/// Steps until the longest list of forced tokens is used up.
std::int64_t num_forced_steps(const GenerateRequest& request);

/// One token for each sequence that `takes_part`, `index` tokens after its prompt.
StepShape token_shape(int num_ranks,
                      const GenerateRequest& request,
                      std::int64_t index,
                      const std::function<bool(std::size_t)>& takes_part);

}  // namespace k3
