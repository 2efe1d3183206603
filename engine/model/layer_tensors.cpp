#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/model/layer_tensors_internal.h"
#include "engine/model/row_size.h"

namespace k3 {
namespace {

using enum TensorGroup;

TensorList kda_tensors(const ModelConfig& model) {
  const std::int64_t h = model.hidden;
  const std::int64_t d = model.kda.head_dim;
  const std::int64_t heads = model.kda.heads;
  const std::int64_t p = model.kda.width();
  const std::int64_t taps = model.kda.conv_width;
  // NOTE: A_log is one value per head, stored with zeros up to the head dimension where that is
  // larger.
  return {{"q_proj.weight", attention, DType::bf16, {p, h}},
          {"k_proj.weight", attention, DType::bf16, {p, h}},
          {"v_proj.weight", attention, DType::bf16, {p, h}},
          {"g_proj.weight", attention, DType::bf16, {p, h}},
          {"o_proj.weight", attention, DType::bf16, {h, p}},
          {"f_a_proj.weight", attention, DType::bf16, {d, h}},
          {"f_b_proj.weight", attention, DType::bf16, {p, d}},
          {"b_proj.weight", attention, DType::bf16, {heads, h}},
          {"q_conv1d.weight", attention, DType::f32, {p, 1, taps}},
          {"k_conv1d.weight", attention, DType::f32, {p, 1, taps}},
          {"v_conv1d.weight", attention, DType::f32, {p, 1, taps}},
          {"A_log", attention, DType::f32, {std::max(heads, d)}},
          {"dt_bias", attention, DType::f32, {p}},
          {"o_norm.weight", attention, DType::f32, {d}}};
}

TensorList mla_tensors(const ModelConfig& model) {
  const MlaConfig& mla = model.mla;
  const std::int64_t h = model.hidden;
  const std::int64_t heads = mla.heads;
  const std::int64_t out = mla.out_width();
  TensorList list{
      {"q_a_proj.weight", attention, DType::bf16, {mla.q_lora, h}},
      {"q_a_layernorm.weight", attention, DType::bf16, {mla.q_lora}},
      {"q_b_proj.weight", attention, DType::bf16, {heads * (mla.nope + mla.rope), mla.q_lora}},
      {"kv_a_proj_with_mqa.weight", attention, DType::bf16, {mla.cache_width(), h}},
      {"kv_a_layernorm.weight", attention, DType::bf16, {mla.kv_lora}},
      {"kv_b_proj.weight", attention, DType::bf16, {heads * (mla.nope + mla.v_dim), mla.kv_lora}},
      {"o_proj.weight", attention, DType::bf16, {h, out}}};
  if (mla.output_gate) list.push_back({"g_proj.weight", attention, DType::bf16, {out, h}});
  return list;
}

}  // namespace

TensorList before_layers(const ModelConfig& model) {
  return {{"model.embed_tokens.weight", embed, DType::bf16, {model.vocab, model.hidden}}};
}

TensorList after_layers(const ModelConfig& model) {
  const std::int64_t h = model.hidden;
  return {{"model.output_attn_res_norm.weight", norm, DType::bf16, {h}},
          {"model.output_attn_res_proj.weight", norm, DType::bf16, {1, h}},
          {"model.norm.weight", norm, DType::bf16, {h}},
          {"lm_head.weight", lm_head, DType::bf16, {model.vocab, h}}};
}

TensorList layer_norms(const ModelConfig& model) {
  const std::int64_t h = model.hidden;
  return {{"input_layernorm.weight", norm, DType::bf16, {h}},
          {"post_attention_layernorm.weight", norm, DType::bf16, {h}},
          {"self_attention_res_norm.weight", norm, DType::bf16, {h}},
          {"self_attention_res_proj.weight", norm, DType::bf16, {1, h}},
          {"mlp_res_norm.weight", norm, DType::bf16, {h}},
          {"mlp_res_proj.weight", norm, DType::bf16, {1, h}}};
}

TensorList attention_tensors(const ModelConfig& model, AttentionKind kind) {
  return kind == AttentionKind::kda ? kda_tensors(model) : mla_tensors(model);
}

TensorList dense_tensors(const ModelConfig& model) {
  const std::int64_t h = model.hidden;
  const std::int64_t width = model.dense_width;
  return {{"gate_proj.weight", dense, DType::bf16, {width, h}},
          {"up_proj.weight", dense, DType::bf16, {width, h}},
          {"down_proj.weight", dense, DType::bf16, {h, width}}};
}

TensorList moe_tensors(const ModelConfig& model) {
  const std::int64_t h = model.hidden;
  const std::int64_t lat = model.moe.latent;
  const std::int64_t width = model.moe.shared_width();
  TensorList list{{"gate.weight", router, DType::bf16, {model.moe.experts, h}},
                  {"gate.e_score_correction_bias", router, DType::f32, {model.moe.experts}},
                  {"routed_expert_down_proj.weight", latent, DType::bf16, {lat, h}},
                  {"routed_expert_up_proj.weight", latent, DType::bf16, {h, lat}},
                  {"shared_experts.gate_proj.weight", shared, DType::bf16, {width, h}},
                  {"shared_experts.up_proj.weight", shared, DType::bf16, {width, h}},
                  {"shared_experts.down_proj.weight", shared, DType::bf16, {h, width}}};
  if (model.moe.latent_norm) {
    list.push_back({"routed_expert_norm.weight", latent_norm, DType::bf16, {lat}});
  }
  return list;
}

TensorList expert_tensors(const ModelConfig& model) {
  const std::int64_t lat = model.moe.latent;
  const std::int64_t width = model.moe.expert_width;
  if (!model.experts_mxfp4) {
    return {{"w1.weight", expert, DType::bf16, {width, lat}},
            {"w3.weight", expert, DType::bf16, {width, lat}},
            {"w2.weight", expert, DType::bf16, {lat, width}}};
  }
  return {{"w1.weight_packed", expert, DType::u8, {width, lat / 2}},
          {"w1.weight_scale", expert, DType::u8, {width, lat / kMxBlock}},
          {"w3.weight_packed", expert, DType::u8, {width, lat / 2}},
          {"w3.weight_scale", expert, DType::u8, {width, lat / kMxBlock}},
          {"w2.weight_packed", expert, DType::u8, {lat, width / 2}},
          {"w2.weight_scale", expert, DType::u8, {lat, width / kMxBlock}}};
}

TensorList vision_tensors(const VisionConfig& v) {
  constexpr std::int64_t kColours = 3;
  return {{"vision_tower.patch_embed.proj.weight",
           vision,
           DType::bf16,
           {v.hidden, kColours, v.patch, v.patch}},
          {"vision_tower.patch_embed.pos_emb.weight",
           vision,
           DType::bf16,
           {v.pos_height, v.pos_width, v.hidden}},
          {"vision_tower.encoder.final_layernorm.weight", vision, DType::bf16, {v.hidden}}};
}

TensorList vision_block_tensors(const VisionConfig& v) {
  return {{"norm0.weight", vision, DType::bf16, {v.hidden}},
          {"norm1.weight", vision, DType::bf16, {v.hidden}},
          {"wqkv.weight", vision, DType::bf16, {std::int64_t{3} * v.qkv_hidden, v.hidden}},
          {"wo.weight", vision, DType::bf16, {v.hidden, v.qkv_hidden}},
          {"mlp.fc0.weight", vision, DType::bf16, {v.mlp, v.hidden}},
          {"mlp.fc1.weight", vision, DType::bf16, {v.hidden, v.mlp}}};
}

TensorList projector_tensors(const VisionConfig& v) {
  const std::int64_t merged = std::int64_t{v.hidden} * v.merge * v.merge;
  return {{"proj.0.weight", projector, DType::bf16, {merged, merged}},
          {"proj.2.weight", projector, DType::bf16, {v.text_hidden, merged}},
          {"post_norm.weight", projector, DType::bf16, {v.text_hidden}}};
}

std::int64_t stored_elements(const TensorTemplate& tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1},
                         std::multiplies<>());
}

std::int64_t parameters(const TensorTemplate& tensor) {
  if (tensor.name.ends_with(".weight_packed")) return 2 * stored_elements(tensor);
  if (tensor.name.ends_with(".weight_scale")) return 0;
  return stored_elements(tensor);
}

std::int64_t parameters(const TensorList& list) {
  std::int64_t sum = 0;
  for (const TensorTemplate& tensor : list)
    sum += parameters(tensor);
  return sum;
}

std::int64_t bytes(const TensorList& list) {
  std::int64_t sum = 0;
  for (const TensorTemplate& tensor : list)
    sum += stored_elements(tensor) * size_of(tensor.dtype);
  return sum;
}

std::int64_t matrix_parameters(const TensorList& list) {
  std::int64_t sum = 0;
  for (const TensorTemplate& tensor : list) {
    if (tensor.shape.size() == 2) sum += parameters(tensor);
  }
  return sum;
}

}  // namespace k3
