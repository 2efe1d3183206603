#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/unit/kernels_reference/ops_json.h"
#include "tests/unit/kernels_reference/random_data.h"

namespace k3::test {
namespace {

TEST(Operators, EmbedCopiesRowsOfEveryFormat) {
  const Reference reference;
  const std::array<std::int32_t, 3> ids{4, 0, 4};
  for (const auto format :
       {ops::WeightFormat::f32, ops::WeightFormat::bf16, ops::WeightFormat::mxfp4}) {
    const RandomMatrix table(format, 5, 64, 1);
    std::vector<float> out(3 * 64);
    reference.kernels.embed(
        {.ids = ids.data(), .table = table.view(), .out = out.data(), .tokens = 3},
        *reference.stream);
    for (std::size_t i = 0; i < out.size(); ++i) {
      EXPECT_EQ(out[i], table.at(ids[i / 64], static_cast<std::int64_t>(i % 64)));
    }
  }
}

TEST(Operators, ArgmaxTakesTheLowestOfEqualLogits) {
  const Reference reference;
  const std::vector<float> logits{1, 5, 5, 2, -1, -3, -1, -1};
  std::array<std::int32_t, 2> ids{};
  reference.kernels.argmax({.logits = logits.data(), .ids = ids.data(), .tokens = 2, .vocab = 4},
                           *reference.stream);
  EXPECT_EQ(ids, (std::array<std::int32_t, 2>{1, 0}));
}

TEST(Operators, RouterPrefersTheLowerExpertOnATie) {
  const Reference reference;
  const std::vector<float> logits{0, 1, 1, 1, 0};
  const std::vector<float> bias(5);
  std::array<std::int32_t, 2> ids{};
  std::array<float, 2> weights{};
  float margin = -1;
  ops::RouteArgs args{.logits = logits.data(),
                      .bias = bias.data(),
                      .forced = nullptr,
                      .function = ops::ScoreFunction::sigmoid,
                      .renormalize = true,
                      .scaling = 1,
                      .ids = ids.data(),
                      .weights = weights.data(),
                      .margin = &margin,
                      .tokens = 1,
                      .experts = 5,
                      .top_k = 2};
  reference.kernels.route(args, *reference.stream);
  EXPECT_EQ(ids, (std::array<std::int32_t, 2>{1, 2}));
  EXPECT_EQ(weights, (std::array<float, 2>{0.5F, 0.5F}));
  EXPECT_EQ(margin, 0.0F);
}

TEST(Operators, RouterMarginIsInfiniteWhenAllAreChosenAndNanScoresComeLast) {
  const Reference reference;
  const std::vector<float> logits{std::nanf(""), -2, 3};
  const std::vector<float> bias(3);
  std::array<std::int32_t, 3> ids{};
  std::array<float, 3> weights{};
  float margin = 0;
  reference.kernels.route({.logits = logits.data(),
                           .bias = bias.data(),
                           .forced = nullptr,
                           .function = ops::ScoreFunction::sigmoid,
                           .renormalize = false,
                           .scaling = 1,
                           .ids = ids.data(),
                           .weights = weights.data(),
                           .margin = &margin,
                           .tokens = 1,
                           .experts = 3,
                           .top_k = 3},
                          *reference.stream);
  EXPECT_EQ(ids, (std::array<std::int32_t, 3>{2, 1, 0}));
  EXPECT_TRUE(std::isinf(margin));
}

TEST(Operators, SoftmaxRouterWeightsSumToOneOverAllExperts) {
  const Reference reference;
  const std::vector<float> logits{std::log(1.0F), std::log(2.0F), std::log(5.0F)};
  const std::vector<float> bias{0.9F, 0, 0};  // chooses expert 0, weighs it by its own score
  std::array<std::int32_t, 2> ids{};
  std::array<float, 2> weights{};
  reference.kernels.route({.logits = logits.data(),
                           .bias = bias.data(),
                           .forced = nullptr,
                           .function = ops::ScoreFunction::softmax,
                           .renormalize = false,
                           .scaling = 1,
                           .ids = ids.data(),
                           .weights = weights.data(),
                           .margin = nullptr,
                           .tokens = 1,
                           .experts = 3,
                           .top_k = 2},
                          *reference.stream);
  EXPECT_EQ(ids, (std::array<std::int32_t, 2>{0, 2}));
  EXPECT_FLOAT_EQ(weights[0], 1.0F / 8);
  EXPECT_FLOAT_EQ(weights[1], 5.0F / 8);
}

TEST(Operators, CombineAddsInRouterOrder) {
  const Reference reference;
  // Rows 0, 1, 2 of width 2; 1e8 + 1 − 1e8 is 0 in this order in float32.
  const std::vector<float> x{1e8F, 1, 1, 2, -1e8F, 3};
  const std::array<std::int32_t, 3> row{0, 1, 2};
  const std::array<float, 3> weights{1, 1, 1};
  std::array<float, 2> out{};
  reference.kernels.combine({.x = x.data(),
                             .row = row.data(),
                             .weights = weights.data(),
                             .out = out.data(),
                             .tokens = 1,
                             .top_k = 3,
                             .width = 2},
                            *reference.stream);
  EXPECT_EQ(out, (std::array<float, 2>{0, 6}));
}

TEST(Operators, ExpertMlpIsThreeProductsAroundSitu) {
  const Reference reference;
  const auto linear = [&](const std::vector<float>& x, const RandomMatrix& weight,
                          std::int64_t rows) {
    std::vector<float> out(static_cast<std::size_t>(rows));
    reference.kernels.linear(
        {.x = x.data(), .weight = weight.view(), .out = out.data(), .tokens = 1},
        *reference.stream);
    return out;
  };
  constexpr auto kFormat = ops::WeightFormat::mxfp4;
  const RandomMatrix w1(kFormat, 64, 32, 2);
  const RandomMatrix w3(kFormat, 64, 32, 3);
  const RandomMatrix w2(kFormat, 32, 64, 4);
  const ops::ExpertWeights idle{};  // experts without rows are not touched
  const std::array<ops::ExpertWeights, 3> experts{
      idle, {.w1 = w1.view(), .w3 = w3.view(), .w2 = w2.view()}, idle};
  const std::array<std::int64_t, 4> first_row{0, 0, 1, 1};
  const std::vector<float> x = random_values(32, 5);
  std::vector<float> out(32);
  reference.kernels.expert_mlp({.x = x.data(),
                                .experts = experts.data(),
                                .first_row = first_row.data(),
                                .beta = 4,
                                .linear_beta = 0,
                                .out = out.data(),
                                .num_experts = 3,
                                .latent = 32,
                                .width = 64},
                               *reference.stream);
  std::vector<float> gate = linear(x, w1, 64);
  const std::vector<float> up = linear(x, w3, 64);
  reference.kernels.situ({.gate = gate.data(),
                          .up = up.data(),
                          .beta = 4,
                          .linear_beta = 0,
                          .out = gate.data(),
                          .elements = 64},
                         *reference.stream);
  EXPECT_EQ(out, linear(gate, w2, 32));
}

TEST(Operators, KdaOutputNormalisesBeforeTheGate) {
  const Reference reference;
  // mean of squares 12.5: 3/sqrt(12.5) · 2 · sigmoid(0), 4/sqrt(12.5) · 1 · sigmoid(ln 3)
  std::vector<float> o{3, 4};
  const std::vector<float> gate{0, std::log(3.0F)};
  const std::vector<float> weight{2, 1};
  reference.kernels.kda_output({.o = o.data(),
                                .gate = gate.data(),
                                .weight = weight.data(),
                                .eps = 0,
                                .out = o.data(),
                                .tokens = 1,
                                .heads = 1,
                                .dim = 2},
                               *reference.stream);
  EXPECT_FLOAT_EQ(o[0], static_cast<float>(3 / std::sqrt(12.5)));
  EXPECT_FLOAT_EQ(o[1], static_cast<float>(3 / std::sqrt(12.5)));
}

TEST(Operators, ConvolutionKeepsSequencesApart) {
  const Reference reference;
  // One channel, two taps: y = silu(x[t − 1] + 10 x[t]). Sequences of 2, 0 and 1 tokens.
  const std::vector<float> weight{1, 10};
  const std::vector<float> x{1, 2, 3};
  std::array<float, 3> history{100, 200, 300};
  const std::array<float*, 3> histories{&history[0], &history[1], &history[2]};
  const std::array<std::int32_t, 4> first_token{0, 2, 2, 3};
  std::vector<float> out(3);
  reference.kernels.short_conv({.x = x.data(),
                                .weight = weight.data(),
                                .history = histories.data(),
                                .first_token = first_token.data(),
                                .out = out.data(),
                                .sequences = 3,
                                .channels = 1,
                                .taps = 2},
                               *reference.stream);
  // silu(v) = v to float32 precision for v >= 20
  EXPECT_EQ(out[0], 110.0F);
  EXPECT_FLOAT_EQ(out[1], 21.0F);
  EXPECT_EQ(out[2], 330.0F);
  EXPECT_EQ(history, (std::array<float, 3>{2, 200, 3}));
}

TEST(Operators, GatherAddAndSigmoid) {
  const Reference reference;
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const std::array<std::int32_t, 2> rows{2, 0};
  std::vector<float> out(4);
  reference.kernels.gather_rows(
      {.x = x.data(), .rows = rows.data(), .out = out.data(), .count = 2, .width = 2},
      *reference.stream);
  EXPECT_EQ(out, (std::vector<float>{5, 6, 1, 2}));
  reference.kernels.add({.a = out.data(), .b = x.data(), .out = out.data(), .elements = 4},
                        *reference.stream);
  EXPECT_EQ(out, (std::vector<float>{6, 8, 4, 6}));
  std::vector<float> gate{0, std::log(3.0F)};
  reference.kernels.sigmoid({.x = gate.data(), .elements = 2}, *reference.stream);
  EXPECT_EQ(gate[0], 0.5F);
  EXPECT_FLOAT_EQ(gate[1], 0.75F);
}

TEST(Operators, NoTokensIsNoWork) {
  const Reference reference;
  Stream& stream = *reference.stream;
  const RandomMatrix weight(ops::WeightFormat::bf16, 4, 4, 1);
  const ops::Vector norm{.data = weight.view().data, .format = ops::WeightFormat::bf16, .size = 4};
  reference.kernels.embed({.ids = nullptr, .table = weight.view(), .out = nullptr, .tokens = 0},
                          stream);
  reference.kernels.linear({.x = nullptr, .weight = weight.view(), .out = nullptr, .tokens = 0},
                           stream);
  reference.kernels.rms_norm({.x = nullptr, .weight = norm, .eps = 1, .out = nullptr, .tokens = 0},
                             stream);
  reference.kernels.situ({}, stream);
  reference.kernels.add({}, stream);
  reference.kernels.sigmoid({}, stream);
  reference.kernels.sigmoid_gate({}, stream);
  reference.kernels.gather_rows({}, stream);
  reference.kernels.argmax({}, stream);
  reference.kernels.attn_res_mix({.sources = nullptr,
                                  .num_sources = 0,
                                  .norm = norm,
                                  .proj = norm,
                                  .eps = 1,
                                  .out = nullptr,
                                  .tokens = 0},
                                 stream);
  reference.kernels.short_conv({}, stream);
  reference.kernels.kda_gate({}, stream);
  reference.kernels.kda_recurrence({}, stream);
  reference.kernels.kda_output({}, stream);
  reference.kernels.mla_cache({}, stream);
  reference.kernels.mla_absorbed({}, stream);
  reference.kernels.mla_expanded({}, stream);
  reference.kernels.route({}, stream);
  reference.kernels.expert_mlp({}, stream);
  reference.kernels.combine({}, stream);
}

}  // namespace
}  // namespace k3::test
