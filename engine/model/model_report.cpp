#include "engine/model/model_report.h"

#include <fmt/core.h>

#include "engine/base/text_table.h"
#include "engine/model/counts.h"
#include "engine/model/numbers.h"
#include "engine/text/units.h"

namespace k3 {
namespace {

std::string parameter_table(const ParameterCounts& p) {
  TextTable table({"parameters", "count"});
  const auto row = [&](const char* name, std::int64_t count) {
    if (count > 0) table.add_row({name, format_count(count)});
  };
  row("routed experts", p.routed_experts);
  row("KDA", p.kda);
  row("MLA", p.mla);
  row("shared experts", p.shared);
  row("latent projections", p.latent_proj);
  row("router", p.router);
  row("dense layers", p.dense);
  row("norms, attention residuals", p.norms + p.latent_norm);
  row("embedding", p.embed);
  row("head", p.lm_head);
  row("vision tower, projector", p.vision + p.projector);
  row("total", p.total());
  row("active per token (without embedding table)", p.active());
  return table.text();
}

std::string byte_table(const ModelConfig& model, const WeightBytes& w) {
  TextTable table({"weights as stored", "bytes", "memory"});
  const auto row = [&](std::string name, std::int64_t bytes) {
    table.add_row({std::move(name), format_count(bytes), format_bytes({bytes})});
  };
  row("checkpoint", w.total);
  row(fmt::format("routed experts ({})", model.experts_mxfp4 ? "mxfp4" : "bf16"), w.routed_experts);
  row("all else", w.nonexpert());
  row("one expert", w.per_expert);
  row("one KDA layer's attention", w.per_kda_layer);
  row("one MLA layer's attention", w.per_mla_layer);
  row("one MoE layer without its routed experts", w.per_moe_layer);
  return table.text();
}

std::string cache_table(const CacheElements& c) {
  TextTable table({"cache", "bytes", "memory"});
  const auto row = [&](const char* name, std::int64_t bytes) {
    table.add_row({name, format_count(bytes), format_bytes({bytes})});
  };
  row("MLA per token, bf16", 2 * c.mla_per_token);
  row("MLA per token, fp8", c.mla_per_token);
  row("KDA state per sequence, fp32", 4 * c.kda_state);
  row("KDA state per sequence, bf16", 2 * c.kda_state);
  row("KDA convolution per sequence, bf16", 2 * c.kda_conv);
  return table.text();
}

std::string flop_table(const Json& numbers) {
  TextTable table({"GFLOP per token", "decode", "MLA share", "prefill"});
  for (const char* context : {"1024", "8192", "131072", "1048576"}) {
    const Json& decode = *numbers.find("flops_decode")->find(fmt::format("ctx_{}", context));
    const Json& prefill = *numbers.find("flops_prefill")->find(fmt::format("seq_{}", context));
    table.add_row({fmt::format("context {}", format_count(std::stoll(context))),
                   fmt::format("{:.1f}", decode.find("total")->number() * 1e-9),
                   fmt::format("{:.1f} %", decode.find("mla_share")->number() * 100),
                   fmt::format("{:.1f}", prefill.find("total_per_token")->number() * 1e-9)});
  }
  return table.text();
}

std::string alltoall_table(const ModelConfig& model, const Json& numbers) {
  const Json& bytes = *numbers.find("a2a");
  TextTable table({"all-to-all per token and MoE layer", "bytes"});
  const auto row = [&](std::string name, const char* key) {
    table.add_row({std::move(name), format_count(bytes.find(key)->integer())});
  };
  row(fmt::format("dispatch, {} copies, mxfp8", model.moe.top_k), "dispatch_mxfp8");
  row("dispatch, bf16", "dispatch_bf16");
  row("dispatch, nvfp4", "dispatch_nvfp4_like");
  row("combine, bf16", "combine_bf16");
  row("ids and weights", "topk_meta_int32_fp32");
  return table.text();
}

}  // namespace

Json model_report_json(const ModelConfig& model) {
  const ParameterCounts p = parameter_counts(model);
  const WeightBytes w = weight_bytes(model);
  Json numbers = model_numbers(model);
  Json json;
  json.set("model", model.name)
      .set("layers", Json()
                         .set("total", model.num_layers())
                         .set("kda", model.count(AttentionKind::kda))
                         .set("mla", model.count(AttentionKind::mla))
                         .set("dense", model.count(FfnKind::dense))
                         .set("moe", model.count(FfnKind::moe)))
      .set("parameters", Json()
                             .set("total", p.total())
                             .set("text", p.text_total())
                             .set("active", p.active())
                             .set("routed_experts", p.routed_experts)
                             .set("vision", p.vision + p.projector))
      .set("bytes", Json()
                        .set("checkpoint", w.total)
                        .set("routed_experts", w.routed_experts)
                        .set("nonexpert", w.nonexpert())
                        .set("per_expert", w.per_expert))
      .set("cache", *numbers.find("cache"))
      .set("numbers", std::move(numbers));
  return json;
}

std::string model_report_text(const ModelConfig& model) {
  const Json numbers = model_numbers(model);
  std::string text = fmt::format(
      "{}: {} layers ({} KDA, {} MLA; {} dense, {} MoE with {} experts, top {})\n\n", model.name,
      model.num_layers(), model.count(AttentionKind::kda), model.count(AttentionKind::mla),
      model.count(FfnKind::dense), model.count(FfnKind::moe), model.moe.experts, model.moe.top_k);
  text += parameter_table(parameter_counts(model)) + '\n';
  text += byte_table(model, weight_bytes(model)) + '\n';
  text += cache_table(cache_elements(model)) + '\n';
  text += flop_table(numbers) + '\n';
  return text + alltoall_table(model, numbers);
}

}  // namespace k3
