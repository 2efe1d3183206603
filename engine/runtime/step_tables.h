#pragma once

#include <vector>

#include "engine/plan/plan.h"
#include "engine/routing/placement.h"
#include "engine/routing/routing.h"
#include "engine/routing/traffic.h"
#include "engine/trace/trace.h"

namespace k3 {

/// What all ranks count together during a step. Every rank writes only its own rows (as source),
/// slots and tokens, so that no lock is needed; read after the ranks have joined.
struct StepTables {
  StepTables(const ModelConfig& model, const Placement& placement, std::int64_t num_tokens);

  StepRouting routing;               ///< tokens in global order
  std::vector<LayerTraffic> layers;  ///< per MoE layer
};

/// Spans and transfers of one rank in one step, in nanoseconds of the host's steady clock until the
/// step is assembled.
struct RankRecord {
  std::vector<Span> spans;
  std::vector<TransferRecord> transfers;

  void clear() {
    spans.clear();
    transfers.clear();
  }
};

struct AssembleInput {
  const ModelConfig& model;
  const Placement& placement;
  const PrecisionSpec& precision;
  const Plan& plan;
  const StepShape& shape;
  std::int64_t origin_ns = 0;  ///< time 0 of the run
};

/// Joins what the ranks recorded: times relative to the run's begin, FLOPs and bytes of every span
/// from the real counts, traffic in bytes, loads and routing. Empties the rank records.
void assemble_step(const AssembleInput& input,
                   StepTables& tables,
                   std::vector<RankRecord*> ranks,
                   StepRecord& record);

}  // namespace k3
