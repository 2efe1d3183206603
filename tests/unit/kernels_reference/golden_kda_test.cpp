#include <cmath>

#include <gtest/gtest.h>

#include "tests/unit/kernels_reference/ops_json.h"

namespace k3::test {
namespace {

TEST(GoldenKda, GateMatchesAlsoWhereItSaturates) {
  K3_SHARED_OR_SKIP(shared);
  Reference reference;
  const json section = ops_section(shared, "kda_gate");
  std::vector<float> z;
  std::vector<float> bias;
  std::vector<float> a_log;
  std::vector<double> expected;
  for (const json& row : section.at("z_dtbias_Alog_g_alpha")) {
    z.push_back(row[0].get<float>());
    bias.push_back(row[1].get<float>());
    a_log.push_back(row[2].get<float>());
    expected.push_back(row[3].get<double>());
  }
  // One head per row, since A_log is per head.
  std::vector<float> g(z.size());
  reference.kernels.kda_gate({.z = z.data(),
                              .dt_bias = bias.data(),
                              .a_log = a_log.data(),
                              .lower_bound = section.at("lower_bound").get<float>(),
                              .g = g.data(),
                              .tokens = 1,
                              .heads = static_cast<std::int64_t>(z.size()),
                              .dim = 1},
                             *reference.stream);
  expect_close(g, expected);
  std::vector<double> alpha;
  std::vector<float> decay;
  for (std::size_t i = 0; i < g.size(); ++i) {
    decay.push_back(std::exp(g[i]));
    alpha.push_back(section.at("z_dtbias_Alog_g_alpha")[i][4].get<double>());
  }
  expect_close(decay, alpha);
}

void check_recurrence(const Reference& reference, const json& item) {
  SCOPED_TRACE(item.at("name").get<std::string>());
  const std::vector<float> q = floats(item.at("q"));
  const std::vector<float> k = floats(item.at("k"));
  const std::vector<float> v = floats(item.at("v"));
  const std::vector<float> g = floats(item.at("g"));
  const std::vector<float> beta = floats(item.at("beta"));
  std::vector<float> state = floats(item.at("S0"));
  std::vector<float> out(v.size());
  float* states[] = {state.data()};
  const std::int32_t first_token[] = {0, item.at("T").get<std::int32_t>()};
  reference.kernels.kda_recurrence({.q = q.data(),
                                    .k = k.data(),
                                    .v = v.data(),
                                    .g = g.data(),
                                    .beta = beta.data(),
                                    .scale = item.at("scale").get<float>(),
                                    .l2_eps = item.at("l2_eps").get<float>(),
                                    .state = states,
                                    .first_token = first_token,
                                    .out = out.data(),
                                    .sequences = 1,
                                    .heads = item.at("H").get<std::int64_t>(),
                                    .key_dim = item.at("K").get<std::int64_t>(),
                                    .value_dim = item.at("V").get<std::int64_t>()},
                                   *reference.stream);
  expect_close(out, numbers(item.at("o")));
  expect_close(state, numbers(item.at("S")));
}

TEST(GoldenKda, RecurrenceMatchesOutputAndState) {
  K3_SHARED_OR_SKIP(shared);
  const Reference reference;
  const json section = ops_section(shared, "kda_recurrence");
  ASSERT_EQ(section.at("cases").size(), 7U);
  for (const json& item : section.at("cases"))
    check_recurrence(reference, item);
}

TEST(GoldenKda, ShortConvMatchesOutputAndHistory) {
  K3_SHARED_OR_SKIP(shared);
  Reference reference;
  const json section = ops_section(shared, "short_conv");
  for (const json& item : section.at("cases")) {
    const std::vector<float> x = floats(item.at("x"));
    const std::vector<float> weight = floats(item.at("w"));
    std::vector<float> history = floats(item.at("hist"));
    std::vector<float> out(x.size());
    float* histories[] = {history.data()};
    const std::int32_t first_token[] = {0, item.at("T").get<std::int32_t>()};
    const auto channels = static_cast<std::int64_t>(item.at("w").size());
    reference.kernels.short_conv({.x = x.data(),
                                  .weight = weight.data(),
                                  .history = histories,
                                  .first_token = first_token,
                                  .out = out.data(),
                                  .sequences = 1,
                                  .channels = channels,
                                  .taps = static_cast<std::int64_t>(item.at("w")[0].size())},
                                 *reference.stream);
    expect_close(out, numbers(item.at("y")));
    EXPECT_EQ(history, floats(item.at("new_hist")));
  }
}

}  // namespace
}  // namespace k3::test
