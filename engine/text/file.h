#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace k3 {

/// Largest text file that is read into memory as a whole.
inline constexpr std::int64_t kMaxTextFileBytes = std::int64_t{1} << 30;

/// The whole content of a file, without the byte order mark that may stand before it.
/// Errors: not_found, or io with the system's reason; larger than kMaxTextFileBytes
Result<std::string> read_text_file(const std::filesystem::path& path);

}  // namespace k3
