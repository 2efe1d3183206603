#include "profiler/session/run_header.h"

#include <string>

#include "profiler/store/schema.h"

namespace k3::session {
namespace {

PlanRecord record_of(const Plan& plan) {
  PlanRecord record;
  record.hash = plan.hash();
  record.phase = plan.shape().phase;
  record.tasks.reserve(plan.tasks().size());
  for (const Task& task : plan.tasks()) {
    record.tasks.push_back({.rank = task.rank,
                            .kind = task.kind,
                            .stage = task.stage,
                            .layer = task.layer,
                            .name = task_name_id(task.kind, task.stage)});
  }
  return record;
}

void add_placement(RunHeader& header, const ModelConfig& model, const Placement& placement) {
  int moe_layer = 0;
  for (int l = 0; l < model.num_layers(); ++l) {
    if (model.layers[static_cast<std::size_t>(l)].ffn != FfnKind::moe) continue;
    const LayerPlacement& layer = placement.layer(moe_layer++);
    for (std::size_t slot = 0; slot < layer.slot_rank.size(); ++slot) {
      header.placement.push_back({.layer = static_cast<std::int16_t>(l),
                                  .slot = static_cast<std::int32_t>(slot),
                                  .rank = layer.slot_rank[slot],
                                  .expert = layer.slot_to_expert[slot],
                                  .share = layer.share[slot]});
    }
  }
}

}  // namespace

RunHeader make_header(RunKind kind,
                      const Setup& setup,
                      std::span<const Plan> plans,
                      const Placement& placement) {
  RunHeader header;
  header.kind = kind;
  header.scenario = setup.resolved_toml;
  header.num_ranks = setup.parallel.ranks;
  header.names = task_names();
  for (const Plan& plan : plans)
    header.plans.push_back(record_of(plan));
  add_placement(header, setup.model, placement);
  header.meta = {
      {"title", setup.title},
      {"model", setup.model.name},
      {"top_k", std::to_string(setup.model.moe.top_k)},
      {"moe_layers", std::to_string(setup.model.count(FfnKind::moe))},
      {"dispatch_row_bytes",
       std::to_string(row_bytes(setup.precision.dispatch, setup.model.moe.latent))},
      {"combine_row_bytes",
       std::to_string(row_bytes(setup.precision.combine, setup.model.moe.latent))},
  };
  return header;
}

void add_processor(RunHeader& header, const sim::HostDescription& host) {
  header.meta.emplace_back(store::kMetaProcessor, host.cpu);
  header.meta.emplace_back(store::kMetaCores, std::to_string(host.cores));
}

}  // namespace k3::session
