// Dense layers, router, latent projections and shared experts (k3 specification 3.4).
#include "engine/runtime/tasks.h"

namespace k3 {
namespace {

/// Output of the feed-forward sub-layer is complete: it joins the residual stream.
void finish_layer(RankContext& context, const Task& task) {
  context.capture(Quantity::ffn_out, task.layer, context.work.output.data());
  add_output(context);
  context.capture(Quantity::stream, task.layer, context.work.prefix());
}

/// Uploads the pinned choices of the rank's tokens, or returns null when the router chooses.
const std::int32_t* upload_pinned(RankContext& context, int moe_layer) {
  const auto& pinned = context.input->pinned_experts;
  if (pinned.empty()) return nullptr;
  const std::int64_t top_k = context.model.moe.top_k;
  const std::int64_t layer_begin = moe_layer * context.input->shape.num_tokens();
  for (const LocalSequence& local : context.batch.sequences) {
    context.stream->copy_to_device(
        context.work.pinned.data() + local.first_token * top_k,
        pinned.data() + (layer_begin + local.first_global) * top_k,
        static_cast<std::size_t>(local.new_tokens * top_k) * sizeof(std::int32_t));
  }
  return context.work.pinned.data();
}

}  // namespace

void feed_forward(RankContext& context,
                  const FeedForwardWeights& weights,
                  const float* x,
                  float* out) {
  Workspace& work = context.work;
  linear(context, x, weights.gate, work.inner_gate.data());
  linear(context, x, weights.up, work.inner_up.data());
  context.kernels.situ(
      {.gate = work.inner_gate.data(),
       .up = work.inner_up.data(),
       .beta = static_cast<float>(context.model.situ_beta),
       .linear_beta = static_cast<float>(context.model.situ_linear_beta.value_or(0)),
       .out = work.inner_gate.data(),
       .elements = context.batch.tokens * weights.gate.rows},
      *context.stream);
  linear(context, work.inner_gate.data(), weights.down, out);
}

void run_dense(RankContext& context, const Task& task) {
  feed_forward(context, context.layer(task).dense, context.work.input.data(),
               context.work.output.data());
  finish_layer(context, task);
}

void run_router(RankContext& context, const Task& task) {
  Workspace& work = context.work;
  const MoeConfig& moe = context.model.moe;
  const MoeWeights& weights = context.layer(task).moe;
  const int moe_layer = context.plan->moe_index(task.layer);
  linear(context, work.input.data(), weights.router, work.router_logits.data());
  context.kernels.route(
      {.logits = work.router_logits.data(),
       .bias = weights.bias,
       .forced = upload_pinned(context, moe_layer),
       .function = moe.router == RouterFunction::softmax ? ops::ScoreFunction::softmax
                                                         : ops::ScoreFunction::sigmoid,
       .renormalize = moe.renormalize,
       .scaling = static_cast<float>(moe.scaling),
       .ids = work.router_ids.data(),
       .weights = work.router_weights.data(),
       .margin = context.captures(Quantity::router_margin) ? work.router_margin.data() : nullptr,
       .tokens = context.batch.tokens,
       .experts = moe.experts,
       .top_k = moe.top_k},
      *context.stream);
  context.capture(Quantity::router_ids, moe_layer, work.router_ids.data());
  context.capture(Quantity::router_w, moe_layer, work.router_weights.data());
  if (context.input->pinned_experts.empty()) {
    context.capture(Quantity::router_margin, moe_layer, work.router_margin.data());
  }
}

void run_latent(RankContext& context, const Task& task) {
  Workspace& work = context.work;
  const MoeWeights& weights = context.layer(task).moe;
  if (task.stage == Stage::down) {
    linear(context, work.input.data(), weights.latent_down, work.latent.data());
    return;
  }
  if (context.model.moe.latent_norm) {
    context.kernels.rms_norm({.x = work.latent_sum.data(),
                              .weight = weights.latent_norm,
                              .eps = static_cast<float>(context.model.norm_eps),
                              .out = work.latent_sum.data(),
                              .tokens = context.batch.tokens},
                             *context.stream);
  }
  linear(context, work.latent_sum.data(), weights.latent_up, work.output.data());
  if (context.model.moe.shared_experts > 0) {
    context.kernels.add({.a = work.output.data(),
                         .b = work.shared.data(),
                         .out = work.output.data(),
                         .elements = context.batch.tokens * context.model.hidden},
                        *context.stream);
  }
  finish_layer(context, task);
}

void run_shared(RankContext& context, const Task& task) {
  if (context.model.moe.shared_experts == 0) return;
  feed_forward(context, context.layer(task).moe.shared, context.work.input.data(),
               context.work.shared.data());
}

}  // namespace k3
