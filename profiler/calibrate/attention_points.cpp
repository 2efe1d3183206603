#include "profiler/calibrate/operator_bench_internal.h"
#include "profiler/calibrate/test_data.h"

namespace k3::calibrate {
namespace {

/// Latent width that goes with a head width: Mini K3 has 32 and 64, K3 128 and 512.
std::int64_t latent_of(std::int64_t dim) {
  return dim < 64 ? 2 * dim : 4 * dim;
}

}  // namespace

Sample OperatorBench::conv(Point at) {
  constexpr std::int64_t kTaps = 4;
  const std::int64_t tokens = whole(at[0]);
  const std::int64_t channels = whole(at[1]);
  const std::vector<float> x = random_floats(tokens * channels);
  const std::vector<float> weight = random_floats(channels * kTaps);
  std::vector<float> history = random_floats((kTaps - 1) * channels);
  float* const histories[] = {history.data()};
  const std::int32_t first[] = {0, static_cast<std::int32_t>(tokens)};
  std::vector<float> out = x;
  return time(kernels_.short_conv, ops::ShortConvArgs{x.data(), weight.data(), histories, first,
                                                      out.data(), 1, channels, kTaps});
}

Sample OperatorBench::kda_gate(Point at) {
  constexpr std::int64_t kHeads = 4;
  const std::int64_t tokens = whole(at[0]) / kHeads;
  const std::int64_t dim = whole(at[1]);
  const std::vector<float> z = random_floats(tokens * kHeads * dim);
  const std::vector<float> bias = random_floats(kHeads * dim);
  const std::vector<float> a_log = random_floats(kHeads);
  std::vector<float> g = z;
  return time(kernels_.kda_gate, ops::KdaGateArgs{z.data(), bias.data(), a_log.data(), -5.0F,
                                                  g.data(), tokens, kHeads, dim});
}

Sample OperatorBench::recurrence(Point at) {
  constexpr std::int64_t kHeads = 4;
  const std::int64_t tokens = whole(at[0]) / kHeads;
  const std::int64_t dim = whole(at[1]);
  const std::vector<float> q = random_floats(tokens * kHeads * dim, 1);
  const std::vector<float> k = random_floats(tokens * kHeads * dim, 2);
  const std::vector<float> v = random_floats(tokens * kHeads * dim, 3);
  const std::vector<float> g(q.size(), -0.1F);
  const std::vector<float> beta(static_cast<std::size_t>(tokens * kHeads), 0.5F);
  std::vector<float> state = random_floats(kHeads * dim * dim);
  float* const states[] = {state.data()};
  const std::int32_t first[] = {0, static_cast<std::int32_t>(tokens)};
  std::vector<float> out = q;
  return time(kernels_.kda_recurrence, ops::KdaRecurrenceArgs{.q = q.data(),
                                                              .k = k.data(),
                                                              .v = v.data(),
                                                              .g = g.data(),
                                                              .beta = beta.data(),
                                                              .scale = 0.125F,
                                                              .l2_eps = 1e-6F,
                                                              .state = states,
                                                              .first_token = first,
                                                              .out = out.data(),
                                                              .sequences = 1,
                                                              .heads = kHeads,
                                                              .key_dim = dim,
                                                              .value_dim = dim});
}

Sample OperatorBench::kda_output(Point at) {
  constexpr std::int64_t kHeads = 4;
  const std::int64_t tokens = whole(at[0]) / kHeads;
  const std::int64_t dim = whole(at[1]);
  const std::vector<float> o = random_floats(tokens * kHeads * dim, 1);
  const std::vector<float> gate = random_floats(tokens * kHeads * dim, 2);
  const std::vector<float> weight = random_floats(dim, 3);
  std::vector<float> out = o;
  return time(kernels_.kda_output, ops::KdaOutputArgs{o.data(), gate.data(), weight.data(), 1e-5F,
                                                      out.data(), tokens, kHeads, dim});
}

Sample OperatorBench::cache(Point at) {
  const std::int64_t tokens = whole(at[0]);
  const Bf16Matrix norm(1, whole(at[1]));
  const std::int64_t rope = norm.cols / 8;
  const std::vector<float> kv_a = random_floats(tokens * (norm.cols + rope));
  std::vector<float> cache = kv_a;
  float* const caches[] = {cache.data()};
  const std::int64_t rows[] = {tokens};
  const std::int32_t first[] = {0, static_cast<std::int32_t>(tokens)};
  return time(kernels_.mla_cache, ops::MlaCacheArgs{kv_a.data(), norm.row(), 1e-6F, caches, rows,
                                                    first, 1, norm.cols, rope});
}

/// Both forms of attention: cache rows, heads, head width.
Sample OperatorBench::attend(MlaKernel kernel, std::int64_t tokens, Point at) {
  const std::int64_t cached = whole(at[0]);
  const std::int64_t heads = whole(at[1]);
  const std::int64_t dim = whole(at[2]);
  const std::int64_t latent = latent_of(dim);
  const std::int64_t rope = dim / 2;
  const Bf16Matrix kv_b(heads * 2 * dim, latent);
  const std::vector<float> q = random_floats(tokens * heads * (dim + rope));
  const std::vector<float> cache = random_floats(cached * (latent + rope));
  const float* const caches[] = {cache.data()};
  const std::int64_t rows[] = {cached};
  const std::int32_t first[] = {0, static_cast<std::int32_t>(tokens)};
  std::vector<float> out(static_cast<std::size_t>(tokens * heads * dim));
  const ops::MlaArgs args{.q = q.data(),
                          .kv_b = kv_b.view(),
                          .cache = caches,
                          .cache_rows = rows,
                          .first_token = first,
                          .scale = 0.125F,
                          .out = out.data(),
                          .sequences = 1,
                          .heads = heads,
                          .nope = dim,
                          .rope = rope,
                          .v_dim = dim,
                          .kv_lora = latent};
  return time(kernel, args);
}

}  // namespace k3::calibrate
