#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace k3 {

/// Intermediate values of a step that can be copied out while it runs.
enum class Quantity : std::uint8_t {
  logits,         ///< f32 [vocab]; only in steps with logits at every token
  last_logits,    ///< f32 [vocab], of the sequence's last token only (one row)
  final_hidden,   ///< f32 [hidden], as logits
  stream,         ///< f32 [layers][hidden], prefix stream after each layer
  attn_in,        ///< f32 [layers][hidden], normed input of the attention sub-layer
  attn_out,       ///< f32 [layers][hidden]
  ffn_in,         ///< f32 [layers][hidden]
  ffn_out,        ///< f32 [layers][hidden]
  router_ids,     ///< i32 [MoE layers][top_k]
  router_w,       ///< f32 [MoE layers][top_k]
  router_margin,  ///< f32 [MoE layers]
};
inline constexpr std::size_t kNumQuantities = 11;

/// Host memory that takes one quantity of one sequence: rows of `width` 4-byte values, one per
/// token, the step's first new token at `first_row`; layers lie `layer_stride` values apart.
struct CaptureTarget {
  std::byte* data = nullptr;  ///< null: not wanted
  std::int64_t width = 0;
  std::int64_t layer_stride = 0;
  std::int64_t first_row = 0;

  std::byte* row(std::int64_t layer) const {
    return data + 4 * (layer * layer_stride + first_row * width);
  }
};

/// What to copy out of one step, by the sequence's index in the step's shape. Each rank writes the
/// parts of its own sequences.
struct StepCapture {
  std::vector<std::array<CaptureTarget, kNumQuantities>> sequences;
};

}  // namespace k3
