#include "engine/model/counts.h"

#include "engine/model/layer_tensors_internal.h"

namespace k3 {
namespace {

std::int64_t group_parameters(const TensorList& list, TensorGroup group) {
  std::int64_t sum = 0;
  for (const TensorTemplate& tensor : list) {
    if (tensor.group == group) sum += parameters(tensor);
  }
  return sum;
}

}  // namespace

std::int64_t ParameterCounts::text_total() const {
  return routed_experts + kda + mla + shared + latent_proj + router + latent_norm + dense + norms +
         embed + lm_head;
}

ParameterCounts parameter_counts(const ModelConfig& model) {
  const std::int64_t num_moe = model.count(FfnKind::moe);
  const TensorList moe = moe_tensors(model);
  const TensorList after = after_layers(model);
  ParameterCounts counts;
  counts.per_expert = parameters(expert_tensors(model));
  counts.per_kda_layer = parameters(attention_tensors(model, AttentionKind::kda));
  counts.per_mla_layer = parameters(attention_tensors(model, AttentionKind::mla));
  counts.per_moe_layer = parameters(moe);
  counts.routed_experts = num_moe * model.moe.experts * counts.per_expert;
  counts.routed_active = num_moe * model.moe.top_k * counts.per_expert;
  counts.kda = model.count(AttentionKind::kda) * counts.per_kda_layer;
  counts.mla = model.count(AttentionKind::mla) * counts.per_mla_layer;
  counts.shared = num_moe * group_parameters(moe, TensorGroup::shared);
  counts.latent_proj = num_moe * group_parameters(moe, TensorGroup::latent);
  counts.router = num_moe * group_parameters(moe, TensorGroup::router);
  counts.latent_norm = num_moe * group_parameters(moe, TensorGroup::latent_norm);
  counts.dense = model.count(FfnKind::dense) * parameters(dense_tensors(model));
  counts.norms = model.num_layers() * parameters(layer_norms(model)) +
                 group_parameters(after, TensorGroup::norm);
  counts.embed = parameters(before_layers(model));
  counts.lm_head = group_parameters(after, TensorGroup::lm_head);
  if (model.vision) {
    counts.vision = parameters(vision_tensors(*model.vision)) +
                    model.vision->layers * parameters(vision_block_tensors(*model.vision));
    counts.projector = parameters(projector_tensors(*model.vision));
  }
  return counts;
}

WeightBytes weight_bytes(const ModelConfig& model) {
  const std::int64_t num_moe = model.count(FfnKind::moe);
  WeightBytes weights;
  weights.embed = bytes(before_layers(model));
  weights.per_expert = bytes(expert_tensors(model));
  weights.per_kda_layer = bytes(attention_tensors(model, AttentionKind::kda));
  weights.per_mla_layer = bytes(attention_tensors(model, AttentionKind::mla));
  weights.per_moe_layer = bytes(moe_tensors(model));
  weights.routed_experts = num_moe * model.moe.experts * weights.per_expert;
  if (model.vision) {
    weights.vision = bytes(vision_tensors(*model.vision)) +
                     model.vision->layers * bytes(vision_block_tensors(*model.vision)) +
                     bytes(projector_tensors(*model.vision));
  }
  weights.total = weights.embed + bytes(after_layers(model)) +
                  model.num_layers() * bytes(layer_norms(model)) +
                  model.count(AttentionKind::kda) * weights.per_kda_layer +
                  model.count(AttentionKind::mla) * weights.per_mla_layer +
                  model.count(FfnKind::dense) * bytes(dense_tensors(model)) +
                  num_moe * weights.per_moe_layer + weights.routed_experts + weights.vision;
  return weights;
}

CacheElements cache_elements(const ModelConfig& model) {
  const std::int64_t num_kda = model.count(AttentionKind::kda);
  CacheElements cache;
  cache.mla_per_token_layer = model.mla.cache_width();
  cache.mla_per_token = model.count(AttentionKind::mla) * cache.mla_per_token_layer;
  cache.kda_state_layer = std::int64_t{model.kda.width()} * model.kda.head_dim;
  cache.kda_state = num_kda * cache.kda_state_layer;
  cache.kda_conv_layer = std::int64_t{3} * (model.kda.conv_width - 1) * model.kda.width();
  cache.kda_conv = num_kda * cache.kda_conv_layer;
  return cache;
}

}  // namespace k3
