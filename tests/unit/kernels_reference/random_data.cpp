#include "tests/unit/kernels_reference/random_data.h"

#include <array>
#include <cmath>
#include <cstring>

namespace k3::test {

std::vector<float> random_values(std::int64_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values)
    value = static_cast<float>(2 * rng.uniform() - 1);
  return values;
}

RandomMatrix::RandomMatrix(ops::WeightFormat format,
                           std::int64_t rows,
                           std::int64_t cols,
                           std::uint64_t seed)
    : format_(format), rows_(rows), cols_(cols) {
  const std::vector<float> values = random_values(rows * cols, seed);
  Rng rng(seed + 1);
  switch (format) {
    case ops::WeightFormat::f32:
      data_.resize(values.size() * 4);
      std::memcpy(data_.data(), values.data(), data_.size());
      break;
    case ops::WeightFormat::bf16:
      for (const float value : values) {
        std::array<std::uint8_t, 4> bytes{};
        std::memcpy(bytes.data(), &value, 4);
        data_.insert(data_.end(), bytes.begin() + 2, bytes.end());
      }
      break;
    case ops::WeightFormat::mxfp4:
      data_.resize(values.size() / 2);
      for (std::uint8_t& byte : data_)
        byte = static_cast<std::uint8_t>(rng.next());
      scale_.resize(static_cast<std::size_t>(rows * ((cols + 31) / 32)));
      for (std::uint8_t& byte : scale_)
        byte = static_cast<std::uint8_t>(120 + rng.next() % 10);
      break;
  }
}

ops::Matrix RandomMatrix::view() const {
  return {.data = data_.data(),
          .scale = scale_.data(),
          .format = format_,
          .rows = rows_,
          .cols = cols_};
}

float RandomMatrix::at(std::int64_t row, std::int64_t col) const {
  const auto index = static_cast<std::size_t>(row * cols_ + col);
  if (format_ == ops::WeightFormat::mxfp4) {
    constexpr std::array<float, 8> kMagnitude{0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
    const int code = index % 2 == 0 ? data_[index / 2] & 15 : data_[index / 2] >> 4;
    const int exponent = scale_[static_cast<std::size_t>(row * ((cols_ + 31) / 32) + col / 32)];
    const float magnitude =
        std::ldexp(kMagnitude[static_cast<std::size_t>(code & 7)], exponent - 127);
    return (code & 8) != 0 ? -magnitude : magnitude;
  }
  const std::size_t bytes = format_ == ops::WeightFormat::f32 ? 4 : 2;
  float value = 0;
  std::memcpy(reinterpret_cast<std::uint8_t*>(&value) + 4 - bytes, data_.data() + index * bytes,
              bytes);
  return value;
}

}  // namespace k3::test
