#include "sim/compute/operator_calls.h"

#include <algorithm>
#include <cmath>

namespace k3::sim {
namespace {

constexpr double kFloat = 4;
constexpr double kBf16 = 2;

/// Collects calls; those of no rows are left out.
class Calls {
 public:
  void add(Operator op, std::array<double, 3> shape, double repeat = 1) {
    if (repeat > 0 && *std::ranges::min_element(shape) > 0) {
      calls_.push_back({.op = op, .shape = shape, .repeat = repeat});
    }
  }

  void values(Operator op, double count) { add(op, {count, 1, 1}); }

  void product(double rows, double out, double in) {
    const double tiles = std::ceil(out / kProductTile) * kProductTile;
    add(Operator::product, {rows, in, tiles});
    if (rows > 0 && out > 0) calls_.back().shared_bytes = in * out * kBf16;
  }

  /// gate, up, SiTU, down.
  void gated_mlp(double rows, double hidden, double width) {
    if (width == 0) return;
    product(rows, width, hidden);
    product(rows, width, hidden);
    values(Operator::situ, rows * width);
    product(rows, hidden, width);
  }

  void own_bytes(double bytes) {
    if (!calls_.empty()) calls_.back().own_bytes = bytes;
  }

  std::vector<OperatorCall> take() { return std::move(calls_); }

 private:
  std::vector<OperatorCall> calls_;
};

void kda(Calls& calls, const CallContext& c, Stage stage) {
  const auto tokens = static_cast<double>(c.rank.tokens);
  const double hidden = c.model.hidden;
  const KdaConfig& k = c.model.kda;
  const double width = k.width();
  const double rows = tokens * k.heads;
  if (stage == Stage::project) {
    for (int i = 0; i < 4; ++i)
      calls.product(tokens, width, hidden);  // q k v and output gate
    calls.product(tokens, k.head_dim, hidden);
    calls.product(tokens, width, k.head_dim);
    calls.product(tokens, k.heads, hidden);
  } else if (stage == Stage::conv) {
    calls.add(Operator::conv, {tokens, width, 1}, 3);
  } else if (stage == Stage::recur) {
    calls.add(Operator::kda_gate, {rows, static_cast<double>(k.head_dim), 1});
    calls.values(Operator::sigmoid, rows);
    calls.add(Operator::recurrence, {rows, static_cast<double>(k.head_dim), 1});
    calls.own_bytes(static_cast<double>(c.rank.sequences) * width * k.head_dim * kFloat);
  } else {
    calls.add(Operator::kda_output, {rows, static_cast<double>(k.head_dim), 1});
    calls.product(tokens, hidden, width);
    calls.values(Operator::add, tokens * hidden);
  }
}

/// Scores, softmax and values. An expanded prompt with tokens cached before it costs as much more
/// as it has more products.
void attend(Calls& calls, const CallContext& c) {
  const MlaConfig& m = c.model.mla;
  const auto sequences = static_cast<double>(c.rank.sequences);
  if (sequences == 0) return;
  const double tokens = static_cast<double>(c.rank.tokens) / sequences;
  const double cached = static_cast<double>(c.rank.cache_tokens) / sequences;
  const double heads = m.heads;
  const double dim = m.v_dim;
  calls.add(Operator::cache,
            {static_cast<double>(c.rank.tokens), static_cast<double>(m.kv_lora), 1});
  if (c.phase == Phase::decode) {
    calls.add(Operator::absorbed, {cached, heads, dim}, static_cast<double>(c.rank.tokens));
    calls.own_bytes(static_cast<double>(c.rank.cache_tokens) * m.cache_width() * kFloat);
    return;
  }
  const double expand = m.nope + m.v_dim;
  const double pair = m.nope + m.rope + m.v_dim;
  const auto products = [&](double rows, double pairs) {
    return rows * expand * m.kv_lora + pairs * pair;
  };
  const double pairs = c.rank.attended_pairs / sequences;
  const double more = products(cached, pairs) / products(tokens, tokens * (tokens + 1) / 2);
  calls.add(Operator::expanded, {tokens, heads, dim}, sequences * more);
}

void mla(Calls& calls, const CallContext& c, Stage stage) {
  const auto tokens = static_cast<double>(c.rank.tokens);
  const double hidden = c.model.hidden;
  const MlaConfig& m = c.model.mla;
  if (stage == Stage::project) {
    calls.product(tokens, m.q_lora, hidden);
    calls.add(Operator::norm, {tokens, static_cast<double>(m.q_lora), 1});
    calls.product(tokens, m.heads * (m.nope + m.rope), m.q_lora);
    calls.product(tokens, m.cache_width(), hidden);
    if (m.output_gate) calls.product(tokens, m.out_width(), hidden);
  } else if (stage == Stage::attend) {
    attend(calls, c);
  } else {
    if (m.output_gate) calls.values(Operator::gate, tokens * m.out_width());
    calls.product(tokens, hidden, m.out_width());
    calls.values(Operator::add, tokens * hidden);
  }
}

void latent(Calls& calls, const CallContext& c, Stage stage) {
  const auto tokens = static_cast<double>(c.rank.tokens);
  const double hidden = c.model.hidden;
  const double width = c.model.moe.latent;
  if (stage == Stage::down) return calls.product(tokens, width, hidden);
  if (c.model.moe.latent_norm) calls.add(Operator::norm, {tokens, width, 1});
  calls.product(tokens, hidden, width);
  if (c.model.moe.shared_experts > 0) calls.values(Operator::add, tokens * hidden);
  calls.values(Operator::add, tokens * hidden);
}

void experts(Calls& calls, const CallContext& c) {
  const MoeConfig& moe = c.model.moe;
  const auto copies = static_cast<double>(c.routed.copies_received);
  const auto touched = static_cast<double>(c.routed.experts_touched);
  const double width = moe.latent;
  calls.add(Operator::order, {copies, static_cast<double>(c.slots), 1});
  calls.add(Operator::gather, {copies, width, 1});
  if (touched == 0) return;
  const double rows = copies / touched;
  const double inner = moe.expert_width;
  const double weights = touched * 3 * width * inner;
  if (c.model.experts_mxfp4) {
    calls.add(Operator::expert, {rows, width, inner}, touched);
    calls.own_bytes(weights * static_cast<double>(row_bytes(NumberFormat::mxfp4, 32)) / 32);
    return;
  }
  const double tiles = std::ceil(inner / kProductTile) * kProductTile;
  calls.add(Operator::product, {rows, width, tiles}, 2 * touched);
  calls.values(Operator::situ, copies * inner);
  calls.add(Operator::product, {rows, inner, std::ceil(width / kProductTile) * kProductTile},
            touched);
  calls.own_bytes(weights * kBf16);
}

void head(Calls& calls, const CallContext& c, Stage stage) {
  const auto rows = static_cast<double>(c.rank.head_rows);
  const double hidden = c.model.hidden;
  const double sources = c.model.output_sources();
  if (stage == Stage::logits) return calls.product(rows, c.model.vocab, hidden);
  if (c.rank.head_rows != c.rank.tokens) calls.add(Operator::gather, {rows, hidden, 1}, sources);
  calls.add(Operator::mix, {rows, sources, hidden});
  calls.add(Operator::norm, {rows, hidden, 1});
}

TaskCalls dispatch(const CallContext& c) {
  Calls before;
  before.values(Operator::pack, static_cast<double>(c.rank.tokens) * c.model.moe.top_k);
  before.add(Operator::gather,
             {static_cast<double>(c.routed.rows_sent), static_cast<double>(c.model.moe.latent), 1});
  return {.before = before.take(), .after = {}};
}

/// One weighted sum: tokens · top_k rows, measured per 16.
void sum_rows(Calls& calls, double rows, double width) {
  constexpr double kRowsPerSum = 16;
  calls.add(Operator::combine, {rows / kRowsPerSum, width, 1});
}

TaskCalls combine(const CallContext& c) {
  const double width = c.model.moe.latent;
  const auto copies = static_cast<double>(c.routed.copies_received);
  Calls before;
  if (c.execution.combine_reduce == CombineReduce::none) {
    before.add(Operator::gather, {copies, width, 1});
  } else {
    sum_rows(before, copies, width);
  }
  Calls after;
  sum_rows(after, static_cast<double>(c.rank.tokens) * c.model.moe.top_k, width);
  return {.before = before.take(), .after = after.take()};
}

void other(Calls& calls, const CallContext& c, const Task& task) {
  const auto tokens = static_cast<double>(c.rank.tokens);
  const double hidden = c.model.hidden;
  const auto layer = [&]() -> const LayerConfig& {
    return c.model.layers[static_cast<std::size_t>(task.layer)];
  };
  switch (task.kind) {
    case TaskKind::embed:
      return calls.values(Operator::embed, tokens * hidden);
    case TaskKind::attn_res:
      return calls.add(Operator::mix, {tokens,
                                       static_cast<double>(task.stage == Stage::attention
                                                               ? layer().attention_sources
                                                               : layer().ffn_sources),
                                       hidden});
    case TaskKind::norm:
      return calls.add(Operator::norm, {tokens, hidden, 1});
    case TaskKind::dense:
      calls.gated_mlp(tokens, hidden, c.model.dense_width);
      return calls.values(Operator::add, tokens * hidden);
    case TaskKind::router:
      calls.product(tokens, c.model.moe.experts, hidden);
      return calls.add(Operator::route, {tokens, static_cast<double>(c.model.moe.experts), 1});
    case TaskKind::shared:
      return calls.gated_mlp(tokens, hidden, c.model.moe.shared_width());
    case TaskKind::sample:
      return calls.values(Operator::argmax, static_cast<double>(c.rank.sequences) * c.model.vocab);
    default:
      return;
  }
}

}  // namespace

TaskCalls task_calls(const CallContext& context, const Task& task) {
  if (task.kind == TaskKind::dispatch) return dispatch(context);
  if (task.kind == TaskKind::combine) return combine(context);
  Calls calls;
  if (task.kind == TaskKind::kda) kda(calls, context, task.stage);
  if (task.kind == TaskKind::mla) mla(calls, context, task.stage);
  if (task.kind == TaskKind::latent) latent(calls, context, task.stage);
  if (task.kind == TaskKind::experts) experts(calls, context);
  if (task.kind == TaskKind::head) head(calls, context, task.stage);
  other(calls, context, task);
  return {.before = calls.take(), .after = {}};
}

}  // namespace k3::sim
