#pragma once

#include <cstdint>
#include <string_view>

#include "engine/base/result.h"

namespace k3::session {

/// Refuses work that needs more memory than this computer has left, before the system ends the
/// program. `what` names the largest part, `remedy` what would fit. Errors: does_not_fit
Result<void> check_host_memory(double bytes, std::string_view what, std::string_view remedy);

}  // namespace k3::session
