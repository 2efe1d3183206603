#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/trace/trace.h"

namespace k3::store {

/// Creates the database `path` with the whole schema and what is known before the first step, as
/// one plain file that is not yet flushed to disk. Errors: io; internal if an index of the header
/// leads nowhere
Result<void> write_header_file(const std::filesystem::path& path, const RunHeader& header);

}  // namespace k3::store
