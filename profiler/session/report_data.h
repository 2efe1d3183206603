#pragma once

#include <filesystem>
#include <optional>

#include "engine/base/result.h"
#include "profiler/report/report.h"
#include "profiler/store/session_reader.h"

namespace k3::session {

/// Asks one session, or two, everything that a report shows. Of two, the measured one comes first.
Result<report::ReportInput> report_input(const std::filesystem::path& first,
                                         const std::optional<std::filesystem::path>& second);

}  // namespace k3::session
