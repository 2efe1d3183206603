#include "engine/routing/routing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace k3 {
namespace {

using testing::HasSubstr;

std::vector<TokenPosition> positions(int sequences, std::int64_t tokens) {
  std::vector<TokenPosition> result;
  for (int s = 0; s < sequences; ++s) {
    for (std::int64_t p = 0; p < tokens; ++p)
      result.push_back({s, p});
  }
  return result;
}

std::vector<std::uint16_t> choice(const StepRouting& routing, int layer, int token) {
  const auto span = routing.choice(layer, token);
  return {span.begin(), span.end()};
}

/// Chi-square of ordered pairs against successive draws: P(i, j) = p_i · p_j / (1 − p_i).
double pair_chi_square(const std::vector<double>& popularity, std::uint64_t seed, int tokens) {
  const int experts = static_cast<int>(popularity.size());
  const auto routing = make_popularity_routing({1, experts, 2}, popularity, seed);
  const StepRouting step = routing->step(0, positions(1, tokens)).value();
  std::map<std::pair<int, int>, double> seen;
  for (int t = 0; t < tokens; ++t)
    ++seen[{step.choice(0, t)[0], step.choice(0, t)[1]}];
  const double total = std::accumulate(popularity.begin(), popularity.end(), 0.0);
  double chi_square = 0;
  for (int i = 0; i < experts; ++i) {
    for (int j = 0; j < experts; ++j) {
      if (i == j) continue;
      const double p = popularity[static_cast<std::size_t>(i)] / total;
      const double q = popularity[static_cast<std::size_t>(j)] / total;
      const double expected = tokens * p * q / (1 - p);
      const double difference = seen[{i, j}] - expected;
      chi_square += difference * difference / expected;
    }
  }
  return chi_square;
}

TEST(PopularityRouting, FollowsTheLawOfSuccessiveDraws) {
  // 20 ordered pairs, 19 degrees of freedom: 43.8 is exceeded with probability 0.001.
  EXPECT_LT(pair_chi_square({5, 1, 2, 0.5, 1.5}, 1, 200'000), 43.8);
}

TEST(PopularityRouting, FollowsTheLawBehindADominantExpert) {
  // Expert 0 takes 99.4 % of the words, so that the draw over the residual weights decides most
  // second choices: given expert 0 first, the others follow 1 : 2 : 3. 13.8: two degrees, 0.001.
  const auto routing = make_popularity_routing({1, 4, 2}, {100'000, 1, 2, 3}, 2);
  const int tokens = 60'000;
  const StepRouting step = routing->step(0, positions(1, tokens)).value();
  std::vector<double> seen(4);
  for (int t = 0; t < tokens; ++t) {
    if (step.choice(0, t)[0] == 0) ++seen[step.choice(0, t)[1]];
  }
  const double total = seen[1] + seen[2] + seen[3];
  EXPECT_GT(total, tokens * 0.99);
  double chi_square = 0;
  for (std::size_t e = 1; e < 4; ++e) {
    const double expected = total * static_cast<double>(e) / 6;
    chi_square += (seen[e] - expected) * (seen[e] - expected) / expected;
  }
  EXPECT_LT(chi_square, 13.8);
}

TEST(PopularityRouting, ChoosesDistinctExperts) {
  const RoutingShape shape{3, 20, 16};
  const auto routing = make_popularity_routing(shape, zipf_popularity(shape, 3, 7), 7);
  const StepRouting step = routing->step(0, positions(4, 50)).value();
  for (int layer = 0; layer < 3; ++layer) {
    for (int t = 0; t < step.num_tokens; ++t) {
      const auto chosen = choice(step, layer, t);
      EXPECT_EQ(std::set(chosen.begin(), chosen.end()).size(), 16U);
      EXPECT_LT(*std::max_element(chosen.begin(), chosen.end()), 20);
    }
  }
}

TEST(PopularityRouting, ZeroPopularityIsNeverChosen) {
  const auto routing = make_popularity_routing({1, 5, 3}, {0, 1e9, 1, 0, 1e-9}, 3);
  const StepRouting step = routing->step(0, positions(1, 500)).value();
  for (int t = 0; t < step.num_tokens; ++t) {
    EXPECT_EQ(std::ranges::count(step.choice(0, t), 0), 0);
    EXPECT_EQ(std::ranges::count(step.choice(0, t), 3), 0);
  }
}

TEST(PopularityRouting, DrawDependsOnSeedLayerSequenceAndPositionOnly) {
  const RoutingShape shape{2, 64, 4};
  const auto popularity = lognormal_popularity(shape, 0.5, 1);
  const auto routing = make_popularity_routing(shape, popularity, 1);
  const StepRouting all = routing->step(0, positions(3, 10)).value();
  const StepRouting one = routing->step(5, std::vector<TokenPosition>{{2, 4}}).value();
  for (int layer = 0; layer < 2; ++layer) {
    EXPECT_EQ(choice(one, layer, 0), choice(all, layer, 24));
    EXPECT_NE(choice(one, layer, 0), choice(all, layer, 23));
  }
  EXPECT_NE(choice(one, 0, 0), choice(one, 1, 0));
  const StepRouting other_seed =
      make_popularity_routing(shape, popularity, 2)->step(0, positions(3, 10)).value();
  EXPECT_NE(other_seed.experts, all.experts);
}

TEST(Popularity, ZipfIsAPermutationPerLayer) {
  const auto popularity = zipf_popularity({2, 50, 2}, 0.8, 4);
  std::vector<double> first(popularity.begin(), popularity.begin() + 50);
  std::vector<double> second(popularity.begin() + 50, popularity.end());
  EXPECT_NE(first, second);
  std::ranges::sort(first, std::greater{});
  std::ranges::sort(second, std::greater{});
  EXPECT_EQ(first, second);
  for (int i = 0; i < 50; ++i) {
    EXPECT_NEAR(first[static_cast<std::size_t>(i)], std::pow(i + 1, -0.8), 1e-12);
  }
}

TEST(Popularity, LayersDoNotDependOnTheNumberOfLayers) {
  const auto few = lognormal_popularity({2, 50, 2}, 0.3, 4);
  const auto more = lognormal_popularity({3, 50, 2}, 0.3, 4);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), more.begin()));
}

TEST(Popularity, LognormalHasTheStatedSigma) {
  const int experts = 20'000;
  const auto popularity = lognormal_popularity({1, experts, 2}, 0.3, 9);
  double sum = 0;
  double squares = 0;
  for (const double p : popularity) {
    sum += std::log(p);
    squares += std::log(p) * std::log(p);
  }
  const double mean = sum / experts;
  EXPECT_NEAR(std::sqrt(squares / experts - mean * mean), 0.3, 0.005);
}

TEST(Popularity, ExtremeParametersStayPositiveAndFinite) {
  for (const auto& popularity :
       {zipf_popularity({1, 896, 16}, 500, 1), lognormal_popularity({1, 896, 16}, 1e6, 1)}) {
    for (const double p : popularity) {
      EXPECT_GT(p, 0);
      EXPECT_TRUE(std::isfinite(p));
    }
    const auto routing = make_popularity_routing({1, 896, 16}, popularity, 1);
    EXPECT_TRUE(routing->step(0, positions(1, 2)).has_value());
  }
}

TEST(RecordedRouting, ReplaysAndRefusesWhatDoesNotMatch) {
  StepRouting step(1, 2, 2);
  step.experts = {0, 3, 2, 1};
  const auto routing = make_recorded_routing({1, 4, 2}, {step});
  EXPECT_EQ(routing->step(0, positions(1, 2)).value().experts, step.experts);
  EXPECT_THAT(routing->step(1, positions(1, 2)).error().text(), HasSubstr("holds 1 steps"));
  EXPECT_THAT(routing->step(0, positions(1, 3)).error().text(), HasSubstr("this step has 3"));

  const auto other_model = make_recorded_routing({2, 4, 2}, {step});
  EXPECT_THAT(other_model->step(0, positions(1, 2)).error().text(),
              HasSubstr("recorded 1 MoE layers with top-2; the model has 2"));
  const auto fewer_experts = make_recorded_routing({1, 3, 2}, {step});
  EXPECT_THAT(fewer_experts->step(0, positions(1, 2)).error().text(), HasSubstr("expert 3"));
  step.experts = {0, 0, 2, 1};
  const auto twice = make_recorded_routing({1, 4, 2}, {step});
  EXPECT_THAT(twice->step(0, positions(1, 2)).error().text(), HasSubstr("expert 0 twice"));
}

}  // namespace
}  // namespace k3
