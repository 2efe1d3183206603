#include "engine/model/tensor_spec.h"

#include <functional>
#include <numeric>

#include <fmt/core.h>

#include "engine/model/layer_tensors_internal.h"

namespace k3 {
namespace {

class Collector {
 public:
  void add(const TensorList& list, const std::string& prefix, int layer = -1, int expert = -1) {
    for (const TensorTemplate& tensor : list) {
      specs_.push_back(
          {prefix + std::string(tensor.name), tensor.dtype, tensor.shape, layer, expert});
    }
  }

  std::vector<TensorSpec> take() { return std::move(specs_); }

 private:
  std::vector<TensorSpec> specs_;
};

void add_moe(const ModelConfig& model, const std::string& prefix, int layer, Collector& collector) {
  collector.add(moe_tensors(model), prefix, layer);
  const TensorList expert = expert_tensors(model);
  for (int e = 0; e < model.moe.experts; ++e) {
    collector.add(expert, fmt::format("{}experts.{}.", prefix, e), layer, e);
  }
}

}  // namespace

std::int64_t TensorSpec::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<TensorSpec> tensor_specs(const ModelConfig& model) {
  const std::string text = "language_model.";
  Collector collector;
  collector.add(before_layers(model), text);
  for (int l = 0; l < model.num_layers(); ++l) {
    const LayerConfig& layer = model.layers[static_cast<std::size_t>(l)];
    const std::string prefix = fmt::format("{}model.layers.{}.", text, l);
    collector.add(layer_norms(model), prefix, l);
    collector.add(attention_tensors(model, layer.attention), prefix + "self_attn.", l);
    if (layer.ffn == FfnKind::dense) {
      collector.add(dense_tensors(model), prefix + "mlp.", l);
    } else {
      add_moe(model, prefix + "block_sparse_moe.", l, collector);
    }
  }
  collector.add(after_layers(model), text);
  if (model.vision) {
    collector.add(vision_tensors(*model.vision), "");
    for (int b = 0; b < model.vision->layers; ++b) {
      collector.add(vision_block_tensors(*model.vision),
                    fmt::format("vision_tower.encoder.blocks.{}.", b));
    }
    collector.add(projector_tensors(*model.vision), "mm_projector.");
  }
  return collector.take();
}

}  // namespace k3
