#include "profiler/calibrate/operator_bench_internal.h"
#include "profiler/calibrate/test_data.h"

namespace k3::calibrate {

Sample OperatorBench::product(Point at) {
  const std::int64_t tokens = whole(at[0]);
  const Bf16Matrix weight(whole(at[2]), whole(at[1]));
  const std::vector<float> x = random_floats(tokens * weight.cols);
  std::vector<float> out(static_cast<std::size_t>(tokens * weight.rows));
  return time(kernels_.linear, ops::LinearArgs{x.data(), weight.view(), out.data(), tokens});
}

Sample OperatorBench::norm(Point at) {
  const std::int64_t tokens = whole(at[0]);
  const Bf16Matrix weight(1, whole(at[1]));
  const std::vector<float> x = random_floats(tokens * weight.cols);
  std::vector<float> out = x;
  return time(kernels_.rms_norm,
              ops::RmsNormArgs{x.data(), weight.row(), 1e-5F, out.data(), tokens});
}

Sample OperatorBench::mix(Point at) {
  const std::int64_t tokens = whole(at[0]);
  const Bf16Matrix norm(1, whole(at[2]));
  const Bf16Matrix proj(1, whole(at[2]));
  std::vector<std::vector<float>> rows;
  std::vector<const float*> sources;
  for (std::int64_t i = 0; i < whole(at[1]); ++i) {
    rows.push_back(random_floats(tokens * norm.cols, static_cast<std::uint64_t>(i)));
    sources.push_back(rows.back().data());
  }
  std::vector<float> out(static_cast<std::size_t>(tokens * norm.cols));
  return time(kernels_.attn_res_mix,
              ops::AttnResMixArgs{sources.data(), static_cast<int>(sources.size()), norm.row(),
                                  proj.row(), 1e-5F, out.data(), tokens});
}

Sample OperatorBench::gather(Point at) {
  const std::int64_t count = whole(at[0]);
  const std::int64_t width = whole(at[1]);
  const std::vector<float> x = random_floats(count * width);
  const std::vector<std::int32_t> rows = scattered(count, count);
  std::vector<float> out = x;
  return time(kernels_.gather_rows,
              ops::GatherRowsArgs{x.data(), rows.data(), out.data(), count, width});
}

Sample OperatorBench::embed(Point at) {
  constexpr std::int64_t kWidth = 16;
  const std::int64_t tokens = whole(at[0]) / kWidth;
  const Bf16Matrix table(4096, kWidth);
  const std::vector<std::int32_t> ids = scattered(tokens, table.rows);
  std::vector<float> out(static_cast<std::size_t>(tokens * kWidth));
  return time(kernels_.embed, ops::EmbedArgs{ids.data(), table.view(), out.data(), tokens});
}

Sample OperatorBench::argmax(Point at) {
  constexpr std::int64_t kVocab = 4096;
  const std::int64_t tokens = whole(at[0]) / kVocab;
  const std::vector<float> logits = random_floats(tokens * kVocab);
  std::vector<std::int32_t> ids(static_cast<std::size_t>(tokens));
  return time(kernels_.argmax, ops::ArgmaxArgs{logits.data(), ids.data(), tokens, kVocab});
}

}  // namespace k3::calibrate
