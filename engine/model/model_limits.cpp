#include <array>

#include <fmt/core.h>

#include "engine/model/model_limits_internal.h"
#include "engine/model/row_size.h"

namespace k3 {
namespace {

Result<void> check_widths(const ModelConfig& model, const TextNode& text) {
  struct Product {
    std::string_view what;
    std::int64_t a;
    std::int64_t b;
  };

  const auto& mla = model.mla;
  const std::array products{
      Product{"linear_attn_config.num_heads × head_dim", model.kda.heads, model.kda.head_dim},
      Product{"num_attention_heads × (qk_nope_head_dim + qk_rope_head_dim)", mla.heads,
              std::int64_t{mla.nope} + mla.rope},
      Product{"num_attention_heads × (qk_nope_head_dim + v_head_dim)", mla.heads,
              std::int64_t{mla.nope} + mla.v_dim},
      Product{"num_shared_experts × moe_intermediate_size", model.moe.shared_experts,
              model.moe.expert_width}};
  for (const Product& product : products) {
    if (product.a * product.b > kMaxWidth) {
      return text.fail(fmt::format("{} is {}; must be at most {}", product.what,
                                   product.a * product.b, kMaxWidth));
    }
  }
  return {};
}

Result<void> check_mxfp4_blocks(const ModelConfig& model, const TextNode& text) {
  if (!model.experts_mxfp4) return {};
  for (const auto& [key, value] : {std::pair{"routed_expert_hidden_size", model.moe.latent},
                                   std::pair{"moe_intermediate_size", model.moe.expert_width}}) {
    if (value % kMxBlock == 0) continue;
    K3_TRY(const TextNode node, text.at(key));
    return node.fail(
        fmt::format("is {}; must be a multiple of {} where experts are MXFP4", value, kMxBlock));
  }
  return {};
}

}  // namespace

Result<void> check_limits(const ModelConfig& model, const TextNode& text) {
  K3_TRY_VOID(check_widths(model, text));
  K3_TRY_VOID(check_mxfp4_blocks(model, text));
  const std::int64_t routed = std::int64_t{model.count(FfnKind::moe)} * model.moe.experts;
  if (routed > kMaxRoutedExperts) {
    return text.fail(fmt::format("{} routed experts over all layers; at most {} are supported",
                                 routed, kMaxRoutedExperts));
  }
  const double parameters =
      3.0 * static_cast<double>(routed) * model.moe.latent * model.moe.expert_width;
  if (parameters > kMaxParameters) {
    return text.fail(
        fmt::format("routed experts have {:.3g} parameters; at most {:.3g} are supported",
                    parameters, kMaxParameters));
  }
  return {};
}

}  // namespace k3
