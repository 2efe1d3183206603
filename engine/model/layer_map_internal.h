#pragma once

#include <vector>

#include "engine/model/model_config.h"
#include "engine/text/node.h"

namespace k3 {

struct LayerMapShape {
  int num_layers = 0;
  int num_dense = 0;  ///< the first layers; the others are MoE
  int attn_res_block = 0;
};

/// The layers from the lists `kda_layers` and `full_attn_layers` of `linear_attn_config`.
/// Errors: a layer in both lists, in none, twice in one, or out of range (the lists count from 1)
Result<std::vector<LayerConfig>> read_layer_map(const TextNode& linear_attn,
                                                const LayerMapShape& shape);

}  // namespace k3
