// KDA and MLA sub-layers (k3 specification 3.2 and 3.3).
#include <cmath>
#include <utility>

#include "engine/runtime/tasks.h"

namespace k3 {
namespace {

/// Added to the sum of squares of a query or key before the root (not to the mean).
/// Source: k3 specification 3.2 c
constexpr float kL2NormEps = 1e-6F;

float inverse_root(int width) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(width)));
}

/// The sub-layer's projection into the residual stream. Where a block ends, the old prefix becomes
/// a finished block and the new prefix starts as this output.
void project_out(RankContext& context, const Task& task, const ops::Matrix& matrix) {
  Workspace& work = context.work;
  const bool starts_block = context.model.layers[static_cast<std::size_t>(task.layer)].pushes_block;
  if (starts_block) ++work.num_blocks;
  float* out = starts_block ? work.prefix() : work.output.data();
  linear(context, work.attended.data(), matrix, out);
  context.capture(Quantity::attn_out, task.layer, out);
  if (!starts_block) add_output(context);
}

void project_kda(RankContext& context, const KdaWeights& weights) {
  Workspace& work = context.work;
  const float* x = work.input.data();
  linear(context, x, weights.q, work.q.data());
  linear(context, x, weights.k, work.k.data());
  linear(context, x, weights.v, work.v.data());
  linear(context, x, weights.gate, work.gate.data());
  linear(context, x, weights.decay_in, work.low_rank.data());
  linear(context, work.low_rank.data(), weights.decay_out, work.decay.data());
  linear(context, x, weights.beta, work.beta.data());
}

void convolve_kda(RankContext& context, const KdaWeights& weights) {
  Workspace& work = context.work;
  const auto convolve = [&](int which, const float* x, const float* weight, float* out) {
    context.kernels.short_conv({.x = x,
                                .weight = weight,
                                .history = context.conv_pointers(which),
                                .first_token = context.batch.device_first_token.data(),
                                .out = out,
                                .sequences = context.batch.num_sequences(),
                                .channels = context.model.kda.width(),
                                .taps = context.model.kda.conv_width},
                               *context.stream);
  };
  convolve(0, work.q.data(), weights.q_conv, work.q_conv.data());
  convolve(1, work.k.data(), weights.k_conv, work.k_conv.data());
  convolve(2, work.v.data(), weights.v_conv, work.v_conv.data());
}

void recur_kda(RankContext& context, const KdaWeights& weights) {
  Workspace& work = context.work;
  const KdaConfig& kda = context.model.kda;
  context.kernels.kda_gate({.z = work.decay.data(),
                            .dt_bias = weights.dt_bias,
                            .a_log = weights.a_log,
                            .lower_bound = static_cast<float>(kda.gate_lower_bound),
                            .g = work.decay.data(),
                            .tokens = context.batch.tokens,
                            .heads = kda.heads,
                            .dim = kda.head_dim},
                           *context.stream);
  context.kernels.sigmoid({.x = work.beta.data(), .elements = context.batch.tokens * kda.heads},
                          *context.stream);
  context.kernels.kda_recurrence({.q = work.q_conv.data(),
                                  .k = work.k_conv.data(),
                                  .v = work.v_conv.data(),
                                  .g = work.decay.data(),
                                  .beta = work.beta.data(),
                                  .scale = inverse_root(kda.head_dim),
                                  .l2_eps = kL2NormEps,
                                  .state = context.state_pointers(),
                                  .first_token = context.batch.device_first_token.data(),
                                  .out = work.attended.data(),
                                  .sequences = context.batch.num_sequences(),
                                  .heads = kda.heads,
                                  .key_dim = kda.head_dim,
                                  .value_dim = kda.head_dim},
                                 *context.stream);
}

void finish_kda(RankContext& context, const Task& task, const KdaWeights& weights) {
  Workspace& work = context.work;
  context.kernels.kda_output({.o = work.attended.data(),
                              .gate = work.gate.data(),
                              .weight = weights.out_norm,
                              .eps = static_cast<float>(context.model.norm_eps),
                              .out = work.attended.data(),
                              .tokens = context.batch.tokens,
                              .heads = context.model.kda.heads,
                              .dim = context.model.kda.head_dim},
                             *context.stream);
  project_out(context, task, weights.out);
  ++context.kda_index;
}

void project_mla(RankContext& context, const MlaWeights& weights) {
  Workspace& work = context.work;
  const float* x = work.input.data();
  linear(context, x, weights.q_a, work.low_rank.data());
  context.kernels.rms_norm({.x = work.low_rank.data(),
                            .weight = weights.q_norm,
                            .eps = static_cast<float>(context.model.mla.lora_norm_eps),
                            .out = work.low_rank.data(),
                            .tokens = context.batch.tokens},
                           *context.stream);
  linear(context, work.low_rank.data(), weights.q_b, work.q.data());
  linear(context, x, weights.kv_a, work.kv_a.data());
  if (context.model.mla.output_gate) linear(context, x, weights.gate, work.gate.data());
}

void attend_mla(RankContext& context, const MlaWeights& weights) {
  Workspace& work = context.work;
  const MlaConfig& mla = context.model.mla;
  const RankBatch& batch = context.batch;
  context.kernels.mla_cache({.kv_a = work.kv_a.data(),
                             .norm = weights.kv_norm,
                             .eps = static_cast<float>(mla.lora_norm_eps),
                             .cache = context.cache_pointers(),
                             .cache_rows = batch.device_cache_rows.data(),
                             .first_token = batch.device_first_token.data(),
                             .sequences = batch.num_sequences(),
                             .kv_lora = mla.kv_lora,
                             .rope = mla.rope},
                            *context.stream);
  const ops::MlaArgs args{.q = work.q.data(),
                          .kv_b = weights.kv_b,
                          .cache = context.cache_pointers(),
                          .cache_rows = batch.device_cache_rows.data(),
                          .first_token = batch.device_first_token.data(),
                          .scale = inverse_root(mla.nope + mla.rope),
                          .out = work.attended.data(),
                          .sequences = batch.num_sequences(),
                          .heads = mla.heads,
                          .nope = mla.nope,
                          .rope = mla.rope,
                          .v_dim = mla.v_dim,
                          .kv_lora = mla.kv_lora};
  const bool decode = context.input->shape.phase == Phase::decode;
  (decode ? context.kernels.mla_absorbed : context.kernels.mla_expanded)(args, *context.stream);
}

void finish_mla(RankContext& context, const Task& task, const MlaWeights& weights) {
  if (context.model.mla.output_gate) {
    context.kernels.sigmoid_gate({.x = context.work.attended.data(),
                                  .gate = context.work.gate.data(),
                                  .elements = context.batch.tokens * context.model.mla.out_width()},
                                 *context.stream);
  }
  project_out(context, task, weights.out);
  ++context.mla_index;
}

}  // namespace

void run_kda(RankContext& context, const Task& task) {
  const KdaWeights& weights = context.layer(task).kda;
  if (task.stage == Stage::project) project_kda(context, weights);
  if (task.stage == Stage::conv) convolve_kda(context, weights);
  if (task.stage == Stage::recur) recur_kda(context, weights);
  if (task.stage == Stage::output) finish_kda(context, task, weights);
}

void run_mla(RankContext& context, const Task& task) {
  const MlaWeights& weights = context.layer(task).mla;
  if (task.stage == Stage::project) project_mla(context, weights);
  if (task.stage == Stage::attend) attend_mla(context, weights);
  if (task.stage == Stage::output) finish_mla(context, task, weights);
}

}  // namespace k3
