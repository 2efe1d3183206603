#pragma once

#include <string>
#include <vector>

#include "profiler/export/trace_encoder_internal.h"

namespace k3::exporter {

/// Chrome trace JSON: one complete event (X) per span, arrows as s and f, counters as C, names and
/// order as M. `ts` and `dur` are microseconds with three decimals made from integers;
/// `baseTimeNanoseconds` is what to add. `traffic_total` holds the sum of the matrices.
class ChromeEncoder : public TraceEncoder {
 public:
  /// Both outlive the encoder.
  ChromeEncoder(const RunFacts& facts, std::string& out);

  void begin() override;
  void track(const Track& track) override;
  void counter(const Counter& counter) override;
  void open_step(const Track& track, const store::StepRow& step) override;
  void open_span(const Track& track, const SpanEvent& event) override;
  void close(const Track& track, std::int64_t t_ns) override;
  void sample(const Counter& counter, std::int64_t t_ns, double value) override;
  void finish(const TrafficSums& traffic) override;

 private:
  void process(std::int64_t id, std::string_view label, std::int64_t sort);
  void next_event();
  void place(std::int64_t process, std::int64_t thread, std::int64_t t_ns);
  void member(std::string_view key, std::string_view json);
  void metadata(const char* what, std::int64_t process, std::int64_t thread);
  void arguments(const SpanEvent& event);
  void arrow_end(const Track& track, const SpanEvent& event, const ArrowEnd& end);

  const RunFacts& facts_;
  std::string& out_;
  std::vector<std::string> names_;          ///< quoted
  std::vector<std::string> wait_names_;     ///< of waiting spans, quoted
  std::vector<std::string> counter_names_;  ///< by counter, quoted
  bool any_event_ = false;
};

}  // namespace k3::exporter
