#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.h"

namespace k3 {

/// A token of a step: which sequence, and its position in it. Steps list tokens sequence by
/// sequence, positions ascending; that order is "the global order".
struct TokenPosition {
  std::int32_t sequence = 0;
  std::int64_t position = 0;
};

/// Expert choices of one step: `top_k` distinct experts for every MoE layer and token.
struct StepRouting {
  int num_layers = 0;  ///< MoE layers, in order
  int num_tokens = 0;  ///< of all ranks, global order
  int top_k = 0;
  std::vector<std::uint16_t> experts;  ///< [num_layers, num_tokens, top_k]

  StepRouting() = default;

  StepRouting(int layers, int tokens, int k)
      : num_layers(layers),
        num_tokens(tokens),
        top_k(k),
        experts(static_cast<std::size_t>(layers) * static_cast<std::size_t>(tokens) *
                static_cast<std::size_t>(k)) {}

  std::span<std::uint16_t> choice(int moe_layer, int token) {
    return std::span(experts).subspan(offset(moe_layer, token), static_cast<std::size_t>(top_k));
  }

  std::span<const std::uint16_t> choice(int moe_layer, int token) const {
    return std::span(experts).subspan(offset(moe_layer, token), static_cast<std::size_t>(top_k));
  }

 private:
  std::size_t offset(int moe_layer, int token) const {
    return (static_cast<std::size_t>(moe_layer) * static_cast<std::size_t>(num_tokens) +
            static_cast<std::size_t>(token)) *
           static_cast<std::size_t>(top_k);
  }
};

/// Gives the expert choices of any step: drawn from a distribution or recorded. Pure: asking twice
/// gives the same answer, and a token's draw depends on seed, layer, sequence and position only.
class Routing {
 public:
  Routing() = default;
  virtual ~Routing() = default;
  Routing(const Routing&) = delete;
  Routing& operator=(const Routing&) = delete;
  Routing(Routing&&) = delete;
  Routing& operator=(Routing&&) = delete;

  /// Errors: kind does not match (other layers, experts, tokens) or the recording ends before
  /// `step`
  virtual Result<StepRouting> step(int step, std::span<const TokenPosition> tokens) const = 0;
};

struct RoutingShape {
  int num_layers = 0;  ///< MoE layers
  int num_experts = 0;
  int top_k = 0;
};

/// Popularity per MoE layer and expert, finite and not negative, at least `top_k` of every layer
/// positive; a token draws `top_k` distinct experts with probability proportional to popularity,
/// without replacement (the law of Gumbel top-k on ln popularity).
std::unique_ptr<Routing> make_popularity_routing(const RoutingShape& shape,
                                                 std::vector<double> popularity,
                                                 std::uint64_t seed);

/// [layers, experts]: all equal; rank^-exponent, shuffled per layer; exp(sigma · normal), per
/// layer.
std::vector<double> uniform_popularity(const RoutingShape& shape);
std::vector<double> zipf_popularity(const RoutingShape& shape, double exponent, std::uint64_t seed);
std::vector<double> lognormal_popularity(const RoutingShape& shape,
                                         double sigma,
                                         std::uint64_t seed);

/// Replays recorded steps.
std::unique_ptr<Routing> make_recorded_routing(const RoutingShape& shape,
                                               std::vector<StepRouting> steps);

}  // namespace k3
