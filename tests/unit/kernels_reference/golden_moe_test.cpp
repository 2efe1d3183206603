#include <gtest/gtest.h>

#include "tests/unit/kernels_reference/ops_json.h"

namespace k3::test {
namespace {

/// Logits of a router case: stored, or x · Wᵀ by the linear operator.
std::vector<float> router_logits(const Reference& reference, const json& item) {
  if (item.contains("logits")) return floats(item.at("logits"));
  const std::vector<float> x = floats(item.at("x"));
  const std::vector<float> weight = floats(item.at("W"));
  const auto tokens = static_cast<std::int64_t>(item.at("x").size());
  const auto experts = static_cast<std::int64_t>(item.at("W").size());
  std::vector<float> logits(static_cast<std::size_t>(tokens * experts));
  reference.kernels.linear({.x = x.data(),
                            .weight = f32_matrix(weight, experts),
                            .out = logits.data(),
                            .tokens = tokens},
                           *reference.stream);
  return logits;
}

struct Routed {
  std::vector<int> ids;
  std::vector<float> weights;
  std::vector<float> margin;
};

Routed routed(const Reference& reference, const json& item, const std::int32_t* forced) {
  const std::vector<float> logits = router_logits(reference, item);
  const std::vector<float> bias = floats(item.at("bias"));
  const auto top_k = item.at("k").get<std::int64_t>();
  const auto tokens = static_cast<std::int64_t>(logits.size() / bias.size());
  Routed result;
  result.ids.resize(static_cast<std::size_t>(tokens * top_k));
  result.weights.resize(result.ids.size());
  result.margin.resize(static_cast<std::size_t>(tokens), -1.0F);
  reference.kernels.route({.logits = logits.data(),
                           .bias = bias.data(),
                           .forced = forced,
                           .function = ops::ScoreFunction::sigmoid,
                           .renormalize = item.at("renormalise").get<bool>(),
                           .scaling = item.at("scaling").get<float>(),
                           .ids = result.ids.data(),
                           .weights = result.weights.data(),
                           .margin = result.margin.data(),
                           .tokens = tokens,
                           .experts = static_cast<std::int64_t>(bias.size()),
                           .top_k = top_k},
                          *reference.stream);
  return result;
}

TEST(GoldenMoe, RouterMatches) {
  K3_SHARED_OR_SKIP(shared);
  const Reference reference;
  for (const json& item : ops_section(shared, "router")) {
    const Routed result = routed(reference, item, nullptr);
    EXPECT_EQ(result.ids, integers(item.at("ids_by_falling_biased_score")));
    expect_close(result.weights, numbers(item.at("weights")));
    // A gap is a difference of two scores below 1: rounding is relative to the scores.
    const std::vector<double> margin = numbers(item.at("margin"));
    ASSERT_EQ(result.margin.size(), margin.size());
    for (std::size_t t = 0; t < margin.size(); ++t)
      EXPECT_NEAR(result.margin[t], margin[t], 5e-7);
  }
}

TEST(GoldenMoe, ForcedIdsGiveTheSameWeightsAndLeaveTheMargin) {
  K3_SHARED_OR_SKIP(shared);
  const Reference reference;
  for (const json& item : ops_section(shared, "router")) {
    const Routed free = routed(reference, item, nullptr);
    const Routed forced = routed(reference, item, free.ids.data());
    EXPECT_EQ(forced.ids, free.ids);
    EXPECT_EQ(forced.weights, free.weights);
    EXPECT_EQ(forced.margin, std::vector<float>(free.margin.size(), -1.0F));
  }
}

}  // namespace
}  // namespace k3::test
