#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "kernels/reference/operators.h"
#include "kernels/reference/pointwise.h"
#include "kernels/reference/product.h"

namespace k3::reference {
namespace {

/// Orders experts by biased score, falling, the lower expert first on a tie; NaN comes last.
std::uint64_t sort_key(float biased, std::int64_t expert) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(biased + 0.0F);  // −0 becomes +0
  bits = (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
  if (std::isnan(biased)) bits = 0;
  return static_cast<std::uint64_t>(bits) << 32 |
         (0xffffffffU - static_cast<std::uint32_t>(expert));
}

std::int32_t expert_of(std::uint64_t key) {
  return static_cast<std::int32_t>(0xffffffffU - static_cast<std::uint32_t>(key));
}

/// Scores and order of one token's experts.
class Router {
 public:
  explicit Router(const ops::RouteArgs& args)
      : args_(args),
        scores_(static_cast<std::size_t>(args.experts)),
        keys_(static_cast<std::size_t>(args.experts)) {}

  void route(std::int64_t token) {
    score(token);
    if (args_.forced == nullptr) {
      choose(token);
    } else {
      std::copy_n(args_.forced + token * args_.top_k, args_.top_k, args_.ids + token * args_.top_k);
    }
    weigh(token);
  }

 private:
  float score_of(std::int32_t expert) const { return scores_[static_cast<std::size_t>(expert)]; }

  float biased(std::uint64_t key) const {
    const std::int32_t expert = expert_of(key);
    return score_of(expert) + args_.bias[expert];
  }

  void score(std::int64_t token) {
    const std::span<const float> logits(args_.logits + token * args_.experts, scores_.size());
    if (args_.function == ops::ScoreFunction::sigmoid) {
      sigmoid_row(logits, scores_.data());
    } else {
      std::copy(logits.begin(), logits.end(), scores_.begin());
      softmax_row(scores_);
    }
  }

  void choose(std::int64_t token) {
    for (std::int64_t e = 0; e < args_.experts; ++e) {
      const auto i = static_cast<std::size_t>(e);
      keys_[i] = sort_key(scores_[i] + args_.bias[e], e);
    }
    // NOTE: one more than chosen, for the margin.
    const std::int64_t sorted = std::min(args_.top_k + 1, args_.experts);
    std::partial_sort(keys_.begin(), keys_.begin() + sorted, keys_.end(), std::greater<>());
    for (std::int64_t j = 0; j < args_.top_k; ++j) {
      args_.ids[token * args_.top_k + j] = expert_of(keys_[static_cast<std::size_t>(j)]);
    }
    if (args_.margin == nullptr) return;
    const auto k = static_cast<std::size_t>(args_.top_k);
    args_.margin[token] = args_.experts > args_.top_k ? biased(keys_[k - 1]) - biased(keys_[k])
                                                      : std::numeric_limits<float>::infinity();
  }

  void weigh(std::int64_t token) {
    const std::int32_t* ids = args_.ids + token * args_.top_k;
    float* weights = args_.weights + token * args_.top_k;
    float sum = 0;
    for (std::int64_t j = 0; j < args_.top_k; ++j) {
      weights[j] = score_of(ids[j]);
      sum += weights[j];
    }
    const float divisor = args_.renormalize && args_.top_k > 1 ? sum + 1e-20F : 1.0F;
    for (std::int64_t j = 0; j < args_.top_k; ++j) {
      weights[j] = weights[j] / divisor * args_.scaling;
    }
  }

  const ops::RouteArgs& args_;
  std::vector<float> scores_;
  std::vector<std::uint64_t> keys_;
};

RowRange all_rows(const ops::Matrix& matrix) {
  return {.first = 0, .count = matrix.rows};
}

}  // namespace

void route(const ops::RouteArgs& args, Stream&) {
  Router router(args);
  for (std::int64_t t = 0; t < args.tokens; ++t)
    router.route(t);
}

void expert_mlp(const ops::ExpertMlpArgs& args, Stream&) {
  std::int64_t most = 0;
  for (std::int64_t e = 0; e < args.num_experts; ++e) {
    most = std::max(most, args.first_row[e + 1] - args.first_row[e]);
  }
  std::vector<float> gate(static_cast<std::size_t>(most * args.width));
  std::vector<float> up(gate.size());
  for (std::int64_t e = 0; e < args.num_experts; ++e) {
    const std::int64_t first = args.first_row[e];
    const std::int64_t count = args.first_row[e + 1] - first;
    if (count == 0) continue;
    const ops::ExpertWeights& expert = args.experts[e];
    const Rows x{args.x + first * args.latent, count, args.latent};
    multiply(x, expert.w1, all_rows(expert.w1), {gate.data(), args.width});
    multiply(x, expert.w3, all_rows(expert.w3), {up.data(), args.width});
    situ_row({.gate = gate.data(),
              .up = up.data(),
              .beta = args.beta,
              .linear_beta = args.linear_beta,
              .out = gate.data(),
              .elements = count * args.width});
    multiply({gate.data(), count, args.width}, expert.w2, all_rows(expert.w2),
             {args.out + first * args.latent, args.latent});
  }
}

void combine(const ops::CombineArgs& args, Stream&) {
  for (std::int64_t t = 0; t < args.tokens; ++t) {
    float* out = args.out + t * args.width;
    std::fill_n(out, args.width, 0.0F);
    for (std::int64_t j = 0; j < args.top_k; ++j) {
      const float weight = args.weights[t * args.top_k + j];
      const float* row = args.x + args.row[t * args.top_k + j] * args.width;
      for (std::int64_t d = 0; d < args.width; ++d)
        out[d] += weight * row[d];
    }
  }
}

}  // namespace k3::reference
