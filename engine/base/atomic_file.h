#pragma once

#include <filesystem>
#include <string_view>

#include "engine/base/result.h"

namespace k3 {

/// Whether an existing output file may be replaced (the command line's --force).
enum class Overwrite { no, yes };

/// Refuses an output path that exists (unless Overwrite::yes) or whose folder cannot be written.
/// Errors: invalid_input naming the path and what would help
Result<void> check_output(const std::filesystem::path& path, Overwrite overwrite);

/// Writes `content` to a temporary name beside `path`, flushes it to disk and renames it, so that
/// `path` never holds half a file.
Result<void> write_file_atomically(const std::filesystem::path& path,
                                   std::string_view content,
                                   Overwrite overwrite);

/// The temporary name used for `path` (same folder, so that rename stays within one file system).
std::filesystem::path temporary_name(const std::filesystem::path& path);

/// Flushes `temporary` to disk and renames it to `path`.
Result<void> publish_file(const std::filesystem::path& temporary,
                          const std::filesystem::path& path);

}  // namespace k3
