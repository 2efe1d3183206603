#include "engine/runtime/tensor_dump.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace k3 {
namespace {

bool is_per_layer(Quantity quantity) {
  return quantity != Quantity::logits && quantity != Quantity::last_logits &&
         quantity != Quantity::final_hidden;
}

std::vector<std::int32_t> layers_where(const ModelConfig& model, const auto& condition) {
  std::vector<std::int32_t> layers;
  for (int l = 0; l < model.num_layers(); ++l) {
    if (condition(model.layers[static_cast<std::size_t>(l)])) layers.push_back(l);
  }
  return layers;
}

/// Collects the tensors of one sequence.
class SequenceSpecs {
 public:
  SequenceSpecs(const ModelConfig& model, std::string prefix, std::vector<DumpTensorSpec>& specs)
      : model_(model), prefix_(std::move(prefix)), specs_(specs) {}

  void add_prompt(std::int64_t tokens) {
    const std::int64_t layers = model_.num_layers();
    const std::int64_t moe = model_.count(FfnKind::moe);
    add("prompt", {tokens}, DType::i32);
    add("logits", {tokens, model_.vocab});
    add("final_hidden", {tokens, model_.hidden});
    for (const char* name : {"stream", "attn_in", "attn_out", "ffn_in", "ffn_out"}) {
      add(name, {layers, tokens, model_.hidden});
    }
    add("router_ids", {moe, tokens, model_.moe.top_k}, DType::i32);
    add("router_w", {moe, tokens, model_.moe.top_k});
    add("router_margin", {moe, tokens});
    add_state("prefill_");
    add("prefill_mla_cache", {mla_layers(), tokens, model_.mla.cache_width()});
  }

  void add_forced(std::int64_t tokens) {
    add("decode_tokens", {tokens}, DType::i32);
    add("decode_logits", {tokens, model_.vocab});
    add("decode_stream", {model_.num_layers(), tokens, model_.hidden});
    add("decode_router_ids", {model_.count(FfnKind::moe), tokens, model_.moe.top_k}, DType::i32);
    add_state("decode_");
    add("decode_mla_rows", {mla_layers(), tokens, model_.mla.cache_width()});
  }

  void add_greedy(std::int64_t tokens) {
    add("greedy_ids", {tokens}, DType::i32);
    add("greedy_logits", {tokens, model_.vocab});
  }

 private:
  std::int64_t mla_layers() const { return model_.count(AttentionKind::mla); }

  void add_state(const std::string& phase) {
    const std::int64_t layers = model_.count(AttentionKind::kda);
    const KdaConfig& kda = model_.kda;
    add(phase + "kda_state", {layers, kda.heads, kda.head_dim, kda.head_dim});
    for (const char* which : {"conv_q", "conv_k", "conv_v"}) {
      add(phase + which, {layers, kda.conv_width - 1, kda.width()});
    }
  }

  void add(const std::string& name, std::vector<std::int64_t> shape, DType dtype = DType::f32) {
    specs_.push_back({.name = prefix_ + name, .dtype = dtype, .shape = std::move(shape)});
  }

  const ModelConfig& model_;
  std::string prefix_;
  std::vector<DumpTensorSpec>& specs_;
};

}  // namespace

std::int64_t DumpTensorSpec::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t size : shape)
    count *= size;
  return count;
}

DumpLayers dump_layers(const ModelConfig& model) {
  return {
      .kda = layers_where(model, [](const auto& l) { return l.attention == AttentionKind::kda; }),
      .mla = layers_where(model, [](const auto& l) { return l.attention == AttentionKind::mla; }),
      .moe = layers_where(model, [](const auto& l) { return l.ffn == FfnKind::moe; })};
}

std::vector<DumpTensorSpec> dump_tensor_specs(const ModelConfig& model,
                                              std::span<const DumpLengths> sequences) {
  std::vector<DumpTensorSpec> specs;
  const DumpLayers layers = dump_layers(model);
  specs.push_back({"kda_layers", DType::i32, {std::ssize(layers.kda)}});
  specs.push_back({"mla_layers", DType::i32, {std::ssize(layers.mla)}});
  specs.push_back({"moe_layers", DType::i32, {std::ssize(layers.moe)}});
  specs.push_back({"num_sequences", DType::i32, {1}});
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    SequenceSpecs sequence(model, fmt::format("seq{}.", s), specs);
    sequence.add_prompt(sequences[s].prompt);
    if (sequences[s].forced > 0) sequence.add_forced(sequences[s].forced);
    if (sequences[s].greedy > 0) sequence.add_greedy(sequences[s].greedy);
  }
  std::ranges::sort(specs, {}, &DumpTensorSpec::name);
  return specs;
}

TensorDump::TensorDump(std::span<const DumpTensorSpec> specs) {
  for (const DumpTensorSpec& spec : specs) {
    tensors_[spec.name] = {.spec = spec,
                           .data = std::vector<std::byte>(static_cast<std::size_t>(spec.bytes()))};
  }
}

CaptureTarget TensorDump::target(const std::string& name,
                                 Quantity quantity,
                                 std::int64_t first_row) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) return {};
  const std::vector<std::int64_t>& shape = found->second.spec.shape;
  const std::size_t row_axis = is_per_layer(quantity) ? 1 : 0;
  std::int64_t width = 1;
  for (std::size_t axis = row_axis + 1; axis < shape.size(); ++axis)
    width *= shape[axis];
  return {.data = found->second.data.data(),
          .width = width,
          .layer_stride = shape[row_axis] * width,
          .first_row = first_row};
}

std::byte* TensorDump::find_bytes(const std::string& name) {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : found->second.data.data();
}

}  // namespace k3
