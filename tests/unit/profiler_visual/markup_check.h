#pragma once

#include <string>
#include <string_view>

namespace k3::test {

/// Why a piece of XML, or of HTML written as strictly as XML (but <!DOCTYPE> and <meta>), is not
/// well-formed: unbalanced or misnested elements, unquoted attributes, repeated ids, stray markup
/// characters, undefined entities, control characters. Empty: it is.
std::string markup_error(std::string_view text);

}  // namespace k3::test
