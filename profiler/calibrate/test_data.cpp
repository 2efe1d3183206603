#include "profiler/calibrate/test_data.h"

#include <algorithm>
#include <bit>

#include "engine/base/rng.h"

namespace k3::calibrate {
namespace {

constexpr std::int64_t kScaleBlock = 32;

/// A drawn pattern over and over: pools of a hundred MB are made in no time.
template <class Values, class Draw>
void fill_repeating(Values& values, Draw draw) {
  const std::size_t drawn = std::min<std::size_t>(values.size(), std::size_t{1} << 16);
  std::generate_n(values.begin(), drawn, draw);
  for (std::size_t i = drawn; i < values.size(); i += drawn) {
    const std::size_t count = std::min(drawn, values.size() - i);
    std::copy_n(values.begin(), count, values.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::size_t size_of(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

}  // namespace

std::vector<float> random_floats(std::int64_t count, std::uint64_t seed) {
  std::vector<float> values(size_of(count));
  fill_repeating(values,
                 [rng = Rng(seed)]() mutable { return static_cast<float>(2 * rng.uniform() - 1); });
  return values;
}

std::vector<std::int32_t> scattered(std::int64_t count, std::int64_t bound) {
  std::vector<std::int32_t> indices(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    indices[i] = static_cast<std::int32_t>(i * 7919 % static_cast<std::size_t>(bound));
  }
  return indices;
}

Bf16Matrix::Bf16Matrix(std::int64_t num_rows, std::int64_t num_cols)
    : rows(num_rows), cols(num_cols), values(size_of(num_rows * num_cols)) {
  fill_repeating(values, [rng = Rng(2)]() mutable {
    const auto real = static_cast<float>((2 * rng.uniform() - 1) / 8);
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(real) >> 16);
  });
}

ops::Matrix Bf16Matrix::view() const {
  return {.data = values.data(),
          .scale = nullptr,
          .format = ops::WeightFormat::bf16,
          .rows = rows,
          .cols = cols};
}

ops::Vector Bf16Matrix::row() const {
  return {.data = values.data(), .format = ops::WeightFormat::bf16, .size = cols};
}

ExpertPool::ExpertPool(std::int64_t count, std::int64_t latent, std::int64_t width) {
  const std::int64_t up_codes = width * latent / 2;
  const std::int64_t up_scales = width * ((latent + kScaleBlock - 1) / kScaleBlock);
  const std::int64_t down_scales = latent * ((width + kScaleBlock - 1) / kScaleBlock);
  codes.resize(size_of(count * 3 * up_codes));
  scales.assign(size_of(count * (2 * up_scales + down_scales)), 124);  // 1/8
  fill_repeating(codes, [rng = Rng(3)]() mutable { return static_cast<std::uint8_t>(rng.next()); });
  std::uint8_t* next_codes = codes.data();
  std::uint8_t* next_scales = scales.data();
  const auto take = [&](std::int64_t rows, std::int64_t cols, std::int64_t num_scales) {
    const ops::Matrix matrix{.data = next_codes,
                             .scale = next_scales,
                             .format = ops::WeightFormat::mxfp4,
                             .rows = rows,
                             .cols = cols};
    next_codes += up_codes;
    next_scales += num_scales;
    return matrix;
  };
  for (std::int64_t e = 0; e < count; ++e) {
    const ops::Matrix gate = take(width, latent, up_scales);
    const ops::Matrix up = take(width, latent, up_scales);
    experts.push_back({.w1 = gate, .w3 = up, .w2 = take(latent, width, down_scales)});
  }
}

std::int64_t ExpertPool::bytes_per_expert() const {
  return static_cast<std::int64_t>((codes.size() + scales.size()) / experts.size());
}

}  // namespace k3::calibrate
