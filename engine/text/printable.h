#pragma once

#include <string>
#include <string_view>

namespace k3 {

/// Text of others as part of a one-line message: control characters and bytes that are no UTF-8
/// become escapes (`\n`, `\x1b`), and a long text is cut.
std::string printable(std::string_view text);

/// The text with bytes that are no UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace k3
