#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace k3::session {

/// Token ids of one sequence per line, in file order.
using TokenLines = std::vector<std::vector<std::int32_t>>;

/// Reads token ids: one sequence per line, ids separated by blanks, blanks around them allowed.
/// Errors: FILE:LINE:COLUMN; an empty line or file, something that is no id, an id outside
/// 0..vocab-1
Result<TokenLines> load_token_file(const std::filesystem::path& path, int vocab);

/// The same from text; `where` names it in errors.
Result<TokenLines> parse_token_lines(std::string_view text, const std::string& where, int vocab);

}  // namespace k3::session
