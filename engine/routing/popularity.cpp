#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/rng.h"
#include "engine/routing/routing.h"

namespace k3 {

namespace {

std::size_t size_of(int count) {
  return static_cast<std::size_t>(count);
}

/// exp(x − max x), kept above 0: however extreme a distribution is, it stays a distribution.
void exponentiate(std::span<double> log_popularity) {
  const double largest = *std::max_element(log_popularity.begin(), log_popularity.end());
  for (double& x : log_popularity) {
    x = std::max(std::exp(x - largest), std::numeric_limits<double>::min());
  }
}

}  // namespace

std::vector<double> uniform_popularity(const RoutingShape& shape) {
  return std::vector<double>(size_of(shape.num_layers) * size_of(shape.num_experts), 1.0);
}

std::vector<double> zipf_popularity(const RoutingShape& shape,
                                    double exponent,
                                    std::uint64_t seed) {
  std::vector<double> popularity = uniform_popularity(shape);
  const Rng stream = Rng(seed).split("popularity");
  const std::size_t experts = size_of(shape.num_experts);
  for (std::size_t layer = 0; layer < size_of(shape.num_layers); ++layer) {
    const std::span<double> row = std::span(popularity).subspan(layer * experts, experts);
    for (std::size_t i = 0; i < experts; ++i) {
      row[i] = -exponent * std::log(static_cast<double>(i + 1));
    }
    exponentiate(row);
    Rng rng = stream.split(layer);
    for (std::size_t i = experts; i > 1; --i) {  // Fisher-Yates
      const auto other = static_cast<std::size_t>(rng.uniform() * static_cast<double>(i));
      std::swap(row[i - 1], row[other]);
    }
  }
  return popularity;
}

std::vector<double> lognormal_popularity(const RoutingShape& shape,
                                         double sigma,
                                         std::uint64_t seed) {
  std::vector<double> popularity = uniform_popularity(shape);
  const Rng stream = Rng(seed).split("popularity");
  const std::size_t experts = size_of(shape.num_experts);
  for (std::size_t layer = 0; layer < size_of(shape.num_layers); ++layer) {
    Rng rng = stream.split(layer);
    const std::span<double> row = std::span(popularity).subspan(layer * experts, experts);
    for (double& x : row)
      x = sigma * rng.normal();
    exponentiate(row);
  }
  return popularity;
}

}  // namespace k3
