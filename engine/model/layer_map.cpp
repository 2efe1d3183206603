#include <array>
#include <optional>

#include <fmt/core.h>

#include "engine/model/layer_map_internal.h"

namespace k3 {
namespace {

struct ListedKind {
  std::string_view key;
  AttentionKind kind;
};

constexpr std::array kLists{ListedKind{"kda_layers", AttentionKind::kda},
                            ListedKind{"full_attn_layers", AttentionKind::mla}};

using KindOfLayer = std::vector<std::optional<AttentionKind>>;

Result<void> read_list(const TextNode& linear_attn, const ListedKind& list, KindOfLayer& kinds) {
  K3_TRY(const TextNode node, linear_attn.at(list.key, "a list of layer numbers from 1"));
  K3_TRY(const auto items, node.items());
  for (const TextNode& item : items) {
    K3_TRY(const std::int64_t number, item.integer());
    if (number < 1 || number > static_cast<std::int64_t>(kinds.size())) {
      return item.fail(fmt::format("there is no layer {}; layers count from 1 to {} here", number,
                                   kinds.size()));
    }
    auto& kind = kinds[static_cast<std::size_t>(number - 1)];
    if (kind == list.kind) return item.fail(fmt::format("layer {} is listed twice", number));
    if (kind) {
      return item.fail(
          fmt::format("layer {} is in kda_layers as well; every layer must be in "
                      "exactly one list",
                      number));
    }
    kind = list.kind;
  }
  return {};
}

}  // namespace

Result<std::vector<LayerConfig>> read_layer_map(const TextNode& linear_attn,
                                                const LayerMapShape& shape) {
  KindOfLayer kinds(static_cast<std::size_t>(shape.num_layers));
  for (const ListedKind& list : kLists)
    K3_TRY_VOID(read_list(linear_attn, list, kinds));
  std::vector<LayerConfig> layers;
  for (int l = 0; l < shape.num_layers; ++l) {
    const auto kind = kinds[static_cast<std::size_t>(l)];
    if (!kind) {
      return linear_attn.fail(fmt::format(
          "layer {} of {} is in neither kda_layers nor full_attn_layers; every layer must be in "
          "exactly one",
          l + 1, shape.num_layers));
    }
    LayerConfig layer;
    layer.attention = *kind;
    layer.ffn = l < shape.num_dense ? FfnKind::dense : FfnKind::moe;
    layer.pushes_block = l % shape.attn_res_block == 0;
    // Finished blocks and the prefix. Before attention the block list is the one before a push.
    const int blocks_before = (l + shape.attn_res_block - 1) / shape.attn_res_block;
    layer.attention_sources = l == 0 ? 0 : blocks_before + 1;
    layer.ffn_sources = l / shape.attn_res_block + 2;
    layers.push_back(layer);
  }
  return layers;
}

}  // namespace k3
