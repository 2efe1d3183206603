#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/trace/trace.h"
#include "profiler/export/run_facts_internal.h"
#include "profiler/export/trace_encoder_internal.h"

namespace k3::exporter {

/// The quantities over time of a session: memory of every rank (from the first step exported to the
/// last), tokens that a rank's experts work on (while they do), throughput of links where it was
/// sampled.
class Counters {
 public:
  /// Both outlive the counters.
  Counters(const RunFacts& facts, TraceEncoder& encoder) : facts_(facts), encoder_(encoder) {}

  void write_memory();
  void write_load(std::span<const Span> spans,
                  std::span<const TaskRecord> tasks,
                  const std::vector<ExpertLoadRecord>& load);
  void write_links(const std::vector<LinkSampleRecord>& samples);

  std::int64_t num_samples() const { return num_samples_; }

 private:
  /// (rank, or −1 − link; name)
  using Key = std::pair<std::int32_t, std::string>;

  const Counter& counter(const Key& key, Counter::Unit unit);
  void sample(const Counter& counter, std::int64_t t_ns, double value);

  const RunFacts& facts_;
  TraceEncoder& encoder_;
  std::map<Key, Counter> counters_;
  std::int64_t num_samples_ = 0;
};

}  // namespace k3::exporter
