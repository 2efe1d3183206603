#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/trace/trace.h"
#include "profiler/store/session_reader.h"

namespace k3::test {

struct SampleRun {
  RunHeader header;
  std::vector<StepRecord> steps;
};

/// A run of 3 ranks, 2 plans and 5 steps with random values in every field, in the order in which a
/// reader gives them back. Depends on the seed only.
SampleRun random_run(std::uint64_t seed);

/// Every field of a record, for comparing and for readable differences.
std::string text_of(const RunHeader& header);
std::string text_of(const StepRecord& step);
std::string text_of(const SampleRun& run);

/// Begin and steps; finish if asked to.
enum class Ending { finished, interrupted };
Result<void> write_run(const std::filesystem::path& path, const SampleRun& run, Ending ending);

/// Everything that a session file holds.
Result<SampleRun> read_run(const std::filesystem::path& path);

/// All rows of a query, one line each.
Result<std::string> rows_of(const store::SessionReader& session, const std::string& sql);

}  // namespace k3::test
