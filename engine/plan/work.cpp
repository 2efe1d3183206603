#include "engine/plan/work.h"

namespace k3 {
namespace {

/// Bytes of one value where rows need no scales, e.g. of an activation.
double value_bytes(NumberFormat format) {
  return static_cast<double>(row_bytes(format, 32)) / 32;
}

/// Adds up one task. Weights are bf16 in every mode (stored as in the checkpoint).
class Tally {
 public:
  explicit Tally(const PrecisionSpec& precision) : activation_(value_bytes(precision.activations)) {
    work_.rate = precision.activations;
  }

  /// A product of `rows` activation rows with a weight matrix [out, in].
  void product(double rows, double out, double in) {
    work_.flops += 2 * rows * out * in;
    if (rows > 0) work_.bytes_read += out * in * kBf16;
  }

  void read_activations(double values) { work_.bytes_read += values * activation_; }

  void write_activations(double values) { work_.bytes_written += values * activation_; }

  void read(double bytes) { work_.bytes_read += bytes; }

  void write(double bytes) { work_.bytes_written += bytes; }

  void flops(double count) { work_.flops += count; }

  void rate(NumberFormat format) { work_.rate = format; }

  const TaskWork& work() const { return work_; }

  static constexpr double kBf16 = 2;
  static constexpr double kFloat32 = 4;

 private:
  TaskWork work_;
  double activation_;
};

struct Context {
  const ModelConfig& model;
  const PrecisionSpec& precision;
  Phase phase;
  const Task& task;
  const RankShape& rank;
  const RoutedShape& routed;
};

void mix(Tally& tally, double rows, double sources, double hidden) {
  tally.flops(4 * rows * sources * hidden);
  tally.read_activations(rows * sources * hidden);
  tally.write_activations(rows * hidden);
}

void normalise(Tally& tally, double rows, double width) {
  tally.flops(4 * rows * width);
  tally.read_activations(rows * width);
  tally.write_activations(rows * width);
}

/// gate, up, SiTU, down.
void gated_mlp(Tally& tally, double rows, double hidden, double width) {
  tally.product(rows, width, hidden);
  tally.product(rows, width, hidden);
  tally.product(rows, hidden, width);
  tally.read_activations(rows * (hidden + width));
  tally.write_activations(rows * (hidden + width));
}

void kda(Tally& tally, const Context& c) {
  const double tokens = static_cast<double>(c.rank.tokens);
  const double sequences = static_cast<double>(c.rank.sequences);
  const double hidden = c.model.hidden;
  const KdaConfig& k = c.model.kda;
  const double width = k.width();
  if (c.task.stage == Stage::project) {
    for (int i = 0; i < 4; ++i)
      tally.product(tokens, width, hidden);  // q k v and output gate
    tally.product(tokens, k.head_dim, hidden);
    tally.product(tokens, width, k.head_dim);
    tally.product(tokens, k.heads, hidden);
    tally.read_activations(tokens * hidden);
    tally.write_activations(tokens * (5 * width + k.heads));
  } else if (c.task.stage == Stage::conv) {
    const double history = sequences * 3 * width * (k.conv_width - 1);
    tally.flops(2 * tokens * 3 * width * k.conv_width);
    tally.read(3 * width * k.conv_width * Tally::kFloat32);
    tally.read_activations(tokens * 3 * width + history);
    tally.write_activations(tokens * 3 * width + history);
  } else if (c.task.stage == Stage::recur) {
    const double state = sequences * width * k.head_dim * value_bytes(c.precision.kda_state);
    tally.flops(7 * tokens * width * k.head_dim);
    tally.read(state);
    tally.write(state);
    tally.read_activations(tokens * (4 * width + k.heads));
    tally.write_activations(tokens * width);
  } else {
    tally.product(tokens, hidden, width);
    tally.read_activations(tokens * 2 * width);
    tally.write_activations(tokens * hidden);
  }
}

void mla(Tally& tally, const Context& c) {
  const double tokens = static_cast<double>(c.rank.tokens);
  const double hidden = c.model.hidden;
  const MlaConfig& m = c.model.mla;
  // NOTE: an fp8 cache has one scale for all its values, unlike an fp8 row.
  const double cache_bytes = c.precision.kv == NumberFormat::fp8 ? 1 : value_bytes(c.precision.kv);
  const double q_width = m.heads * (m.nope + m.rope);
  if (c.task.stage == Stage::project) {
    tally.product(tokens, m.q_lora, hidden);
    tally.product(tokens, q_width, m.q_lora);
    tally.product(tokens, m.cache_width(), hidden);
    if (m.output_gate) tally.product(tokens, m.out_width(), hidden);
    tally.read_activations(tokens * (hidden + m.q_lora));
    tally.write_activations(tokens * (q_width + m.q_lora + m.out_width()));
    tally.write(tokens * m.cache_width() * cache_bytes);
  } else if (c.task.stage == Stage::attend) {
    const double cached = static_cast<double>(c.rank.cache_tokens);
    const double kv_rows = c.phase == Phase::decode ? tokens : cached;
    tally.product(kv_rows, m.heads * (m.nope + m.v_dim), m.kv_lora);
    const double pair =
        c.phase == Phase::decode ? m.cache_width() + m.kv_lora : m.nope + m.rope + m.v_dim;
    tally.flops(2 * c.rank.attended_pairs * m.heads * pair);
    tally.read(cached * m.cache_width() * cache_bytes);
    tally.read_activations(tokens * q_width);
    tally.write_activations(tokens * m.out_width());
  } else {
    tally.product(tokens, hidden, m.out_width());
    tally.read_activations(tokens * 2 * m.out_width());
    tally.write_activations(tokens * hidden);
  }
}

void experts(Tally& tally, const Context& c) {
  const MoeConfig& moe = c.model.moe;
  const double copies = static_cast<double>(c.routed.copies_received);
  const double expert_bytes =
      c.model.experts_mxfp4
          ? static_cast<double>(2 * moe.expert_width * row_bytes(NumberFormat::mxfp4, moe.latent) +
                                moe.latent * row_bytes(NumberFormat::mxfp4, moe.expert_width))
          : Tally::kBf16 * 3 * moe.latent * moe.expert_width;
  const double moved = copies * (moe.latent + moe.expert_width);
  tally.flops(2 * copies * 3 * moe.latent * moe.expert_width);
  tally.read(static_cast<double>(c.routed.experts_touched) * expert_bytes);
  tally.read(moved * value_bytes(c.precision.expert_activations));
  tally.write(moved * value_bytes(c.precision.expert_activations));
  tally.rate(c.precision.expert_activations);
}

void latent(Tally& tally, const Context& c) {
  const double tokens = static_cast<double>(c.rank.tokens);
  const double hidden = c.model.hidden;
  const double width = c.model.moe.latent;
  if (c.task.stage == Stage::down) {
    tally.product(tokens, width, hidden);
    tally.read_activations(tokens * hidden);
    tally.write_activations(tokens * width);
    return;
  }
  if (c.model.moe.latent_norm) normalise(tally, tokens, width);
  tally.product(tokens, hidden, width);
  tally.read_activations(tokens * (width + 2 * hidden));  // latent, shared experts, prefix
  tally.write_activations(tokens * hidden);
}

void router(Tally& tally, const Context& c) {
  const double tokens = static_cast<double>(c.rank.tokens);
  const MoeConfig& moe = c.model.moe;
  tally.product(tokens, moe.experts, c.model.hidden);
  tally.read_activations(tokens * c.model.hidden);
  tally.write(tokens * moe.top_k * 2 * Tally::kFloat32);
}

void head(Tally& tally, const Context& c) {
  const double rows = static_cast<double>(c.rank.head_rows);
  const double hidden = c.model.hidden;
  if (c.task.stage == Stage::output) {
    mix(tally, rows, c.model.output_sources(), hidden);
    normalise(tally, rows, hidden);
    return;
  }
  tally.product(rows, c.model.vocab, hidden);
  tally.read_activations(rows * hidden);
  tally.write(rows * c.model.vocab * Tally::kFloat32);
}

void transfer(Tally& tally, NumberFormat format, const MoeConfig& moe, std::int64_t rows) {
  tally.read(static_cast<double>(rows * row_bytes(format, moe.latent)));
}

const LayerConfig& layer_of(const Context& c) {
  return c.model.layers[static_cast<std::size_t>(c.task.layer)];
}

}  // namespace

std::vector<RoutedShape> routed_shapes(const LayerTraffic& traffic) {
  const int ranks = traffic.dispatch.num_ranks;
  std::vector<RoutedShape> shapes(static_cast<std::size_t>(ranks));
  for (int source = 0; source < ranks; ++source) {
    for (int destination = 0; destination < ranks; ++destination) {
      const std::size_t cell = traffic.dispatch.at(source, destination);
      RoutedShape& from = shapes[static_cast<std::size_t>(source)];
      RoutedShape& to = shapes[static_cast<std::size_t>(destination)];
      from.rows_sent += traffic.dispatch.rows[cell];
      to.rows_received += traffic.dispatch.rows[cell];
      to.copies_received += traffic.dispatch.copies[cell];
      to.rows_returned += traffic.combine.rows[cell];
    }
  }
  for (int rank = 0; rank < ranks; ++rank) {
    shapes[static_cast<std::size_t>(rank)].experts_touched =
        traffic.experts_touched[static_cast<std::size_t>(rank)];
  }
  return shapes;
}

TaskWork task_work(const ModelConfig& model,
                   const PrecisionSpec& precision,
                   Phase phase,
                   const Task& task,
                   const RankShape& rank,
                   const RoutedShape& routed) {
  const Context c{model, precision, phase, task, rank, routed};
  Tally tally(precision);
  const double tokens = static_cast<double>(rank.tokens);
  const double hidden = model.hidden;
  switch (task.kind) {
    case TaskKind::embed:
      tally.read(tokens * hidden * Tally::kBf16);
      tally.write_activations(tokens * hidden);
      break;
    case TaskKind::attn_res:
      mix(tally, tokens,
          task.stage == Stage::attention ? layer_of(c).attention_sources : layer_of(c).ffn_sources,
          hidden);
      break;
    case TaskKind::norm:
      normalise(tally, tokens, hidden);
      break;
    case TaskKind::kda:
      kda(tally, c);
      break;
    case TaskKind::mla:
      mla(tally, c);
      break;
    case TaskKind::dense:
      gated_mlp(tally, tokens, hidden, model.dense_width);
      break;
    case TaskKind::router:
      router(tally, c);
      break;
    case TaskKind::latent:
      latent(tally, c);
      break;
    case TaskKind::dispatch:
      transfer(tally, precision.dispatch, model.moe, routed.rows_sent);
      break;
    case TaskKind::experts:
      experts(tally, c);
      break;
    case TaskKind::combine:
      transfer(tally, precision.combine, model.moe, routed.rows_returned);
      break;
    case TaskKind::shared:
      gated_mlp(tally, tokens, hidden, model.moe.shared_width());
      break;
    case TaskKind::head:
      head(tally, c);
      break;
    case TaskKind::sample:
      tally.read(static_cast<double>(rank.head_rows) * model.vocab * Tally::kFloat32);
      break;
  }
  return tally.work();
}

}  // namespace k3
