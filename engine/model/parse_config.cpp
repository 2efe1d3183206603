#include <array>

#include <fmt/core.h>

#include "engine/model/layer_map_internal.h"
#include "engine/model/model_config.h"
#include "engine/model/model_limits_internal.h"
#include "engine/model/row_size.h"

namespace k3 {
namespace {

Result<void> read_size(const TextNode& table,
                       std::string_view key,
                       int& size,
                       std::int64_t most = kMaxWidth) {
  K3_TRY(const TextNode node, table.at(key, "a positive integer"));
  K3_TRY(const std::int64_t value, node.integer(1, most));
  size = static_cast<int>(value);
  return {};
}

Result<void> read_flag(const TextNode& table, std::string_view key, bool& flag) {
  if (const auto node = table.find(key)) {
    K3_TRY(flag, node->boolean());
  }
  return {};
}

Result<double> read_positive(const TextNode& node) {
  K3_TRY(const double value, node.number());
  if (!(value > 0)) return node.fail(fmt::format("is {}; must be positive", value));
  return value;
}

/// Settings that would change the arithmetic: only the value that K3 has is implemented.
Result<void> demand_value(const TextNode& table, std::string_view key, const Json& only) {
  const auto node = table.find(key);
  if (!node || node->value() == only) return {};
  return node->fail(
      fmt::format("is {:.80}; only {} is supported", node->value().dump(-1), only.dump(-1)),
      Code::unsupported);
}

Result<void> demand_k3_settings(const TextNode& text) {
  struct Setting {
    std::string_view key;
    Json only;
  };

  const std::array settings{
      Setting{"hidden_act", "situ"},
      Setting{"topk_method", "noaux_tc"},
      Setting{"num_expert_group", 1},
      Setting{"topk_group", 1},
      Setting{"mla_use_nope", true},
      Setting{"moe_layer_freq", 1},
      Setting{"num_nextn_predict_layers", 0},
      Setting{"tie_word_embeddings", false},
      Setting{"linear_attn_config.use_full_rank_gate", true},
  };
  for (const Setting& setting : settings) {
    const auto dot = setting.key.find('.');
    if (dot == std::string_view::npos) {
      K3_TRY_VOID(demand_value(text, setting.key, setting.only));
    } else if (const auto inner = text.find(setting.key.substr(0, dot))) {
      K3_TRY_VOID(demand_value(*inner, setting.key.substr(dot + 1), setting.only));
    }
  }
  // The two settings whose absence would mean another activation or rotated keys.
  K3_TRY_VOID(text.at("hidden_act", "\"situ\" is the supported activation"));
  K3_TRY_VOID(text.at("mla_use_nope", "true is the supported setting"));
  return {};
}

Result<void> read_general(const TextNode& text, ModelConfig& model) {
  K3_TRY_VOID(read_size(text, "hidden_size", model.hidden));
  K3_TRY_VOID(read_size(text, "vocab_size", model.vocab, kMaxVocab));
  K3_TRY_VOID(read_size(text, "intermediate_size", model.dense_width));
  K3_TRY(const TextNode positions, text.at("max_position_embeddings", "a positive integer"));
  K3_TRY(model.max_positions, positions.integer(1, std::int64_t{1} << 40));
  K3_TRY(const TextNode eps, text.at("rms_norm_eps", "a positive number"));
  K3_TRY(model.norm_eps, read_positive(eps));
  K3_TRY(const TextNode beta, text.at("activation_situ_beta", "a positive number"));
  K3_TRY(model.situ_beta, read_positive(beta));
  if (const auto linear = text.find("activation_situ_linear_beta")) {
    K3_TRY(model.situ_linear_beta, read_positive(*linear));
  }
  return read_size(text, "attn_res_block_size", model.attn_res_block, kMaxLayers);
}

Result<void> read_kda(const TextNode& linear_attn, KdaConfig& kda) {
  constexpr std::int64_t kMaxTaps = 64;
  K3_TRY_VOID(read_size(linear_attn, "num_heads", kda.heads));
  K3_TRY_VOID(read_size(linear_attn, "head_dim", kda.head_dim));
  K3_TRY_VOID(read_size(linear_attn, "short_conv_kernel_size", kda.conv_width, kMaxTaps));
  K3_TRY(const TextNode bound, linear_attn.at("gate_lower_bound", "a negative number"));
  K3_TRY(kda.gate_lower_bound, bound.number());
  if (!(kda.gate_lower_bound < 0)) {
    return bound.fail(fmt::format("is {}; must be negative", kda.gate_lower_bound));
  }
  return {};
}

Result<void> read_mla(const TextNode& text, MlaConfig& mla) {
  K3_TRY_VOID(read_size(text, "num_attention_heads", mla.heads));
  K3_TRY_VOID(demand_value(text, "num_key_value_heads", mla.heads));
  K3_TRY_VOID(read_size(text, "q_lora_rank", mla.q_lora));
  K3_TRY_VOID(read_size(text, "kv_lora_rank", mla.kv_lora));
  K3_TRY_VOID(read_size(text, "qk_nope_head_dim", mla.nope));
  K3_TRY_VOID(read_size(text, "qk_rope_head_dim", mla.rope));
  K3_TRY_VOID(read_size(text, "v_head_dim", mla.v_dim));
  return read_flag(text, "mla_use_output_gate", mla.output_gate);
}

/// The number of chosen experts has two names in the wild.
Result<void> read_top_k(const TextNode& text, MoeConfig& moe) {
  constexpr std::string_view kLong = "num_experts_per_token";
  constexpr std::string_view kShort = "num_experts_per_tok";
  const auto both = text.find(kShort);
  const std::string_view key = text.find(kLong) || !both ? kLong : kShort;
  K3_TRY_VOID(read_size(text, key, moe.top_k));
  if (both && key == kLong) {
    int other = 0;
    K3_TRY_VOID(read_size(text, kShort, other));
    if (other != moe.top_k) {
      return both->fail(
          fmt::format("is {} but {} is {}; they must agree", other, kLong, moe.top_k));
    }
  }
  if (moe.top_k > moe.experts) {
    K3_TRY(const TextNode node, text.at(key));
    return node.fail(
        fmt::format("is {}; must be at most num_experts = {}", moe.top_k, moe.experts));
  }
  return {};
}

Result<void> read_moe(const TextNode& text, MoeConfig& moe) {
  constexpr std::array<std::string_view, 2> kFunctions{"sigmoid", "softmax"};
  K3_TRY_VOID(read_size(text, "num_experts", moe.experts, kMaxExperts));
  K3_TRY_VOID(read_top_k(text, moe));
  K3_TRY_VOID(read_size(text, "num_shared_experts", moe.shared_experts));
  K3_TRY_VOID(read_size(text, "moe_intermediate_size", moe.expert_width));
  K3_TRY_VOID(read_size(text, "routed_expert_hidden_size", moe.latent));
  K3_TRY_VOID(read_flag(text, "latent_moe_use_norm", moe.latent_norm));
  K3_TRY_VOID(read_flag(text, "moe_renormalize", moe.renormalize));
  K3_TRY(const TextNode scaling, text.at("routed_scaling_factor", "a positive number"));
  K3_TRY(moe.scaling, read_positive(scaling));
  K3_TRY(const TextNode function, text.at("moe_router_activation_func", "sigmoid or softmax"));
  K3_TRY(const std::size_t index, function.one_of(kFunctions));
  moe.router = index == 0 ? RouterFunction::sigmoid : RouterFunction::softmax;
  return {};
}

Result<void> read_layers(const TextNode& text, const TextNode& linear_attn, ModelConfig& model) {
  LayerMapShape shape;
  K3_TRY_VOID(read_size(text, "num_hidden_layers", shape.num_layers, kMaxLayers));
  K3_TRY(const TextNode dense, text.at("first_k_dense_replace", "the number of dense layers"));
  K3_TRY(const std::int64_t num_dense, dense.integer(0));
  if (num_dense >= shape.num_layers) {
    return dense.fail(fmt::format("is {}; must be less than the {} layers (one must be MoE)",
                                  num_dense, shape.num_layers));
  }
  shape.num_dense = static_cast<int>(num_dense);
  shape.attn_res_block = model.attn_res_block;
  K3_TRY(model.layers, read_layer_map(linear_attn, shape));
  return {};
}

/// Quantisation may be declared beside or inside text_config; absent means bf16 experts.
Result<void> read_quantization(const TextNode& root, const TextNode& text, ModelConfig& model) {
  auto node = text.find("quantization_config");
  if (!node) node = root.find("quantization_config");
  if (!node) return {};
  K3_TRY_VOID(node->at("format", "\"mxfp4-pack-quantized\" is the supported format"));
  K3_TRY_VOID(demand_value(*node, "format", "mxfp4-pack-quantized"));
  K3_TRY_VOID(demand_value(*node, "quant_method", "compressed-tensors"));
  if (const auto groups = node->find("config_groups")) {
    K3_TRY(const auto members, groups->members());
    for (const TextNode& group : members) {
      const auto weights = group.find("weights");
      if (!weights) continue;
      K3_TRY_VOID(demand_value(*weights, "num_bits", 4));
      K3_TRY_VOID(demand_value(*weights, "group_size", kMxBlock));
    }
  }
  model.experts_mxfp4 = true;
  return {};
}

Result<VisionConfig> read_vision(const TextNode& node, int text_hidden) {
  VisionConfig vision;
  K3_TRY_VOID(read_size(node, "vt_num_hidden_layers", vision.layers, kMaxLayers));
  K3_TRY_VOID(read_size(node, "vt_hidden_size", vision.hidden));
  K3_TRY_VOID(read_size(node, "qkv_hidden_size", vision.qkv_hidden));
  K3_TRY_VOID(read_size(node, "vt_intermediate_size", vision.mlp));
  K3_TRY_VOID(read_size(node, "patch_size", vision.patch, 1024));
  K3_TRY_VOID(read_size(node, "init_pos_emb_height", vision.pos_height, 4096));
  K3_TRY_VOID(read_size(node, "init_pos_emb_width", vision.pos_width, 4096));
  K3_TRY_VOID(demand_value(node, "mm_hidden_size", vision.hidden));
  K3_TRY_VOID(demand_value(node, "text_hidden_size", text_hidden));
  vision.text_hidden = text_hidden;
  K3_TRY(const TextNode merge, node.at("merge_kernel_size", "two equal sides like [2, 2]"));
  K3_TRY(const auto sides, merge.items());
  if (sides.size() != 2) return merge.fail("must have two sides like [2, 2]");
  constexpr std::int64_t kMaxMerge = 16;
  K3_TRY(const std::int64_t height, sides[0].integer(1, kMaxMerge));
  K3_TRY(const std::int64_t width, sides[1].integer(1, kMaxMerge));
  if (height != width) return merge.fail("must have two equal sides like [2, 2]");
  vision.merge = static_cast<int>(height);
  return vision;
}

}  // namespace

Result<ModelConfig> parse_model_config(std::string_view json, const std::string& where) {
  K3_TRY(const Json document, Json::parse(json, where));
  const TextNode root(document, where);
  if (!document.is(Json::Kind::object)) {
    return root.fail("is no model configuration; a config.json is an object of keys");
  }
  const TextNode text = root.find("text_config").value_or(root);

  ModelConfig model;
  K3_TRY(const TextNode name, root.at("model_type", "a name like \"kimi_k3\""));
  K3_TRY(model.name, name.string());
  K3_TRY_VOID(demand_k3_settings(text));
  K3_TRY_VOID(read_general(text, model));
  K3_TRY(const TextNode linear_attn, text.at("linear_attn_config", "the settings of KDA layers"));
  K3_TRY_VOID(read_kda(linear_attn, model.kda));
  K3_TRY_VOID(read_mla(text, model.mla));
  K3_TRY_VOID(read_moe(text, model.moe));
  K3_TRY_VOID(read_layers(text, linear_attn, model));
  K3_TRY_VOID(read_quantization(root, text, model));
  if (const auto vision = root.find("vision_config")) {
    K3_TRY(model.vision, read_vision(*vision, model.hidden));
  }
  K3_TRY_VOID(check_limits(model, text));
  return model;
}

}  // namespace k3
