#include "engine/runtime/model_weights.h"

#include <span>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "engine/weights/weight_store.h"

namespace k3 {
namespace {

/// Columns that share one scale byte of a packed matrix.
/// Source: k3 specification, section 2 (MXFP4 layout)
constexpr std::int64_t kScaleGroup = 32;

/// Takes tensors from the store, which has checked their shapes, to the rank's device.
class Loader {
 public:
  Loader(const WeightRequest& request, Stream& stream, ModelWeights& weights)
      : request_(request), stream_(stream), weights_(weights) {}

  Result<void> run();

 private:
  Result<void> load_layer(int layer, LayerWeights& weights);
  Result<void> load_kda(const std::string& prefix, KdaWeights& weights);
  Result<void> load_mla(const std::string& prefix, MlaWeights& weights);
  Result<void> load_moe(const std::string& prefix, int moe_layer, MoeWeights& weights);
  Result<void> load_experts(const std::string& prefix, int moe_layer, MoeWeights& weights);
  Result<void> load_feed_forward(const std::string& prefix, FeedForwardWeights& weights);
  Result<void> load_mix(const std::string& prefix, MixWeights& weights);

  /// The weight of a linear layer by the name before `.weight`.
  Result<void> matrix(const std::string& name, ops::Matrix& matrix);
  Result<void> vector(const std::string& name, ops::Vector& vector);
  Result<void> floats(const std::string& name, const float*& values);

  /// The same bytes on the device.
  Result<const void*> place(const void* data, std::int64_t bytes);

  const ModelConfig& model() const { return request_.model; }

  const WeightRequest& request_;
  Stream& stream_;
  ModelWeights& weights_;
  std::int64_t loaded_bytes_ = 0;
  int next_moe_layer_ = 0;
};

ops::WeightFormat format_of(DType dtype) {
  return dtype == DType::f32 ? ops::WeightFormat::f32 : ops::WeightFormat::bf16;
}

Result<const void*> Loader::place(const void* data, std::int64_t bytes) {
  loaded_bytes_ += bytes;
  if (request_.backend.uses_host_memory()) return data;
  K3_TRY(auto copy, request_.backend.allocate(request_.device, static_cast<std::size_t>(bytes)));
  stream_.copy_to_device(copy->data(), data, static_cast<std::size_t>(bytes));
  weights_.copies.push_back(std::move(copy));
  return weights_.copies.back()->data();
}

Result<void> Loader::matrix(const std::string& name, ops::Matrix& matrix) {
  K3_TRY(const LinearWeight stored, request_.store.linear(name));
  matrix = {.data = nullptr,
            .scale = nullptr,
            .format = stored.packed() ? ops::WeightFormat::mxfp4 : format_of(stored.weight.dtype),
            .rows = stored.rows,
            .cols = stored.cols};
  K3_TRY(matrix.data, place(stored.weight.data, stored.weight.bytes()));
  if (!stored.packed()) return {};
  K3_TRY(const void* scale, place(stored.scale, stored.rows * (stored.cols / kScaleGroup)));
  matrix.scale = static_cast<const std::uint8_t*>(scale);
  return {};
}

Result<void> Loader::vector(const std::string& name, ops::Vector& vector) {
  K3_TRY(const WeightView stored, request_.store.tensor(name));
  K3_TRY(const void* data, place(stored.data, stored.bytes()));
  vector = {.data = data, .format = format_of(stored.dtype), .size = stored.elements()};
  return {};
}

Result<void> Loader::floats(const std::string& name, const float*& values) {
  K3_TRY(const std::span<const float> stored, request_.store.floats(name));
  K3_TRY(const void* data, place(stored.data(), static_cast<std::int64_t>(stored.size_bytes())));
  values = static_cast<const float*>(data);
  return {};
}

Result<void> Loader::load_mix(const std::string& prefix, MixWeights& weights) {
  K3_TRY_VOID(vector(prefix + "_norm.weight", weights.norm));
  return vector(prefix + "_proj.weight", weights.proj);
}

Result<void> Loader::load_feed_forward(const std::string& prefix, FeedForwardWeights& weights) {
  K3_TRY_VOID(matrix(prefix + "gate_proj", weights.gate));
  K3_TRY_VOID(matrix(prefix + "up_proj", weights.up));
  return matrix(prefix + "down_proj", weights.down);
}

Result<void> Loader::load_kda(const std::string& prefix, KdaWeights& weights) {
  K3_TRY_VOID(matrix(prefix + "q_proj", weights.q));
  K3_TRY_VOID(matrix(prefix + "k_proj", weights.k));
  K3_TRY_VOID(matrix(prefix + "v_proj", weights.v));
  K3_TRY_VOID(matrix(prefix + "g_proj", weights.gate));
  K3_TRY_VOID(matrix(prefix + "o_proj", weights.out));
  K3_TRY_VOID(matrix(prefix + "f_a_proj", weights.decay_in));
  K3_TRY_VOID(matrix(prefix + "f_b_proj", weights.decay_out));
  K3_TRY_VOID(matrix(prefix + "b_proj", weights.beta));
  K3_TRY_VOID(floats(prefix + "q_conv1d.weight", weights.q_conv));
  K3_TRY_VOID(floats(prefix + "k_conv1d.weight", weights.k_conv));
  K3_TRY_VOID(floats(prefix + "v_conv1d.weight", weights.v_conv));
  K3_TRY_VOID(floats(prefix + "A_log", weights.a_log));
  K3_TRY_VOID(floats(prefix + "dt_bias", weights.dt_bias));
  return floats(prefix + "o_norm.weight", weights.out_norm);
}

Result<void> Loader::load_mla(const std::string& prefix, MlaWeights& weights) {
  K3_TRY_VOID(matrix(prefix + "q_a_proj", weights.q_a));
  K3_TRY_VOID(vector(prefix + "q_a_layernorm.weight", weights.q_norm));
  K3_TRY_VOID(matrix(prefix + "q_b_proj", weights.q_b));
  K3_TRY_VOID(matrix(prefix + "kv_a_proj_with_mqa", weights.kv_a));
  K3_TRY_VOID(vector(prefix + "kv_a_layernorm.weight", weights.kv_norm));
  K3_TRY_VOID(matrix(prefix + "kv_b_proj", weights.kv_b));
  if (model().mla.output_gate) {
    K3_TRY_VOID(matrix(prefix + "g_proj", weights.gate));
  }
  return matrix(prefix + "o_proj", weights.out);
}

Result<void> Loader::load_moe(const std::string& prefix, int moe_layer, MoeWeights& weights) {
  K3_TRY_VOID(matrix(prefix + "gate", weights.router));
  K3_TRY_VOID(floats(prefix + "gate.e_score_correction_bias", weights.bias));
  K3_TRY_VOID(matrix(prefix + "routed_expert_down_proj", weights.latent_down));
  K3_TRY_VOID(matrix(prefix + "routed_expert_up_proj", weights.latent_up));
  if (model().moe.latent_norm) {
    K3_TRY_VOID(vector(prefix + "routed_expert_norm.weight", weights.latent_norm));
  }
  if (model().moe.shared_experts > 0) {
    K3_TRY_VOID(load_feed_forward(prefix + "shared_experts.", weights.shared));
  }
  return load_experts(prefix, moe_layer, weights);
}

Result<void> Loader::load_experts(const std::string& prefix, int moe_layer, MoeWeights& weights) {
  const std::int64_t before = loaded_bytes_;
  const LayerPlacement& layer = request_.placement.layer(moe_layer);
  const auto [first, last] = request_.placement.slots_of_rank(moe_layer, request_.rank);
  weights.slots.resize(static_cast<std::size_t>(last - first));
  for (int slot = first; slot < last; ++slot) {
    const std::int32_t expert = layer.slot_to_expert[static_cast<std::size_t>(slot)];
    if (expert < 0) continue;
    ops::ExpertWeights& into = weights.slots[static_cast<std::size_t>(slot - first)];
    const std::string name = fmt::format("{}experts.{}.", prefix, expert);
    K3_TRY_VOID(matrix(name + "w1", into.w1));
    K3_TRY_VOID(matrix(name + "w3", into.w3));
    K3_TRY_VOID(matrix(name + "w2", into.w2));
  }
  weights_.expert_bytes += loaded_bytes_ - before;
  return {};
}

Result<void> Loader::load_layer(int layer, LayerWeights& weights) {
  const LayerConfig& config = model().layers[static_cast<std::size_t>(layer)];
  const std::string prefix = fmt::format("language_model.model.layers.{}.", layer);
  K3_TRY_VOID(vector(prefix + "input_layernorm.weight", weights.attention_norm));
  K3_TRY_VOID(vector(prefix + "post_attention_layernorm.weight", weights.ffn_norm));
  K3_TRY_VOID(load_mix(prefix + "self_attention_res", weights.attention_mix));
  K3_TRY_VOID(load_mix(prefix + "mlp_res", weights.ffn_mix));
  const std::string attention = prefix + "self_attn.";
  K3_TRY_VOID(config.attention == AttentionKind::kda ? load_kda(attention, weights.kda)
                                                     : load_mla(attention, weights.mla));
  if (config.ffn == FfnKind::dense) return load_feed_forward(prefix + "mlp.", weights.dense);
  return load_moe(prefix + "block_sparse_moe.", next_moe_layer_++, weights.moe);
}

Result<void> Loader::run() {
  const std::string prefix = "language_model.model.";
  K3_TRY_VOID(matrix(prefix + "embed_tokens", weights_.embed));
  K3_TRY_VOID(matrix("language_model.lm_head", weights_.lm_head));
  K3_TRY_VOID(vector(prefix + "norm.weight", weights_.final_norm));
  K3_TRY_VOID(load_mix(prefix + "output_attn_res", weights_.output_mix));
  weights_.layers.resize(model().layers.size());
  for (int layer = 0; layer < model().num_layers(); ++layer) {
    K3_TRY_VOID(load_layer(layer, weights_.layers[static_cast<std::size_t>(layer)]));
  }
  weights_.other_bytes = loaded_bytes_ - weights_.expert_bytes;
  return {};
}

}  // namespace

Result<ModelWeights> load_model_weights(const WeightRequest& request, Stream& stream) {
  ModelWeights weights;
  K3_TRY_VOID(Loader(request, stream, weights).run());
  return weights;
}

}  // namespace k3
