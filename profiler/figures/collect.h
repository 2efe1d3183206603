#pragma once

#include <filesystem>
#include <optional>

#include "engine/base/result.h"
#include "profiler/figures/run_detail.h"
#include "profiler/store/session_reader.h"

namespace k3::figures {

/// Asks one session everything that figures show.
Result<RunDetail> run_detail(const store::SessionReader& session);

/// Opens one session, or two, and asks them. Of two, the measured one comes first.
Result<Input> collect(const std::filesystem::path& first,
                      const std::optional<std::filesystem::path>& second);

}  // namespace k3::figures
