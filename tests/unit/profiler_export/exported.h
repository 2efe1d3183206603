#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "profiler/export/export.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/profiler_query/small_run.h"

namespace k3::test {

/// One span of a trace as one line of text: rank, begin, duration, name, category, step, layer,
/// kind, stage, task, FLOPs, bytes.
struct TraceSpan {
  std::int64_t rank = 0;
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  std::string name;
  std::string category;
  std::int64_t step = -1;
  std::int64_t layer = -1;
  std::string kind;
  std::string stage;
  std::int64_t task = -1;
  double flops = 0;
  double bytes = 0;

  std::string text() const;
};

struct Arrow {
  std::int64_t from_rank = -1;
  std::int64_t to_rank = -1;
  std::int64_t from_ns = 0;  ///< begin of the span it leaves
  std::int64_t to_ns = 0;    ///< begin of the span it ends in

  bool operator==(const Arrow&) const = default;
};

struct Sample {
  std::int64_t t_ns = 0;
  double value = 0;

  bool operator==(const Sample&) const = default;
};

/// What a trace file says, whatever its format.
struct Trace {
  std::map<std::int64_t, std::string> processes;        ///< names by rank; −1: of no rank
  std::vector<std::string> spans;                       ///< sorted
  std::vector<std::string> steps;                       ///< names, in order
  std::map<std::string, int> tracks;                    ///< name → number of spans
  std::map<std::uint64_t, Arrow> arrows;                ///< by id
  std::map<std::string, std::vector<Sample>> counters;  ///< "RANK NAME UNIT"
  std::map<std::string, std::string> facts;             ///< of the run
};

/// Checks what viewers rely on, then gives the content. Failed checks are test failures.
Trace read_chrome(const std::filesystem::path& path);
/// Begin and end balance and nest on every track, its times ascend, names are interned before use,
/// uuids are unique. `shift_ns`: what the writer added to times.
Trace read_perfetto(const std::filesystem::path& path, std::int64_t shift_ns = 0);

/// The spans of a session with the names given, sorted.
std::vector<std::string> spans_of(const store::SessionReader& session,
                                  const std::vector<std::string>& names);
std::vector<std::string> spans_of(const store::SessionReader& session);

/// The fields of an RFC 4180 file, line by line. What is not there is "∅", unlike what is empty.
std::vector<std::vector<std::string>> read_csv(const std::string& text);

std::string file_text(const std::filesystem::path& path);

/// Exports or fails the test.
exporter::ExportSummary exported(const store::SessionReader& session,
                                 const exporter::ExportRequest& request);

/// Three ranks, the last without a span: quotes, line breaks, UTF-8, broken UTF-8 and folders in
/// names, spans without length, nested, crossing, before time 0 and without a task.
SampleRun odd_run();

/// `count` spans without tasks, placed at random so that many cross.
SampleRun crossing_run(std::uint64_t seed, int count);

}  // namespace k3::test
