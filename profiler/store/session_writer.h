#pragma once

#include <filesystem>
#include <memory>

#include "engine/base/atomic_file.h"
#include "engine/base/result.h"
#include "engine/trace/trace.h"

namespace k3::store {

/// A sink that writes one run to the session file `path`. Nothing exists under that name (and, with
/// Overwrite::yes, an older session stays whole) until `begin` has succeeded. Every step is one
/// transaction in WAL mode: whatever ends the process, the file opens and holds the finished steps.
/// `finish` adds the totals, marks the run complete and leaves a single plain file; a sink that
/// goes without `finish` leaves an incomplete session. Errors: as check_output; begin also if
/// another run took the name meanwhile or is writing to it
Result<std::unique_ptr<TraceSink>> create_session(const std::filesystem::path& path,
                                                  Overwrite overwrite);

}  // namespace k3::store
