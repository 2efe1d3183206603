#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/task_kind.h"

namespace k3 {

/// What a span's time was spent on. Waiting and transfer are separate spans.
enum class SpanCategory : std::uint8_t { compute, transfer, wait, memory, other };

enum class LaneKind : std::uint8_t { compute, communication, memory, other };

/// A row of the timeline. Ids are dense from 0 in the order given.
struct Lane {
  std::int32_t rank = 0;
  LaneKind kind = LaneKind::compute;
  std::string name;
};

/// One interval on a lane, in nanoseconds from the begin of the run. `task` and `layer` −1: none.
struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  std::int32_t lane = 0;
  std::int32_t task = -1;
  std::int16_t layer = -1;
  std::uint8_t depth = 0;
  SpanCategory category = SpanCategory::compute;
  std::int32_t name = 0;  ///< index into RunHeader::names
  double flops = 0;
  double bytes = 0;  ///< memory traffic of compute, payload of transfers
};

/// One task of a plan as stored.
struct TaskRecord {
  std::int32_t rank = 0;
  TaskKind kind = TaskKind::embed;
  Stage stage = Stage::whole;
  std::int16_t layer = -1;
  std::int32_t name = 0;
  double flops = 0;  ///< at the first step of the plan
  double bytes = 0;
};

struct PlanRecord {
  std::uint64_t hash = 0;
  Phase phase = Phase::decode;
  std::vector<TaskRecord> tasks;  ///< index = task id
};

/// One all-to-all of a step, row-major [source][destination].
struct TrafficRecord {
  std::int16_t layer = 0;
  Direction direction = Direction::dispatch;
  int num_ranks = 0;
  std::vector<std::uint32_t> copies;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint64_t> bytes;
};

/// One rank's part in an all-to-all: begin, then waiting for others, then moving.
struct TransferRecord {
  std::int16_t layer = 0;
  Direction direction = Direction::dispatch;
  std::int32_t rank = 0;
  std::int64_t begin_ns = 0;
  std::int64_t wait_ns = 0;
  std::int64_t move_ns = 0;
};

/// A link of the simulated machine, one direction.
struct LinkRecord {
  std::string src_node;  ///< gpu3, plane7, nic3, leaf0, spine1
  std::string dst_node;
  std::int32_t plane = -1;  ///< −1: leads to no plane
  double capacity_bytes_per_s = 0;
  std::int64_t latency_ns = 0;
};

/// What a link carried in the dispatches or combines of a step. `busy_ns`: time during which it
/// carried something.
struct LinkUseRecord {
  std::int16_t layer = -1;  ///< −1: all layers of the step
  Direction direction = Direction::dispatch;
  std::int32_t link = 0;  ///< index into RunHeader::links
  std::int64_t bytes = 0;
  std::int64_t busy_ns = 0;
};

/// Throughput of a link from `t_ns` until its next sample.
struct LinkSampleRecord {
  std::int32_t link = 0;
  std::int64_t t_ns = 0;
  double bytes_per_s = 0;
};

/// Tokens (copies) per expert and per slot of one MoE layer in one step.
struct ExpertLoadRecord {
  std::int16_t layer = 0;
  std::vector<std::uint32_t> expert_tokens;  ///< [experts]
  std::vector<std::uint32_t> slot_tokens;    ///< [slots], placement order
};

/// Expert choices of one MoE layer in one step, tokens in global order, for replay.
struct RoutingRecord {
  std::int16_t layer = 0;
  int num_tokens = 0;
  int top_k = 0;
  std::vector<std::uint16_t> experts;
};

struct MemoryRecord {
  std::int32_t rank = 0;
  std::string what;  ///< experts, weights, kv_cache, kda_state, activations, buffers
  std::int64_t bytes = 0;
};

struct PlacementRecord {
  std::int16_t layer = 0;
  std::int32_t slot = 0;
  std::int32_t rank = 0;
  std::int32_t expert = 0;
  double share = 1;
};

enum class RunKind : std::uint8_t { measured, simulated, imported };

/// What is known before the first step.
struct RunHeader {
  RunKind kind = RunKind::measured;
  std::string scenario;                                   ///< full resolved scenario (TOML)
  std::vector<std::pair<std::string, std::string>> meta;  ///< further key, value
  int num_ranks = 0;
  int gpus_per_tray = 0;  ///< 0: no trays
  std::string host;
  std::string device;
  std::vector<std::string> names;  ///< string table of spans and tasks
  std::vector<Lane> lanes;
  std::vector<PlanRecord> plans;  ///< index = plan id
  std::vector<PlacementRecord> placement;
  std::vector<MemoryRecord> memory;
  std::vector<LinkRecord> links = {};  ///< of a simulated machine
};

/// Everything recorded during one step, written in one transaction: a killed run keeps whole steps.
struct StepRecord {
  std::int32_t step = 0;
  std::int32_t plan = 0;
  Phase phase = Phase::decode;
  std::int64_t sequences = 0;
  std::int64_t tokens = 0;
  std::int64_t context = 0;  ///< tokens in the cache before the step, longest sequence
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  std::vector<Span> spans;
  std::vector<TrafficRecord> traffic;
  std::vector<TransferRecord> transfers;
  std::vector<ExpertLoadRecord> expert_load;
  std::vector<RoutingRecord> routing;
  std::vector<MemoryRecord> memory;  ///< parts that changed since the header; replace what it said
  std::vector<LinkUseRecord> link_use = {};
  std::vector<LinkSampleRecord> link_samples = {};  ///< ascending in time per link
};

/// Where a run is written to. Called from one thread, header first, then steps in order, then
/// finish.
class TraceSink {
 public:
  TraceSink() = default;
  virtual ~TraceSink() = default;
  TraceSink(const TraceSink&) = delete;
  TraceSink& operator=(const TraceSink&) = delete;
  TraceSink(TraceSink&&) = delete;
  TraceSink& operator=(TraceSink&&) = delete;

  virtual Result<void> begin(const RunHeader& header) = 0;
  virtual Result<void> step(const StepRecord& step) = 0;
  virtual Result<void> finish() = 0;
};

}  // namespace k3
