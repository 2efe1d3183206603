#include "engine/runtime/step_tables.h"

#include <utility>

#include "engine/plan/work.h"

namespace k3 {
namespace {

void count_experts(const Placement& placement, int moe_layer, LayerTraffic& traffic) {
  const LayerPlacement& layer = placement.layer(moe_layer);
  for (std::size_t slot = 0; slot < traffic.slot_tokens.size(); ++slot) {
    if (traffic.slot_tokens[slot] == 0) continue;
    const auto expert = static_cast<std::size_t>(layer.slot_to_expert[slot]);
    traffic.expert_tokens[expert] += traffic.slot_tokens[slot];
  }
}

TrafficRecord traffic_record(TrafficMatrix&& matrix,
                             std::int16_t layer,
                             Direction direction,
                             std::int64_t bytes_per_row) {
  TrafficRecord record;
  record.layer = layer;
  record.direction = direction;
  record.num_ranks = matrix.num_ranks;
  record.bytes.reserve(matrix.rows.size());
  for (const std::uint32_t rows : matrix.rows) {
    record.bytes.push_back(static_cast<std::uint64_t>(rows) *
                           static_cast<std::uint64_t>(bytes_per_row));
  }
  record.copies = std::move(matrix.copies);
  record.rows = std::move(matrix.rows);
  return record;
}

/// FLOPs of a collective belong to its arithmetic (the weighted sum), its bytes to the transfer.
void add_work(const Task& task, const TaskWork& work, Span& span) {
  const bool moves = is_communication(task.kind);
  if (span.category == SpanCategory::compute) {
    span.flops = work.flops;
    if (!moves) span.bytes = work.bytes();
  } else if (span.category == SpanCategory::transfer) {
    span.bytes = work.bytes();
  }
}

void take_rank(const AssembleInput& input,
               const std::vector<std::vector<RoutedShape>>& routed,
               RankRecord& rank,
               StepRecord& record) {
  const std::vector<RankShape> shapes = input.shape.rank_shapes();
  for (Span& span : rank.spans) {
    const Task& task = input.plan.tasks()[static_cast<std::size_t>(span.task)];
    const int moe = task.layer < 0 ? -1 : input.plan.moe_index(task.layer);
    const auto r = static_cast<std::size_t>(task.rank);
    const RoutedShape none;
    const RoutedShape& counts = moe < 0 ? none : routed[static_cast<std::size_t>(moe)][r];
    add_work(task,
             task_work(input.model, input.precision, input.shape.phase, task, shapes[r], counts),
             span);
    span.begin_ns -= input.origin_ns;
    record.spans.push_back(span);
  }
  for (TransferRecord& transfer : rank.transfers) {
    transfer.begin_ns -= input.origin_ns;
    record.transfers.push_back(transfer);
  }
  rank.clear();
}

}  // namespace

StepTables::StepTables(const ModelConfig& model,
                       const Placement& placement,
                       std::int64_t num_tokens)
    : routing(placement.num_layers(), static_cast<int>(num_tokens), model.moe.top_k) {
  const int ranks = placement.num_ranks();
  for (int layer = 0; layer < placement.num_layers(); ++layer) {
    LayerTraffic traffic;
    traffic.dispatch = TrafficMatrix(ranks);
    traffic.combine = TrafficMatrix(ranks);
    traffic.slot_tokens.resize(placement.layer(layer).slot_to_expert.size());
    traffic.expert_tokens.resize(static_cast<std::size_t>(placement.num_experts()));
    traffic.experts_touched.resize(static_cast<std::size_t>(ranks));
    layers.push_back(std::move(traffic));
  }
}

void assemble_step(const AssembleInput& input,
                   StepTables& tables,
                   std::vector<RankRecord*> ranks,
                   StepRecord& record) {
  std::vector<std::vector<RoutedShape>> routed;
  for (int moe = 0; moe < input.placement.num_layers(); ++moe) {
    count_experts(input.placement, moe, tables.layers[static_cast<std::size_t>(moe)]);
    routed.push_back(routed_shapes(tables.layers[static_cast<std::size_t>(moe)]));
  }
  for (RankRecord* rank : ranks)
    take_rank(input, routed, *rank, record);
  const StepRouting& routing = tables.routing;
  for (std::int16_t layer = 0; layer < input.model.num_layers(); ++layer) {
    const int moe = input.plan.moe_index(layer);
    if (moe < 0) continue;
    LayerTraffic& traffic = tables.layers[static_cast<std::size_t>(moe)];
    const std::int64_t latent = input.model.moe.latent;
    record.traffic.push_back(traffic_record(std::move(traffic.dispatch), layer, Direction::dispatch,
                                            row_bytes(input.precision.dispatch, latent)));
    record.traffic.push_back(traffic_record(std::move(traffic.combine), layer, Direction::combine,
                                            row_bytes(input.precision.combine, latent)));
    record.expert_load.push_back({.layer = layer,
                                  .expert_tokens = std::move(traffic.expert_tokens),
                                  .slot_tokens = std::move(traffic.slot_tokens)});
    const auto count = static_cast<std::ptrdiff_t>(routing.num_tokens) * routing.top_k;
    const auto first = routing.experts.begin() + moe * count;
    record.routing.push_back({.layer = layer,
                              .num_tokens = routing.num_tokens,
                              .top_k = routing.top_k,
                              .experts = {first, first + count}});
  }
}

}  // namespace k3
