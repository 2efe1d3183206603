#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/model/model_config.h"

namespace k3 {

/// What a tensor belongs to, for counting.
enum class TensorGroup : std::uint8_t {
  embed,
  lm_head,
  norm,  ///< layer norms, attention residuals, output mix, final norm
  attention,
  dense,
  router,
  latent,
  latent_norm,
  shared,
  expert,
  vision,
  projector,
};

/// One tensor of a list, named relative to what the list describes.
struct TensorTemplate {
  std::string_view name;
  TensorGroup group = TensorGroup::norm;
  DType dtype = DType::bf16;
  std::vector<std::int64_t> shape;
};

using TensorList = std::vector<TensorTemplate>;

// The only place that knows the shapes of a checkpoint. Names get these prefixes:
TensorList before_layers(const ModelConfig& model);                          ///< language_model.
TensorList after_layers(const ModelConfig& model);                           ///< language_model.
TensorList layer_norms(const ModelConfig& model);                            ///< …model.layers.L.
TensorList attention_tensors(const ModelConfig& model, AttentionKind kind);  ///< …self_attn.
TensorList dense_tensors(const ModelConfig& model);                          ///< …mlp.
TensorList moe_tensors(const ModelConfig& model);       ///< …block_sparse_moe., without experts
TensorList expert_tensors(const ModelConfig& model);    ///< …block_sparse_moe.experts.E.
TensorList vision_tensors(const VisionConfig& vision);  ///< no prefix
TensorList vision_block_tensors(const VisionConfig& vision);  ///< vision_tower.encoder.blocks.B.
TensorList projector_tensors(const VisionConfig& vision);     ///< mm_projector.

/// Elements as stored.
std::int64_t stored_elements(const TensorTemplate& tensor);
/// Parameters: packed MXFP4 bytes hold two, their scales none.
std::int64_t parameters(const TensorTemplate& tensor);

std::int64_t parameters(const TensorList& list);
std::int64_t bytes(const TensorList& list);
/// Parameters of the matrices of a list alone: what products with a vector multiply.
std::int64_t matrix_parameters(const TensorList& list);

}  // namespace k3
