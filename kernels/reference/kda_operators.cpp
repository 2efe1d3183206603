#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "engine/base/hot_loops.h"
#include "kernels/reference/elementary.h"
#include "kernels/reference/operators.h"
#include "kernels/reference/pointwise.h"

namespace k3::reference {
namespace {

/// One token of the convolution over all channels; `window` points at the `taps` rows, oldest
/// first. sums += weight[:, j] · row for each tap j, then SiLU.
K3_CLONES void convolve(std::span<const float* const> window,
                        const float* weight_by_tap,
                        std::int64_t channels,
                        float* __restrict out) {
  std::fill_n(out, channels, 0.0F);
  for (std::size_t j = 0; j < window.size(); ++j) {
    const float* row = window[j];
    const float* weight = weight_by_tap + static_cast<std::int64_t>(j) * channels;
    for (std::int64_t c = 0; c < channels; ++c)
      out[c] += weight[c] * row[c];
  }
}

/// y = x · sigmoid(x) in place.
void silu(std::span<float> x) {
  gate_row(x, x.data(), x.data());
}

/// Shapes and scratch of one head's recurrence.
struct Head {
  std::int64_t key_dim;
  std::int64_t value_dim;
  float* query;   ///< [key_dim], normalised and scaled
  float* key;     ///< [key_dim], normalised
  float* decay;   ///< [key_dim]
  float* update;  ///< [value_dim]
};

/// Decays the state and leaves the prediction Sᵀk in `head.update`.
K3_CLONES void decay_and_predict(const Head& head, float* state) {
  float* __restrict prediction = head.update;
  std::fill_n(prediction, head.value_dim, 0.0F);
  for (std::int64_t i = 0; i < head.key_dim; ++i) {
    float* __restrict row = state + i * head.value_dim;
    const float decay = head.decay[i];
    const float key = head.key[i];
    for (std::int64_t j = 0; j < head.value_dim; ++j) {
      row[j] *= decay;
      prediction[j] += row[j] * key;
    }
  }
}

/// S += k uᵀ, out = Sᵀq.
K3_CLONES void update_and_read(const Head& head, float* state, float* __restrict out) {
  const float* __restrict update = head.update;
  std::fill_n(out, head.value_dim, 0.0F);
  for (std::int64_t i = 0; i < head.key_dim; ++i) {
    float* __restrict row = state + i * head.value_dim;
    const float key = head.key[i];
    const float query = head.query[i];
    for (std::int64_t j = 0; j < head.value_dim; ++j) {
      row[j] += key * update[j];
      out[j] += row[j] * query;
    }
  }
}

/// out = x / sqrt(Σx² + eps) · scale.
void normalise(std::span<const float> x, float eps, float scale, float* out) {
  const float length = std::sqrt(sum_of_squares(x) + eps);
  for (std::size_t i = 0; i < x.size(); ++i)
    out[i] = x[i] / length * scale;
}

/// One token of one head.
void step_head(const ops::KdaRecurrenceArgs& args,
               std::int64_t row,
               const Head& head,
               float* state) {
  const auto keys = static_cast<std::size_t>(head.key_dim);
  normalise({args.q + row * head.key_dim, keys}, args.l2_eps, args.scale, head.query);
  normalise({args.k + row * head.key_dim, keys}, args.l2_eps, 1.0F, head.key);
  std::copy_n(args.g + row * head.key_dim, head.key_dim, head.decay);
  exp_row({head.decay, keys});
  decay_and_predict(head, state);
  const float beta = args.beta[row];
  const float* value = args.v + row * head.value_dim;
  for (std::int64_t j = 0; j < head.value_dim; ++j) {
    head.update[j] = beta * (value[j] - head.update[j]);
  }
  update_and_read(head, state, args.out + row * head.value_dim);
}

/// history := the last rows of history followed by the `tokens` rows of x.
void shift_history(const ops::ShortConvArgs& args,
                   const float* x,
                   std::int64_t tokens,
                   float* history) {
  const std::int64_t rows = args.taps - 1;
  const std::int64_t kept = std::max<std::int64_t>(rows - tokens, 0);
  std::copy_n(history + (rows - kept) * args.channels, kept * args.channels, history);
  std::copy_n(x + (tokens - (rows - kept)) * args.channels, (rows - kept) * args.channels,
              history + kept * args.channels);
}

}  // namespace

void short_conv(const ops::ShortConvArgs& args, Stream&) {
  std::vector<float> by_tap(static_cast<std::size_t>(args.taps * args.channels));
  for (std::int64_t c = 0; c < args.channels; ++c) {
    for (std::int64_t j = 0; j < args.taps; ++j) {
      by_tap[static_cast<std::size_t>(j * args.channels + c)] = args.weight[c * args.taps + j];
    }
  }
  std::vector<const float*> window(static_cast<std::size_t>(args.taps));
  for (std::int64_t s = 0; s < args.sequences; ++s) {
    const std::int64_t first = args.first_token[s];
    const std::int64_t tokens = args.first_token[s + 1] - first;
    if (tokens == 0) continue;
    const float* x = args.x + first * args.channels;
    for (std::int64_t t = 0; t < tokens; ++t) {
      for (std::int64_t j = 0; j < args.taps; ++j) {
        const std::int64_t row = t + j - (args.taps - 1);
        window[static_cast<std::size_t>(j)] =
            row >= 0 ? x + row * args.channels
                     : args.history[s] + (row + args.taps - 1) * args.channels;
      }
      float* out = args.out + (first + t) * args.channels;
      convolve(window, by_tap.data(), args.channels, out);
      silu({out, static_cast<std::size_t>(args.channels)});
    }
    shift_history(args, x, tokens, args.history[s]);
  }
}

void kda_gate(const ops::KdaGateArgs& args, Stream&) {
  const auto dim = static_cast<std::size_t>(args.dim);
  for (std::int64_t h = 0; h < args.heads; ++h) {
    const auto rate = static_cast<float>(exp(args.a_log[h]));
    const float* bias = args.dt_bias + h * args.dim;
    for (std::int64_t t = 0; t < args.tokens; ++t) {
      const float* z = args.z + (t * args.heads + h) * args.dim;
      float* g = args.g + (t * args.heads + h) * args.dim;
      for (std::int64_t d = 0; d < args.dim; ++d)
        g[d] = rate * (z[d] + bias[d]);
      sigmoid_row({g, dim}, g);
      for (std::int64_t d = 0; d < args.dim; ++d)
        g[d] *= args.lower_bound;
    }
  }
}

void kda_recurrence(const ops::KdaRecurrenceArgs& args, Stream&) {
  std::vector<float> scratch(static_cast<std::size_t>(3 * args.key_dim + args.value_dim));
  const Head head{.key_dim = args.key_dim,
                  .value_dim = args.value_dim,
                  .query = scratch.data(),
                  .key = scratch.data() + args.key_dim,
                  .decay = scratch.data() + 2 * args.key_dim,
                  .update = scratch.data() + 3 * args.key_dim};
  for (std::int64_t s = 0; s < args.sequences; ++s) {
    for (std::int64_t h = 0; h < args.heads; ++h) {
      for (std::int64_t t = args.first_token[s]; t < args.first_token[s + 1]; ++t) {
        step_head(args, t * args.heads + h, head,
                  args.state[s] + h * args.key_dim * args.value_dim);
      }
    }
  }
}

void kda_output(const ops::KdaOutputArgs& args, Stream&) {
  const auto dim = static_cast<std::size_t>(args.dim);
  for (std::int64_t row = 0; row < args.tokens * args.heads; ++row) {
    float* out = args.out + row * args.dim;
    normalise_row({args.o + row * args.dim, dim}, args.weight, args.eps, out);
    gate_row({out, dim}, args.gate + row * args.dim, out);
  }
}

}  // namespace k3::reference
