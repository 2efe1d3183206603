#pragma once

#include "engine/base/result.h"
#include "engine/plan/plan.h"
#include "engine/runtime/rank_context.h"

// One function per kind of task, called in plan order on the rank's thread. They queue the
// arithmetic on the rank's stream through the backend's operators; only dispatch, combine and
// sample wait for it.
namespace k3 {

void run_embed(RankContext& context);
void run_attn_res(RankContext& context, const Task& task);
void run_norm(RankContext& context, const Task& task);
void run_kda(RankContext& context, const Task& task);
void run_mla(RankContext& context, const Task& task);
void run_dense(RankContext& context, const Task& task);
void run_router(RankContext& context, const Task& task);
void run_latent(RankContext& context, const Task& task);
void run_shared(RankContext& context, const Task& task);
void run_head(RankContext& context, const Task& task);
void run_sample(RankContext& context);

/// These record their own spans: packing, waiting, moving, summing.
Result<void> run_dispatch(RankContext& context, const Task& task, std::int32_t task_id);
Result<void> run_combine(RankContext& context, const Task& task, std::int32_t task_id);
Result<void> run_experts(RankContext& context, const Task& task);

/// Adds the sub-layer's output to the residual stream.
void add_output(RankContext& context);

/// out[tokens, matrix.rows] = x · matrixᵀ
void linear(RankContext& context, const float* x, const ops::Matrix& matrix, float* out);

/// In: x [tokens, hidden]; out [tokens, hidden]; down · situ(gate · x, up · x).
void feed_forward(RankContext& context,
                  const FeedForwardWeights& weights,
                  const float* x,
                  float* out);

/// Adds a span of a task on the lane where it runs.
void record_span(RankContext& context,
                 const Task& task,
                 std::int32_t task_id,
                 SpanCategory category,
                 std::int64_t begin_ns,
                 std::int64_t end_ns);

/// Walks the rank's tasks of the step and records a span for each.
Result<void> run_tasks(RankContext& context);

}  // namespace k3
