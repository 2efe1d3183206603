#include <fmt/core.h>

#include "engine/runtime/tasks.h"

namespace k3 {
namespace {

/// Begin and end of a task in the stream's queue; times are known after synchronisation.
struct MarkedTask {
  std::int32_t task_id = 0;
  int begin = 0;
  int end = 0;
};

/// Tasks that only compute. A rank without tokens has nothing to do in them.
void run_compute(RankContext& context, const Task& task) {
  if (context.batch.tokens == 0) return;
  switch (task.kind) {
    case TaskKind::embed:
      return run_embed(context);
    case TaskKind::attn_res:
      return run_attn_res(context, task);
    case TaskKind::norm:
      return run_norm(context, task);
    case TaskKind::kda:
      return run_kda(context, task);
    case TaskKind::mla:
      return run_mla(context, task);
    case TaskKind::dense:
      return run_dense(context, task);
    case TaskKind::router:
      return run_router(context, task);
    case TaskKind::latent:
      return run_latent(context, task);
    case TaskKind::shared:
      return run_shared(context, task);
    case TaskKind::head:
      return run_head(context, task);
    case TaskKind::sample:
      return run_sample(context);
    case TaskKind::dispatch:
    case TaskKind::experts:
    case TaskKind::combine:
      return;
  }
}

Result<void> run_task(RankContext& context, const Task& task, std::int32_t task_id) {
  switch (task.kind) {
    case TaskKind::dispatch:
      return run_dispatch(context, task, task_id);
    case TaskKind::combine:
      return run_combine(context, task, task_id);
    case TaskKind::experts:
      return run_experts(context, task);
    default:
      run_compute(context, task);
      return {};
  }
}

void record_marked(RankContext& context, const std::vector<MarkedTask>& marked) {
  for (const MarkedTask& mark : marked) {
    const Task& task = context.plan->tasks()[static_cast<std::size_t>(mark.task_id)];
    record_span(context, task, mark.task_id, SpanCategory::compute,
                context.stream->time_ns(mark.begin), context.stream->time_ns(mark.end));
  }
}

}  // namespace

void record_span(RankContext& context,
                 const Task& task,
                 std::int32_t task_id,
                 SpanCategory category,
                 std::int64_t begin_ns,
                 std::int64_t end_ns) {
  const bool compute_lane = task.lane == TaskLane::compute;
  context.record.spans.push_back({.begin_ns = begin_ns,
                                  .duration_ns = end_ns - begin_ns,
                                  .lane = 2 * context.rank + (compute_lane ? 0 : 1),
                                  .task = task_id,
                                  .layer = task.layer,
                                  .category = category,
                                  .name = task_name_id(task.kind, task.stage)});
}

Result<void> run_tasks(RankContext& context) {
  context.kda_index = 0;
  context.mla_index = 0;
  std::vector<MarkedTask> marked;
  marked.reserve(context.plan->rank_tasks(context.rank).size());
  std::int32_t task_id = context.plan->rank_begin(context.rank);
  Progress* progress = context.inputs.progress;
  for (const Task& task : context.plan->rank_tasks(context.rank)) {
    if (progress != nullptr && progress->cancelled) return fail(Code::cancelled, "stopped");
    const int begin = is_communication(task.kind) ? 0 : context.stream->mark();
    if (auto done = run_task(context, task, task_id); !done) {
      return tl::unexpected(std::move(done).error().at(fmt::format(
          "rank {}, layer {}, {}", context.rank, task.layer, task_name(task.kind, task.stage))));
    }
    if (!is_communication(task.kind)) marked.push_back({task_id, begin, context.stream->mark()});
    if (progress != nullptr) ++progress->done;
    ++task_id;
  }
  context.stream->synchronize();
  record_marked(context, marked);
  context.stream->clear_marks();
  return {};
}

}  // namespace k3
