#include "engine/runtime/copy_exchange.h"
#include "profiler/calibrate/operator_bench_internal.h"
#include "profiler/calibrate/test_data.h"

namespace k3::calibrate {

Sample OperatorBench::route(Point at) {
  constexpr std::int64_t kTopK = 16;
  const std::int64_t tokens = whole(at[0]);
  const std::int64_t experts = whole(at[1]);
  const std::vector<float> logits = random_floats(tokens * experts);
  const std::vector<float> bias = random_floats(experts, 5);
  std::vector<std::int32_t> ids(static_cast<std::size_t>(tokens * kTopK));
  std::vector<float> weights(ids.size());
  return time(kernels_.route, ops::RouteArgs{.logits = logits.data(),
                                             .bias = bias.data(),
                                             .forced = nullptr,
                                             .function = ops::ScoreFunction::sigmoid,
                                             .renormalize = true,
                                             .scaling = 1.0F,
                                             .ids = ids.data(),
                                             .weights = weights.data(),
                                             .margin = nullptr,
                                             .tokens = tokens,
                                             .experts = experts,
                                             .top_k = kTopK});
}

Sample OperatorBench::expert(Point at) {
  const std::int64_t rows = whole(at[0]);
  const std::int64_t latent = whole(at[1]);
  const std::int64_t width = whole(at[2]);
  const ExpertPool pool(1, latent, width);
  const std::vector<float> x = random_floats(rows * latent);
  std::vector<float> out = x;
  const std::int64_t first[] = {0, rows};
  return time(kernels_.expert_mlp, ops::ExpertMlpArgs{x.data(), pool.experts.data(), first, 4.0F,
                                                      25.0F, out.data(), 1, latent, width});
}

Sample OperatorBench::combine(Point at) {
  constexpr std::int64_t kTopK = 16;
  const std::int64_t tokens = whole(at[0]);
  const std::int64_t width = whole(at[1]);
  const std::vector<float> x = random_floats(tokens * kTopK * width);
  const std::vector<std::int32_t> row = scattered(tokens * kTopK, tokens * kTopK);
  const std::vector<float> weights = random_floats(tokens * kTopK);
  std::vector<float> out(static_cast<std::size_t>(tokens * width));
  return time(kernels_.combine, ops::CombineArgs{x.data(), row.data(), weights.data(), out.data(),
                                                 tokens, kTopK, width});
}

Sample OperatorBench::pack(Point at) {
  constexpr int kTopK = 16;
  constexpr int kExperts = 896;
  constexpr int kRanks = 8;
  const std::int64_t copies = whole(at[0]);
  const Placement placement = Placement::contiguous(1, kExperts, kRanks);
  const std::vector<std::int32_t> ids = scattered(copies, kExperts);
  const std::vector<float> weights = random_floats(copies);
  std::vector<TokenPosition> tokens;
  for (std::int64_t t = 0; t < copies / kTopK; ++t)
    tokens.push_back({.sequence = 0, .position = t});
  SendPlan plan;
  const PackInput input{.placement = placement,
                        .moe_layer = 0,
                        .tokens = tokens,
                        .ids = ids,
                        .weights = weights,
                        .top_k = kTopK,
                        .dedup = true,
                        .reduce = CombineReduce::none};
  return measure([&] { pack_copies(input, plan); }, budget_);
}

Sample OperatorBench::order(Point at) {
  const std::int64_t copies = whole(at[0]);
  const std::int64_t slots = whole(at[1]);
  ReceivePlan plan;
  plan.copies = plan.groups = plan.rows = {copies};
  const std::vector<std::int32_t> slot = scattered(copies, slots);
  for (std::int64_t i = 0; i < copies; ++i) {
    plan.headers.push_back({.slot = slot[static_cast<std::size_t>(i)],
                            .group = static_cast<std::int32_t>(i),
                            .weight = 0});
  }
  // NOTE: the headers above are what it checks, so that it cannot fail.
  return measure([&] { (void)order_copies(0, static_cast<int>(slots), RowCount::per_copy, plan); },
                 budget_);
}

}  // namespace k3::calibrate
