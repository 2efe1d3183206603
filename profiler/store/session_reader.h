#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/trace/trace.h"
#include "profiler/store/database.h"

namespace k3::store {

/// One row of `step` without what happened in it.
struct StepRow {
  std::int32_t step = 0;
  std::int32_t plan = 0;
  Phase phase = Phase::decode;
  std::int64_t sequences = 0;
  std::int64_t tokens = 0;
  std::int64_t context = 0;
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  std::int64_t first_span = 0;
  std::int64_t num_spans = 0;
};

/// A span with its row's number and its step.
struct StoredSpan {
  std::int64_t span_id = 0;
  std::int32_t step = 0;
  Span span;
};

/// A row of span_block, to be read by SpanBlockDecoder (span_block.h).
struct SpanBlock {
  std::int32_t lane = 0;
  std::uint8_t depth = 0;
  std::size_t count = 0;        ///< 1 … kMaxBlockSpans
  std::int64_t span_limit = 0;  ///< every span with a smaller span_id stands in a block
  std::vector<std::byte> columns;
};

/// Read access to a session file: what it held when it was opened, also while a run is still
/// writing to it. A file that a killed run left behind is recovered on opening. Values that index
/// something (lanes, names, plans, ranks) are checked where they are read, so that a damaged file
/// gives an Error. Not thread-safe.
class SessionReader {
 public:
  /// Errors: not_found; invalid_input if it is no session or newer than this program; corrupt
  static Result<SessionReader> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return database_.path(); }

  const Database& database() const { return database_; }

  int user_version() const { return user_version_; }

  /// Empty, or what is odd about the file (on read-only media, written by a running program).
  const std::string& warning() const { return warning_; }

  RunKind kind() const { return kind_; }

  bool is_complete() const { return complete_; }

  int num_ranks() const { return num_ranks_; }

  /// In key order.
  Result<std::vector<std::pair<std::string, std::string>>> meta() const;
  /// The value of one key, empty when absent.
  Result<std::string> meta(std::string_view key) const;

  /// What the writer was given in `begin`; the string table also holds the names of lanes.
  Result<RunHeader> header() const;
  Result<std::vector<std::string>> names() const;
  Result<std::vector<Lane>> lanes() const;
  /// Tasks only of the plan asked for.
  Result<PlanRecord> plan(int plan_id) const;
  Result<std::vector<PlacementRecord>> placement() const;
  Result<std::vector<MemoryRecord>> memory() const;
  Result<std::vector<LinkRecord>> links() const;

  Result<std::vector<StepRow>> steps() const;
  Result<std::vector<Span>> spans(const StepRow& step) const;
  /// Spans that overlap a range of time, by span_id. Reads little else in files of format 3.
  Result<std::vector<StoredSpan>> spans_between(std::int64_t begin_ns, std::int64_t end_ns) const;
  /// In the order written, so that those of one lane and depth ascend in time where steps do. Empty
  /// for older formats; steps from the largest span_limit on have rows only.
  Result<std::vector<SpanBlock>> span_blocks() const;
  Result<std::vector<TrafficRecord>> traffic(int step) const;
  Result<std::vector<TransferRecord>> transfers(int step) const;
  Result<std::vector<ExpertLoadRecord>> expert_load(int step) const;
  Result<std::vector<RoutingRecord>> routing(int step) const;
  Result<std::vector<LinkUseRecord>> link_use(int step) const;
  Result<std::vector<LinkSampleRecord>> link_samples(int step) const;
  /// All of the above.
  Result<StepRecord> step(const StepRow& row) const;

  /// Makes lane_summary, traffic_total and expert_load_total available to SQL if the run is
  /// incomplete: computed once into temporary tables that hide the empty ones.
  Result<void> ensure_totals() const;

 private:
  explicit SessionReader(Database database) : database_(std::move(database)) {}

  Result<void> read_basics();

  Database database_;
  std::string warning_;
  int user_version_ = 0;
  RunKind kind_ = RunKind::measured;
  bool complete_ = false;
  int num_ranks_ = 0;
  mutable bool totals_ready_ = false;
};

}  // namespace k3::store
