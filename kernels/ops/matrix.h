#pragma once

#include <cstdint>

namespace k3::ops {

/// How a weight matrix is stored. Weights stay as stored in the checkpoint.
enum class WeightFormat : std::uint8_t { f32, bf16, mxfp4 };

/// A weight matrix [rows = out, cols = in], row-major. mxfp4: `data` holds two E2M1 codes per byte
/// along `cols` (low nibble = even column), `scale` one E8M0 byte per 32 columns, value = code ×
/// 2^(scale − 127). Memory belongs to the weights store and lives on the backend's device.
struct Matrix {
  const void* data = nullptr;
  const std::uint8_t* scale = nullptr;
  WeightFormat format = WeightFormat::f32;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
};

/// A weight vector [size], bf16 or f32.
struct Vector {
  const void* data = nullptr;
  WeightFormat format = WeightFormat::f32;
  std::int64_t size = 0;
};

}  // namespace k3::ops
