#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "profiler/store/session_reader.h"

/// Writes a session in a format of others: a trace for Perfetto or chrome://tracing, or its tables
/// as CSV. A session is read one step at a time, so memory is bounded by the largest step. What a
/// format cannot hold is named in ExportSummary::notes, never dropped in silence.
namespace k3::exporter {

enum class Format : std::uint8_t {
  perfetto,  ///< protobuf, for ui.perfetto.dev and trace_processor
  chrome,    ///< JSON of complete events, for chrome://tracing, Perfetto and most other viewers
  csv,       ///< one file per table of the session
};

/// Whether host names, folders and what else tells of people and computers is written.
enum class PrivateData : std::uint8_t { left_out, kept };

/// Steps by their number, both ends included.
struct StepRange {
  std::int32_t first = 0;
  std::int32_t last = std::numeric_limits<std::int32_t>::max();
};

struct ExportRequest {
  Format format = Format::perfetto;
  /// File to write; ends it in `.gz`, it is compressed. CSV: a folder, or with `table` a file, or
  /// empty for the standard output.
  std::filesystem::path output;
  Overwrite overwrite = Overwrite::no;
  std::optional<StepRange> steps = {};  ///< none: all
  std::vector<int> ranks = {};          ///< empty: all
  PrivateData private_data = PrivateData::left_out;
  std::string table = {};  ///< CSV: this table only; empty: all
};

struct ExportSummary {
  std::int64_t steps = 0;
  std::int64_t spans = 0;
  std::int64_t tracks = 0;           ///< of spans
  std::int64_t flows = 0;            ///< arrows
  std::int64_t counter_samples = 0;  ///< of all counters
  std::int64_t rows = 0;             ///< CSV
  std::int64_t files = 0;
  std::int64_t bytes = 0;          ///< in the files, after compression
  std::vector<std::string> notes;  ///< what is left out or was changed, one line each
};

/// The format that a file name asks for: `.pftrace` and `.perfetto-trace`, `.json`, `.csv` (each
/// also with `.gz`), or a name without extension for a folder of CSV files.
std::optional<Format> format_of(const std::filesystem::path& output);

/// Errors: invalid_input for an output that cannot be written, steps, ranks or a table that the
/// session does not have; corrupt; io; cancelled. Whatever fails, `output` is as it was before.
Result<ExportSummary> export_session(const store::SessionReader& session,
                                     const ExportRequest& request,
                                     Progress& progress);

}  // namespace k3::exporter
