#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "profiler/export/arrows_internal.h"
#include "profiler/export/counters_internal.h"
#include "profiler/export/output_file_internal.h"
#include "profiler/export/run_facts_internal.h"
#include "profiler/export/trace_encoder_internal.h"
#include "profiler/export/track_layout_internal.h"

namespace k3::exporter {

/// Walks a session step by step and tells an encoder what is in it, in the encoder's order.
class TraceWriter : private TrackVisitor {
 public:
  struct Parts {
    const store::SessionReader& session;
    const RunFacts& facts;
    TraceEncoder& encoder;
    OutputFile& file;
    Progress& progress;
  };

  explicit TraceWriter(const Parts& parts);

  /// Everything but publishing the file.
  Result<void> write();

  /// Without files and bytes.
  const ExportSummary& summary() const { return summary_; }

 private:
  void extra_track(std::int32_t track, std::int32_t lane, int number) override;
  void open(std::int32_t track, std::size_t span) override;
  void close(std::int32_t track, std::int64_t t_ns) override;

  void declare_lanes();
  Result<void> write_step(const store::StepRow& step);
  void write_step_row(const store::StepRow& step);
  Result<void> load_tasks(int plan);
  Result<void> load_spans(const store::StepRow& step);
  void add_traffic(const std::vector<TrafficRecord>& records);
  Result<void> keep_up();
  void add_notes();

  Parts parts_;
  TrackLayout layout_;
  Counters counters_;
  std::vector<Track> tracks_;            ///< of lanes, of steps, then extra ones
  const store::StepRow* row_ = nullptr;  ///< of the step being written
  bool row_itself_ = false;              ///< the step as a span of its own
  std::vector<Span> spans_;              ///< of the step being written
  Arrows arrows_;
  std::optional<int> plan_;
  std::vector<TaskRecord> tasks_;  ///< of plan_
  TrafficSums traffic_;
  std::int64_t arrows_left_out_ = 0;
  std::int64_t odd_durations_ = 0;
  Result<void> status_;  ///< of what virtual functions did
  ExportSummary summary_;
};

}  // namespace k3::exporter
