#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/rng.h"
#include "engine/routing/alias_table.h"
#include "engine/routing/routing.h"

namespace k3 {

namespace {

/// Rejected words in a row after which the residual weights are summed instead: by then the chosen
/// experts hold nearly all of the popularity.
constexpr int kMostRejections = 64;

/// Successive draws from an alias table, those of a chosen expert rejected: what remains is
/// proportional to the popularity of the others, which is the law of Gumbel top-k on ln popularity.
class PopularityRouting final : public Routing {
 public:
  PopularityRouting(const RoutingShape& shape, std::vector<double> popularity, std::uint64_t seed)
      : shape_(shape),
        popularity_(std::move(popularity)),
        seed_(Rng(seed).split("expert choice").next()) {
    tables_.reserve(static_cast<std::size_t>(shape.num_layers));
    for (int layer = 0; layer < shape.num_layers; ++layer)
      tables_.emplace_back(weights(layer));
  }

  Result<StepRouting> step(int /*step*/, std::span<const TokenPosition> tokens) const override {
    StepRouting routing(shape_.num_layers, static_cast<int>(tokens.size()), shape_.top_k);
    std::vector<std::uint32_t> chosen_by(static_cast<std::size_t>(shape_.num_experts));
    for (int layer = 0; layer < shape_.num_layers; ++layer) {
      std::fill(chosen_by.begin(), chosen_by.end(), 0);
      for (int token = 0; token < routing.num_tokens; ++token) {
        const TokenPosition& t = tokens[static_cast<std::size_t>(token)];
        const std::uint64_t key = hash_words(seed_, layer, t.sequence, t.position);
        choose(layer, Rng(key), static_cast<std::uint32_t>(token) + 1, chosen_by,
               routing.choice(layer, token));
      }
    }
    return routing;
  }

 private:
  std::span<const double> weights(int layer) const {
    const auto experts = static_cast<std::size_t>(shape_.num_experts);
    return std::span(popularity_).subspan(static_cast<std::size_t>(layer) * experts, experts);
  }

  /// `chosen_by[e] == mark` means that this token has chosen expert e.
  void choose(int layer,
              Rng rng,
              std::uint32_t mark,
              std::span<std::uint32_t> chosen_by,
              std::span<std::uint16_t> choice) const {
    const AliasTable& table = tables_[static_cast<std::size_t>(layer)];
    for (std::uint16_t& place : choice) {
      std::uint32_t expert = table.draw(rng.next());
      for (int rejected = 0; chosen_by[expert] == mark; ++rejected) {
        expert = rejected < kMostRejections ? table.draw(rng.next())
                                            : draw_residual(layer, rng.uniform(), mark, chosen_by);
      }
      chosen_by[expert] = mark;
      place = static_cast<std::uint16_t>(expert);
    }
  }

  /// One exact draw over the experts not chosen yet.
  std::uint32_t draw_residual(int layer,
                              double u,
                              std::uint32_t mark,
                              std::span<const std::uint32_t> chosen_by) const {
    const std::span<const double> weight = weights(layer);
    double total = 0;
    for (std::size_t e = 0; e < weight.size(); ++e)
      total += chosen_by[e] == mark ? 0 : weight[e];
    double rest = u * total;
    std::size_t last = 0;
    for (std::size_t e = 0; e < weight.size(); ++e) {
      if (chosen_by[e] == mark || weight[e] <= 0) continue;
      last = e;
      rest -= weight[e];
      if (rest < 0) break;
    }
    return static_cast<std::uint32_t>(last);
  }

  RoutingShape shape_;
  std::vector<double> popularity_;
  std::uint64_t seed_;
  std::vector<AliasTable> tables_;
};

}  // namespace

std::unique_ptr<Routing> make_popularity_routing(const RoutingShape& shape,
                                                 std::vector<double> popularity,
                                                 std::uint64_t seed) {
  const auto experts = static_cast<std::size_t>(shape.num_experts);
  K3_CHECK(popularity.size() == static_cast<std::size_t>(shape.num_layers) * experts,
           "{} popularities for {} layers of {} experts", popularity.size(), shape.num_layers,
           shape.num_experts);
  for (std::size_t first = 0; first < popularity.size(); first += experts) {
    const std::span<const double> row = std::span(popularity).subspan(first, experts);
    K3_CHECK(
        std::all_of(row.begin(), row.end(), [](double w) { return w >= 0 && std::isfinite(w); }),
        "layer {}", first / experts);
    K3_CHECK(std::count_if(row.begin(), row.end(), [](double w) { return w > 0; }) >= shape.top_k,
             "layer {}", first / experts);
  }
  return std::make_unique<PopularityRouting>(shape, std::move(popularity), seed);
}

}  // namespace k3
