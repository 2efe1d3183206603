#include "engine/model/numbers.h"

#include <array>
#include <cmath>

#include <fmt/core.h>

#include "engine/model/counts.h"
#include "engine/model/layer_tensors_internal.h"
#include "engine/model/row_size.h"

namespace k3 {
namespace {

constexpr std::array<std::int64_t, 4> kContexts{1024, 8192, 131072, 1048576};

/// An exact whole number, kept as an integer where a double still tells neighbours apart.
Json whole(double value) {
  constexpr double kLargestExact = 0x1p53;
  if (std::abs(value) > kLargestExact) return value;
  return static_cast<std::int64_t>(value);
}

Json parameter_numbers(const ParameterCounts& p) {
  Json json;
  json.set("routed_experts", p.routed_experts)
      .set("kda", p.kda)
      .set("mla", p.mla)
      .set("shared", p.shared)
      .set("latent_proj", p.latent_proj)
      .set("router", p.router)
      .set("latent_norm", p.latent_norm)
      .set("dense_l0", p.dense)
      .set("norms_attnres", p.norms)
      .set("embed", p.embed)
      .set("lm_head", p.lm_head)
      .set("vision", p.vision)
      .set("mm_projector", p.projector)
      .set("text_total", p.text_total())
      .set("total", p.total())
      .set("per_expert", p.per_expert)
      .set("kda_layer", p.per_kda_layer)
      .set("mla_layer", p.per_mla_layer)
      .set("moe_layer_nonexpert", p.per_moe_layer);
  return json;
}

Json active_numbers(const ParameterCounts& p) {
  Json json;
  json.set("all_incl_embed", p.active_with_embed())
      .set("excl_embed_table", p.active())
      .set("excl_embed_and_head", p.active() - p.lm_head)
      .set("routed_active", p.routed_active)
      .set("nonexpert_incl_embed", p.text_total() - p.routed_experts);
  return json;
}

/// Whether this is the published model, whose index states its size.
bool is_kimi_k3(const ModelConfig& model) {
  return model.hidden == 7168 && model.num_layers() == 93 && model.moe.experts == 896 &&
         model.moe.expert_width == 3072 && model.vision.has_value();
}

Json byte_numbers(const ModelConfig& model, const WeightBytes& w) {
  /// Source: metadata.total_size of the official model.safetensors.index.json
  constexpr std::int64_t kPublishedTotal = 1'560'860'324'864;
  Json json;
  json.set("computed_total", w.total);
  if (is_kimi_k3(model)) {
    json.set("metadata_total_size", kPublishedTotal).set("match", w.total == kPublishedTotal);
  }
  json.set(model.experts_mxfp4 ? "routed_mxfp4" : "routed_bf16", w.routed_experts)
      .set("nonexpert", w.nonexpert())
      .set("per_expert", w.per_expert)
      .set("per_layer_experts", model.moe.experts * w.per_expert)
      .set("per_layer_kda", w.per_kda_layer)
      .set("per_layer_mla", w.per_mla_layer)
      .set("per_layer_moe_nonexpert", w.per_moe_layer)
      .set("text_nonexpert", w.text_nonexpert());
  return json;
}

Json decode_byte_numbers(const ModelConfig& model, const WeightBytes& w) {
  const std::int64_t routed =
      std::int64_t{model.count(FfnKind::moe)} * model.moe.top_k * w.per_expert;
  const std::int64_t nonexpert = w.text_nonexpert() - w.embed;
  Json json;
  json.set("routed", routed).set("nonexpert_no_embed", nonexpert).set("sum", routed + nonexpert);
  return json;
}

Json cache_numbers(const CacheElements& c) {
  Json json;
  json.set("mla_per_token_bf16", 2 * c.mla_per_token)
      .set("mla_per_token_fp8", c.mla_per_token)
      .set("mla_per_token_layer_bf16", 2 * c.mla_per_token_layer)
      .set("kda_state_layer_fp32", 4 * c.kda_state_layer)
      .set("kda_state_all_fp32", 4 * c.kda_state)
      .set("kda_state_all_bf16", 2 * c.kda_state)
      .set("kda_conv_layer_bf16", 2 * c.kda_conv_layer)
      .set("kda_conv_all_bf16", 2 * c.kda_conv)
      .set("seq_fixed_fp32state", 4 * c.kda_state + 2 * c.kda_conv)
      .set("seq_fixed_bf16state", 2 * c.kda_state + 2 * c.kda_conv);
  for (const std::int64_t context : kContexts) {
    json.set(fmt::format("mla_bf16_{}", context), 2 * c.mla_per_token * context);
  }
  return json;
}

/// FLOPs of one token, every part over all its layers. Doubles: exact for every model that exists,
/// and no overflow for those that do not.
struct TokenFlops {
  double kda_proj = 0;
  double mla_proj = 0;  ///< the same absorbed and expanded
  double router = 0;
  double latent = 0;
  double shared = 0;
  double routed = 0;
  double dense = 0;
  double lm_head = 0;
  double kda_recurrence = 0;
  double conv = 0;
  double attn_res = 0;
  double mla_absorbed_per_key = 0;  ///< scores and values of one attended key, latent form
  double mla_expanded_per_key = 0;  ///< the same, expanded form
  double kda_heads = 0;             ///< over all layers

  double linear() const {
    return kda_proj + mla_proj + router + latent + shared + routed + dense + lm_head;
  }

  double small() const { return conv + attn_res; }
};

TokenFlops token_flops(const ModelConfig& model, const ParameterCounts& p) {
  const auto real = [](std::int64_t v) { return static_cast<double>(v); };
  const double num_kda = model.count(AttentionKind::kda);
  const double num_mla = model.count(AttentionKind::mla);
  const double num_moe = model.count(FfnKind::moe);
  const double d = model.kda.head_dim;
  const auto kda = matrix_parameters(attention_tensors(model, AttentionKind::kda));
  const auto mla = matrix_parameters(attention_tensors(model, AttentionKind::mla));
  TokenFlops f;
  f.kda_proj = num_kda * 2 * real(kda);
  f.mla_proj = num_mla * 2 * real(mla);
  f.router = num_moe * 2 * model.moe.experts * model.hidden;
  f.latent = 2 * real(p.latent_proj);
  f.shared = 2 * real(p.shared);
  f.routed = 2 * real(p.routed_active);
  f.dense = 2 * real(p.dense);
  f.lm_head = 2 * real(p.lm_head);
  f.kda_heads = num_kda * model.kda.heads;
  f.kda_recurrence = f.kda_heads * 7 * d * d;
  f.conv = num_kda * 2 * 3 * model.kda.width() * model.kda.conv_width;
  double sources = 0;  // the output mix is not counted in the published table
  for (const LayerConfig& layer : model.layers) {
    sources += layer.attention_sources + layer.ffn_sources;
  }
  f.attn_res = sources * 4 * model.hidden;
  f.mla_absorbed_per_key =
      num_mla * model.mla.heads * 2.0 * (2.0 * model.mla.kv_lora + model.mla.rope);
  f.mla_expanded_per_key =
      num_mla * model.mla.heads * 2.0 * (model.mla.nope + model.mla.rope + model.mla.v_dim);
  return f;
}

Json decode_flop_numbers(const TokenFlops& f) {
  Json linear;
  linear.set("kda_proj", whole(f.kda_proj))
      .set("mla_proj_dec", whole(f.mla_proj))
      .set("router", whole(f.router))
      .set("latent", whole(f.latent))
      .set("shared", whole(f.shared))
      .set("routed", whole(f.routed))
      .set("dense", whole(f.dense))
      .set("lm_head", whole(f.lm_head));
  Json json;
  json.set("linear", std::move(linear))
      .set("linear_total", whole(f.linear()))
      .set("kda_recurrence", whole(f.kda_recurrence))
      .set("conv", whole(f.conv))
      .set("attnres", whole(f.attn_res));
  for (const std::int64_t context : kContexts) {
    const double attention = f.mla_absorbed_per_key * static_cast<double>(context);
    const double total = f.linear() + f.kda_recurrence + f.small() + attention;
    json.set(fmt::format("ctx_{}", context), Json()
                                                 .set("mla_attn", whole(attention))
                                                 .set("total", whole(total))
                                                 .set("mla_share", attention / total));
  }
  return json;
}

/// Chunkwise KDA per token and head, chunk C and head dimension D: 8CD + 6D² for the products, and
/// for the C × C system 12C² by the product of powers (C = 16) or ⅔C² by substitution (longer
/// chunks).
double kda_chunk_flops(double chunk, double head_dim, double solve) {
  return solve * chunk * chunk + 8 * chunk * head_dim + 6 * head_dim * head_dim;
}

Json prefill_flop_numbers(const ModelConfig& model, const TokenFlops& f) {
  const double linear = f.linear() - f.lm_head;
  const double chunk16 = f.kda_heads * kda_chunk_flops(16, model.kda.head_dim, 12);
  const double chunk64 = f.kda_heads * kda_chunk_flops(64, model.kda.head_dim, 2.0 / 3);
  Json json;
  json.set("linear_per_token", whole(linear))
      .set("kda_chunk16_per_token", chunk16)
      .set("kda_chunk64_per_token", chunk64);
  for (const std::int64_t context : kContexts) {
    const double tokens = static_cast<double>(context);
    const double attention = f.mla_expanded_per_key * tokens / 2;
    const double total = linear + chunk16 + f.small() + attention;
    json.set(fmt::format("seq_{}", context), Json()
                                                 .set("mla_attn_avg_per_token", attention)
                                                 .set("total_per_token", total)
                                                 .set("total_sequence", total * tokens));
  }
  return json;
}

/// Bytes of one token's copies in one direction, no copy merged with another.
Json alltoall_numbers(const ModelConfig& model, std::int64_t layers) {
  const auto copies = [&](FormatLayout layout, std::int64_t width) {
    return layers * model.moe.top_k * row_size(layout, width);
  };
  constexpr std::int64_t kMetadata = 8;  // expert id and weight of a copy
  const std::int64_t latent = model.moe.latent;
  Json json;
  json.set("dispatch_bf16", copies(kBf16Layout, latent))
      .set("dispatch_fp8_rowscale_128blk", copies(kFp8Block128Layout, latent))
      .set("dispatch_mxfp8", copies(kMxfp8Layout, latent))
      .set("dispatch_nvfp4_like", copies(kNvfp4Layout, latent))
      .set("combine_bf16", copies(kBf16Layout, latent))
      .set("combine_fp32", copies(kFloat32Layout, latent))
      .set("combine_mxfp8", copies(kMxfp8Layout, latent))
      .set("topk_meta_int32_fp32", layers * model.moe.top_k * kMetadata)
      .set("if_full_hidden_bf16", copies(kBf16Layout, model.hidden));
  return json;
}

/// Expected number of distinct boxes that `draws` balls hit, each ball in a given box with
/// probability `chance`.
double expected_distinct(double boxes, double chance, double draws) {
  return boxes * (1 - std::pow(1 - chance, draws));
}

Json distinct_expert_numbers(const ModelConfig& model) {
  const double experts = model.moe.experts;
  Json json;
  for (const int tokens : {1, 8, 16, 32, 64, 128, 256, 512, 1024}) {
    json.set(std::to_string(tokens), expected_distinct(experts, model.moe.top_k / experts, tokens));
  }
  return json;
}

Json weights_per_gpu_numbers(const WeightBytes& w) {
  Json json;
  for (const int ranks : {8, 16, 32, 64}) {
    json.set(fmt::format("EP{}_experts", ranks), static_cast<double>(w.routed_experts) / ranks);
  }
  json.set("nonexpert_text_replicated", w.text_nonexpert());
  return json;
}

}  // namespace

Json model_numbers(const ModelConfig& model) {
  const ParameterCounts p = parameter_counts(model);
  const WeightBytes w = weight_bytes(model);
  const TokenFlops f = token_flops(model, p);
  Json alltoall = alltoall_numbers(model, 1);
  for (const int ranks : {8, 16, 32, 64, 72}) {
    alltoall.set(fmt::format("expected_distinct_ranks_R{}", ranks),
                 expected_distinct(ranks, 1.0 / ranks, model.moe.top_k));
  }
  Json json;
  json.set("params", parameter_numbers(p))
      .set("active", active_numbers(p))
      .set("bytes", byte_numbers(model, w))
      .set("decode_bs1_bytes", decode_byte_numbers(model, w))
      .set("cache", cache_numbers(cache_elements(model)))
      .set("flops_decode", decode_flop_numbers(f))
      .set("flops_prefill", prefill_flop_numbers(model, f))
      .set("a2a", std::move(alltoall))
      .set(fmt::format("a2a_per_token_all_{}_layers", model.count(FfnKind::moe)),
           alltoall_numbers(model, model.count(FfnKind::moe)))
      .set("expected_distinct_experts", distinct_expert_numbers(model))
      .set("weights_per_gpu", weights_per_gpu_numbers(w));
  return json;
}

}  // namespace k3
