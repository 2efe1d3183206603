#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/trace/trace.h"
#include "profiler/export/arrows_internal.h"
#include "profiler/export/run_facts_internal.h"

namespace k3::exporter {

// NOTE: viewers take process and thread 0 for the idle task of a system and merge threads of equal
// number, so that numbers begin high and are unique over the file.
inline constexpr std::int64_t kMachineProcess = 1;  ///< what belongs to no rank
inline constexpr std::int64_t kFirstRankProcess = 1000;
inline constexpr std::int64_t kFirstThread = 10'000;

inline constexpr std::string_view kMachineLabel = "run";

/// Added to the name of a span that waits, which has the name of what it waits in.
inline constexpr std::string_view kWaitSuffix = " wait";

/// A row of the viewer. Track ids are dense from 0; the lanes of the session come first.
struct Track {
  std::int32_t id = 0;
  std::int32_t rank = -1;  ///< −1: of no rank
  std::int32_t sort = 0;   ///< order within its process
  std::string name;

  std::int64_t process() const { return rank < 0 ? kMachineProcess : kFirstRankProcess + rank; }

  std::int64_t thread() const { return kFirstThread + id; }
};

/// A quantity over time; counter ids are dense from 0.
struct Counter {
  enum class Unit : std::uint8_t { bytes, bytes_per_second, tokens };

  std::int32_t id = 0;
  std::int32_t rank = -1;
  std::string name;
  Unit unit = Unit::bytes;
};

/// A span with what its indices mean.
struct SpanEvent {
  const Span* span = nullptr;
  std::int32_t step = 0;
  const TaskRecord* task = nullptr;  ///< null: of none
  std::span<const ArrowEnd> arrows = {};
  std::uint64_t first_arrow = 0;  ///< id in the file of the step's arrow 0
};

/// Totals over what was exported, for formats that have a place for them.
struct TrafficSums {
  int num_ranks = 0;

  struct Matrix {
    std::vector<std::uint64_t> copies, rows, bytes;  ///< [source][destination]
  };

  Matrix directions[2];  ///< empty: no traffic
};

/// Writes events in one format of traces, appending to a text that others bring to disk. Calls come
/// in this order: begin; tracks and counters before their first event; steps; per track spans
/// opened and closed in ascending time; finish.
class TraceEncoder {
 public:
  TraceEncoder() = default;
  virtual ~TraceEncoder() = default;
  TraceEncoder(const TraceEncoder&) = delete;
  TraceEncoder& operator=(const TraceEncoder&) = delete;
  TraceEncoder(TraceEncoder&&) = delete;
  TraceEncoder& operator=(TraceEncoder&&) = delete;

  virtual void begin() = 0;
  virtual void track(const Track& track) = 0;
  virtual void counter(const Counter& counter) = 0;
  virtual void open_step(const Track& track, const store::StepRow& step) = 0;
  virtual void open_span(const Track& track, const SpanEvent& event) = 0;
  virtual void close(const Track& track, std::int64_t t_ns) = 0;
  virtual void sample(const Counter& counter, std::int64_t t_ns, double value) = 0;
  virtual void finish(const TrafficSums& traffic) = 0;
};

}  // namespace k3::exporter
