#pragma once

#include <cstddef>
#include <string_view>

namespace k3 {

/// Length of the valid UTF-8 sequence at the begin of `text` (not empty), 0 if there is none.
std::size_t utf8_length(std::string_view text);

}  // namespace k3
