#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/trace/trace.h"
#include "profiler/export/export.h"
#include "profiler/store/session_reader.h"

namespace k3::exporter {

/// Message of an export that was cancelled.
inline constexpr std::string_view kStopped = "stopped; nothing is written";

/// What holds for a whole session and was asked for, texts ready to be written: valid UTF-8,
/// without private data unless it was asked for.
struct RunFacts {
  std::vector<std::pair<std::string, std::string>> meta;  ///< kind, complete, title, scenario, …
  std::vector<std::string> rank_labels;                   ///< "rank 3 · GB300 · tray 0"
  std::vector<char> rank_chosen;                          ///< [ranks]
  bool all_ranks = true;
  std::vector<store::StepRow> steps;  ///< chosen, ascending, durations sound
  std::int64_t num_spans = 0;         ///< of those steps, all ranks
  std::int64_t first_ns = 0;          ///< earliest begin of any step or span of the session
  std::vector<std::string> names;     ///< Span::name
  std::vector<Lane> lanes;            ///< Span::lane
  std::vector<MemoryRecord> memory;   ///< of the ranks chosen
  std::vector<LinkRecord> links;
  std::map<std::int16_t, std::vector<std::int32_t>> slot_rank;  ///< per layer with a placement

  bool has(std::int32_t rank) const { return rank_chosen[static_cast<std::size_t>(rank)] != 0; }
};

/// The ranks that a request names. Errors: invalid_input for a rank that is not there
Result<std::vector<char>> chosen_ranks(const store::SessionReader& session,
                                       const ExportRequest& request);

/// Errors: invalid_input if none of the steps that a request names is there
Result<std::vector<store::StepRow>> chosen_steps(const store::SessionReader& session,
                                                 const ExportRequest& request);

/// The duration, or the nearest one that is not negative and leads to a time that can be written.
std::int64_t sound_duration(std::int64_t begin_ns, std::int64_t duration_ns);

/// A text as it may be written.
std::string public_text(std::string_view text, PrivateData private_data);

/// The rows of `meta` that may be written.
Result<std::vector<std::pair<std::string, std::string>>> public_meta(
    const store::SessionReader& session, PrivateData private_data);

Result<RunFacts> read_run_facts(const store::SessionReader& session, const ExportRequest& request);

}  // namespace k3::exporter
