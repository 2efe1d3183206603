#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/model/model_config.h"

namespace k3 {

/// One tensor of a checkpoint in Hugging Face layout.
struct TensorSpec {
  std::string name;  ///< full name, `language_model.` included
  DType dtype = DType::bf16;
  std::vector<std::int64_t> shape;  ///< [out, in] for matrices
  int layer = -1;                   ///< −1: not part of a layer
  int expert = -1;                  ///< −1: not part of a routed expert

  std::int64_t elements() const;

  std::int64_t bytes() const { return elements() * size_of(dtype); }
};

/// Every tensor that a checkpoint of this model holds, in a fixed order: embedding, layers, head,
/// then (where the config has them) vision tower and projector. Experts come as packed MXFP4 with
/// scales where `experts_mxfp4`, else as bf16 `weight`. Source: ../k3 tensor list of the official
/// index; 497,220 names for K3
std::vector<TensorSpec> tensor_specs(const ModelConfig& model);

}  // namespace k3
