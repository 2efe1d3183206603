#include <algorithm>
#include <array>
#include <functional>

#include <gtest/gtest.h>

#include "tests/unit/kernels_reference/ops_json.h"
#include "tests/unit/kernels_reference/random_data.h"

// Every operator gives a row the same bits whatever the batch: all rows in one call, or one by one.
namespace k3::test {
namespace {

constexpr std::int64_t kTokens = 11;
constexpr std::int64_t kWidth = 40;

/// Runs `call(first token, tokens, out)` once for everything and once per token.
void expect_independent(std::int64_t out_width,
                        const std::function<void(std::int64_t, std::int64_t, float*)>& call) {
  std::vector<float> together(static_cast<std::size_t>(kTokens * out_width));
  std::vector<float> apart(together.size());
  call(0, kTokens, together.data());
  for (std::int64_t t = 0; t < kTokens; ++t)
    call(t, 1, apart.data() + t * out_width);
  EXPECT_EQ(together, apart);
  EXPECT_NE(together, std::vector<float>(together.size()));
}

TEST(Batch, Linear) {
  const Reference reference;
  const std::vector<float> x = random_values(kTokens * 64, 1);
  for (const auto format :
       {ops::WeightFormat::f32, ops::WeightFormat::bf16, ops::WeightFormat::mxfp4}) {
    const RandomMatrix weight(format, 37, 64, 2);
    expect_independent(37, [&](std::int64_t first, std::int64_t count, float* out) {
      reference.kernels.linear(
          {.x = x.data() + first * 64, .weight = weight.view(), .out = out, .tokens = count},
          *reference.stream);
    });
  }
}

TEST(Batch, NormAndMix) {
  const Reference reference;
  const std::vector<float> x = random_values(kTokens * kWidth, 3);
  const std::vector<float> y = random_values(kTokens * kWidth, 4);
  const std::vector<float> weight = random_values(kWidth, 5);
  expect_independent(kWidth, [&](std::int64_t first, std::int64_t count, float* out) {
    reference.kernels.rms_norm({.x = x.data() + first * kWidth,
                                .weight = f32_vector(weight),
                                .eps = 1e-5F,
                                .out = out,
                                .tokens = count},
                               *reference.stream);
  });
  expect_independent(kWidth, [&](std::int64_t first, std::int64_t count, float* out) {
    const std::array<const float*, 2> sources{x.data() + first * kWidth, y.data() + first * kWidth};
    reference.kernels.attn_res_mix({.sources = sources.data(),
                                    .num_sources = 2,
                                    .norm = f32_vector(weight),
                                    .proj = f32_vector(weight),
                                    .eps = 1e-5F,
                                    .out = out,
                                    .tokens = count},
                                   *reference.stream);
  });
}

TEST(Batch, ElementwiseInAnyPieces) {
  const Reference reference;
  const std::vector<float> gate = random_values(kTokens * kWidth, 6);
  const std::vector<float> up = random_values(kTokens * kWidth, 7);
  expect_independent(kWidth, [&](std::int64_t first, std::int64_t count, float* out) {
    reference.kernels.situ({.gate = gate.data() + first * kWidth,
                            .up = up.data() + first * kWidth,
                            .beta = 4,
                            .linear_beta = 25,
                            .out = out,
                            .elements = count * kWidth},
                           *reference.stream);
  });
  expect_independent(kWidth, [&](std::int64_t first, std::int64_t count, float* out) {
    std::copy_n(up.data() + first * kWidth, count * kWidth, out);
    reference.kernels.sigmoid_gate(
        {.x = out, .gate = gate.data() + first * kWidth, .elements = count * kWidth},
        *reference.stream);
  });
}

TEST(Batch, Router) {
  const Reference reference;
  constexpr std::int64_t kExperts = 50;
  constexpr std::int64_t kChosen = 6;
  const std::vector<float> logits = random_values(kTokens * kExperts, 8);
  const std::vector<float> bias(static_cast<std::size_t>(kExperts));
  std::vector<std::int32_t> ids(static_cast<std::size_t>(kTokens * kChosen));
  for (const auto function : {ops::ScoreFunction::sigmoid, ops::ScoreFunction::softmax}) {
    expect_independent(kChosen, [&](std::int64_t first, std::int64_t count, float* out) {
      reference.kernels.route({.logits = logits.data() + first * kExperts,
                               .bias = bias.data(),
                               .forced = nullptr,
                               .function = function,
                               .renormalize = true,
                               .scaling = 2.5F,
                               .ids = ids.data(),
                               .weights = out,
                               .margin = nullptr,
                               .tokens = count,
                               .experts = kExperts,
                               .top_k = kChosen},
                              *reference.stream);
    });
  }
}

TEST(Batch, ExpertMlp) {
  const Reference reference;
  const RandomMatrix w1(ops::WeightFormat::mxfp4, 96, 64, 9);
  const RandomMatrix w3(ops::WeightFormat::mxfp4, 96, 64, 10);
  const RandomMatrix w2(ops::WeightFormat::mxfp4, 64, 96, 11);
  const ops::ExpertWeights expert{.w1 = w1.view(), .w3 = w3.view(), .w2 = w2.view()};
  const std::vector<float> x = random_values(kTokens * 64, 12);
  expect_independent(64, [&](std::int64_t first, std::int64_t count, float* out) {
    const std::array<std::int64_t, 2> first_row{0, count};
    reference.kernels.expert_mlp({.x = x.data() + first * 64,
                                  .experts = &expert,
                                  .first_row = first_row.data(),
                                  .beta = 4,
                                  .linear_beta = 25,
                                  .out = out,
                                  .num_experts = 1,
                                  .latent = 64,
                                  .width = 96},
                                 *reference.stream);
  });
}

TEST(Batch, RecurrenceAndConvolutionContinueTokenByToken) {
  const Reference reference;
  constexpr std::int64_t kHeads = 2;
  constexpr std::int64_t kKeys = 12;
  constexpr std::int64_t kValues = 20;
  const std::vector<float> keys = random_values(kTokens * kHeads * kKeys, 13);
  const std::vector<float> values = random_values(kTokens * kHeads * kValues, 14);
  std::vector<float> decay = random_values(kTokens * kHeads * kKeys, 15);
  for (float& g : decay)
    g -= 1;
  std::vector<float> state;
  expect_independent(kHeads * kValues, [&](std::int64_t first, std::int64_t count, float* out) {
    if (first == 0) state.assign(static_cast<std::size_t>(kHeads * kKeys * kValues), 0.25F);
    std::array<float*, 1> states{state.data()};
    const std::array<std::int32_t, 2> range{0, static_cast<std::int32_t>(count)};
    reference.kernels.kda_recurrence({.q = keys.data() + first * kHeads * kKeys,
                                      .k = keys.data() + first * kHeads * kKeys,
                                      .v = values.data() + first * kHeads * kValues,
                                      .g = decay.data() + first * kHeads * kKeys,
                                      .beta = values.data() + first * kHeads,
                                      .scale = 0.3F,
                                      .l2_eps = 1e-6F,
                                      .state = states.data(),
                                      .first_token = range.data(),
                                      .out = out,
                                      .sequences = 1,
                                      .heads = kHeads,
                                      .key_dim = kKeys,
                                      .value_dim = kValues},
                                     *reference.stream);
  });
  const std::vector<float> x = random_values(kTokens * kWidth, 16);
  const std::vector<float> taps = random_values(4 * kWidth, 17);
  std::vector<float> history;
  expect_independent(kWidth, [&](std::int64_t first, std::int64_t count, float* out) {
    if (first == 0) history.assign(static_cast<std::size_t>(3 * kWidth), 0.5F);
    std::array<float*, 1> histories{history.data()};
    const std::array<std::int32_t, 2> range{0, static_cast<std::int32_t>(count)};
    reference.kernels.short_conv({.x = x.data() + first * kWidth,
                                  .weight = taps.data(),
                                  .history = histories.data(),
                                  .first_token = range.data(),
                                  .out = out,
                                  .sequences = 1,
                                  .channels = kWidth,
                                  .taps = 4},
                                 *reference.stream);
  });
}

}  // namespace
}  // namespace k3::test
