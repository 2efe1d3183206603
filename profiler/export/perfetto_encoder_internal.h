#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profiler/export/trace_encoder_internal.h"

namespace k3::exporter {

namespace pb {
class TracePacket;
}  // namespace pb

/// Perfetto's protobuf format: one sequence of packets, a begin and an end per span. Names are
/// interned in the packet that first needs them. Times are those of the session, moved by
/// −RunFacts::first_ns where that is negative, as the format knows no time before 0.
class PerfettoEncoder : public TraceEncoder {
 public:
  /// Both outlive the encoder.
  PerfettoEncoder(const RunFacts& facts, std::string& out);
  ~PerfettoEncoder() override;

  PerfettoEncoder(const PerfettoEncoder&) = delete;
  PerfettoEncoder& operator=(const PerfettoEncoder&) = delete;
  PerfettoEncoder(PerfettoEncoder&&) = delete;
  PerfettoEncoder& operator=(PerfettoEncoder&&) = delete;

  void begin() override;
  void track(const Track& track) override;
  void counter(const Counter& counter) override;
  void open_step(const Track& track, const store::StepRow& step) override;
  void open_span(const Track& track, const SpanEvent& event) override;
  void close(const Track& track, std::int64_t t_ns) override;
  void sample(const Counter& counter, std::int64_t t_ns, double value) override;
  void finish(const TrafficSums& traffic) override;

 private:
  enum class UuidKind : std::uint8_t { process, track, counter, arrow };

  std::uint64_t uuid(UuidKind kind, std::uint64_t index) const;
  /// The packet to fill in next, empty but for what every packet has.
  pb::TracePacket& packet();
  pb::TracePacket& event_packet(std::int64_t t_ns);
  void write();
  void process(std::int64_t rank, std::string_view label);
  /// The run's facts as an instant on the first track of no rank.
  void facts(const Track& track);
  std::uint64_t name_iid(const Span& span, pb::TracePacket& packet);

  const RunFacts& facts_;
  std::string& out_;
  std::unique_ptr<pb::TracePacket> packet_;
  std::vector<char> interned_;  ///< [name][waiting]
  std::uint64_t seed_;
  bool facts_written_ = false;
};

}  // namespace k3::exporter
