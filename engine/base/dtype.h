#pragma once

#include <cstdint>
#include <string_view>

namespace k3 {

/// Element types of tensors in checkpoints, dumps and buffers (names as in safetensors).
enum class DType : std::uint8_t { f64, f32, bf16, i64, i32, u8 };

constexpr std::int64_t size_of(DType type) {
  switch (type) {
    case DType::f64:
    case DType::i64:
      return 8;
    case DType::f32:
    case DType::i32:
      return 4;
    case DType::bf16:
      return 2;
    case DType::u8:
      return 1;
  }
  return 0;
}

constexpr std::string_view name_of(DType type) {
  switch (type) {
    case DType::f64:
      return "F64";
    case DType::f32:
      return "F32";
    case DType::bf16:
      return "BF16";
    case DType::i64:
      return "I64";
    case DType::i32:
      return "I32";
    case DType::u8:
      return "U8";
  }
  return "?";
}

}  // namespace k3
