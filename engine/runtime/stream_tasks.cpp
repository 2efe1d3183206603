// Embedding, residual stream, head.
#include "engine/runtime/tasks.h"

namespace k3 {
namespace {

float as_float(double value) {
  return static_cast<float>(value);
}

/// Mix of all finished blocks and the prefix into `out` (`rows` rows from `sources`).
void mix(RankContext& context, const MixWeights& weights, std::int64_t rows, float* out) {
  context.kernels.attn_res_mix({.sources = context.work.sources.data(),
                                .num_sources = static_cast<int>(context.work.sources.size()),
                                .norm = weights.norm,
                                .proj = weights.proj,
                                .eps = as_float(context.model.norm_eps),
                                .out = out,
                                .tokens = rows},
                               *context.stream);
}

void list_sources(Workspace& work) {
  work.sources.clear();
  for (int i = 0; i <= work.num_blocks; ++i) {
    work.sources.push_back(work.residual[static_cast<std::size_t>(i)].data());
  }
}

/// Replaces the sources by each sequence's last row of them.
void gather_last_rows(RankContext& context) {
  Workspace& work = context.work;
  const std::int64_t rows = context.batch.head_rows;
  for (std::size_t i = 0; i < work.sources.size(); ++i) {
    float* to =
        work.head_sources.data() + static_cast<std::int64_t>(i) * rows * context.model.hidden;
    context.kernels.gather_rows({.x = work.sources[i],
                                 .rows = context.batch.device_last_row.data(),
                                 .out = to,
                                 .count = rows,
                                 .width = context.model.hidden},
                                *context.stream);
    work.sources[i] = to;
  }
}

void capture_logits(RankContext& context) {
  const RankBatch& batch = context.batch;
  const float* logits = context.work.logits.data();
  if (!batch.gathers_head_rows()) context.capture(Quantity::logits, 0, logits);
  for (std::int64_t i = 0; i < batch.num_sequences(); ++i) {
    context.capture_row(Quantity::last_logits, batch.sequences[static_cast<std::size_t>(i)],
                        logits + batch.head_row(i) * context.model.vocab);
  }
}

}  // namespace

void linear(RankContext& context, const float* x, const ops::Matrix& matrix, float* out) {
  context.kernels.linear({.x = x, .weight = matrix, .out = out, .tokens = context.batch.tokens},
                         *context.stream);
}

void add_output(RankContext& context) {
  float* prefix = context.work.prefix();
  context.kernels.add({.a = prefix,
                       .b = context.work.output.data(),
                       .out = prefix,
                       .elements = context.batch.tokens * context.model.hidden},
                      *context.stream);
}

void run_embed(RankContext& context) {
  context.work.num_blocks = 0;
  context.kernels.embed({.ids = context.work.ids.data(),
                         .table = context.weights.embed,
                         .out = context.work.prefix(),
                         .tokens = context.batch.tokens},
                        *context.stream);
}

void run_attn_res(RankContext& context, const Task& task) {
  const LayerWeights& layer = context.layer(task);
  list_sources(context.work);
  mix(context, task.stage == Stage::attention ? layer.attention_mix : layer.ffn_mix,
      context.batch.tokens, context.work.mixed.data());
}

void run_norm(RankContext& context, const Task& task) {
  const LayerConfig& config = context.model.layers[static_cast<std::size_t>(task.layer)];
  const bool attention = task.stage == Stage::attention;
  const bool mixed = !attention || config.attention_sources > 0;
  Workspace& work = context.work;
  context.kernels.rms_norm(
      {.x = mixed ? work.mixed.data() : work.prefix(),
       .weight = attention ? context.layer(task).attention_norm : context.layer(task).ffn_norm,
       .eps = as_float(context.model.norm_eps),
       .out = work.input.data(),
       .tokens = context.batch.tokens},
      *context.stream);
  context.capture(attention ? Quantity::attn_in : Quantity::ffn_in, task.layer, work.input.data());
}

void run_head(RankContext& context, const Task& task) {
  Workspace& work = context.work;
  const std::int64_t rows = context.batch.head_rows;
  if (task.stage == Stage::logits) {
    context.kernels.linear({.x = work.input.data(),
                            .weight = context.weights.lm_head,
                            .out = work.logits.data(),
                            .tokens = rows},
                           *context.stream);
    capture_logits(context);
    return;
  }
  list_sources(work);
  if (context.batch.gathers_head_rows()) gather_last_rows(context);
  mix(context, context.weights.output_mix, rows, work.mixed.data());
  context.kernels.rms_norm({.x = work.mixed.data(),
                            .weight = context.weights.final_norm,
                            .eps = as_float(context.model.norm_eps),
                            .out = work.input.data(),
                            .tokens = rows},
                           *context.stream);
  if (!context.batch.gathers_head_rows()) {
    context.capture(Quantity::final_hidden, 0, work.input.data());
  }
}

void run_sample(RankContext& context) {
  Workspace& work = context.work;
  const std::int64_t vocab = context.model.vocab;
  const auto argmax = [&](std::int64_t first_row, std::int64_t rows, std::int64_t first_id) {
    context.kernels.argmax({.logits = work.logits.data() + first_row * vocab,
                            .ids = work.next_ids.data() + first_id,
                            .tokens = rows,
                            .vocab = vocab},
                           *context.stream);
  };
  const RankBatch& batch = context.batch;
  const std::int64_t sequences = batch.num_sequences();
  if (batch.head_rows == sequences) {
    argmax(0, sequences, 0);
  } else {
    for (std::int64_t i = 0; i < sequences; ++i)
      argmax(batch.head_row(i), 1, i);
  }
  std::vector<std::int32_t> ids(static_cast<std::size_t>(sequences));
  context.stream->copy_to_host(ids.data(), work.next_ids.data(), ids.size() * sizeof(ids[0]));
  context.stream->synchronize();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    (*context.next_ids)[static_cast<std::size_t>(batch.sequences[i].index)] = ids[i];
  }
}

}  // namespace k3
