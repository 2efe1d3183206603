#include "engine/routing/load_file.h"

#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "engine/text/file.h"
#include "engine/text/json.h"
#include "engine/text/node.h"

namespace k3 {
namespace {

/// At least `top_k` experts of a layer can be chosen, and none less often than never.
Result<void> check_row(std::span<const double> weights,
                       const std::string& where,
                       const RoutingShape& shape) {
  int positive = 0;
  double total = 0;
  for (std::size_t expert = 0; expert < weights.size(); ++expert) {
    if (!(weights[expert] >= 0)) {
      return fail(Code::invalid_input,
                  fmt::format("expert {} has weight {}; 0 or more", expert, weights[expert]),
                  where);
    }
    positive += weights[expert] > 0 ? 1 : 0;
    total += weights[expert];
  }
  if (!std::isfinite(total)) {
    return fail(Code::invalid_input, "the weights sum to more than a double holds", where);
  }
  if (positive < shape.top_k) {
    return fail(Code::invalid_input,
                fmt::format("{} experts with a positive weight; a token chooses {} distinct ones",
                            positive, shape.top_k),
                where);
  }
  return {};
}

Result<std::vector<double>> read_numbers(const TextNode& node) {
  K3_TRY(const std::vector<TextNode> items, node.items());
  std::vector<double> numbers;
  numbers.reserve(items.size());
  for (const TextNode& item : items) {
    K3_TRY(const double number, item.number());
    numbers.push_back(number);
  }
  return numbers;
}

Result<std::vector<std::int32_t>> read_indices(const TextNode& node,
                                               std::int64_t least,
                                               std::int64_t most) {
  K3_TRY(const std::vector<TextNode> items, node.items());
  std::vector<std::int32_t> indices;
  indices.reserve(items.size());
  for (const TextNode& item : items) {
    K3_TRY(const std::int64_t index, item.integer(least, most));
    indices.push_back(static_cast<std::int32_t>(index));
  }
  return indices;
}

Result<LayerPlacement> read_layer(const TextNode& node, int num_experts, int num_ranks) {
  LayerPlacement layer;
  K3_TRY(const TextNode experts, node.at("slot_to_expert"));
  K3_TRY(layer.slot_to_expert, read_indices(experts, -1, num_experts - 1));
  K3_TRY(const TextNode ranks, node.at("slot_rank"));
  K3_TRY(layer.slot_rank, read_indices(ranks, 0, num_ranks - 1));
  K3_TRY(const TextNode share, node.at("share"));
  K3_TRY(layer.share, read_numbers(share));
  return layer;
}

}  // namespace

Result<std::vector<double>> parse_popularity(std::string_view json,
                                             const std::string& where,
                                             const RoutingShape& shape) {
  K3_TRY(const Json document, Json::parse(json, where));
  const TextNode root(document, where);
  K3_TRY(const TextNode weight, root.at("weight", "a load file holds [layers][experts] weights"));
  K3_TRY(const std::vector<TextNode> layers, weight.items());
  if (layers.size() != static_cast<std::size_t>(shape.num_layers)) {
    return weight.fail(
        fmt::format("{} layers; the model has {} MoE layers", layers.size(), shape.num_layers));
  }
  std::vector<double> popularity;
  popularity.reserve(layers.size() * static_cast<std::size_t>(shape.num_experts));
  for (const TextNode& layer : layers) {
    K3_TRY(const std::vector<double> row, read_numbers(layer));
    if (row.size() != static_cast<std::size_t>(shape.num_experts)) {
      return layer.fail(fmt::format("{} experts; the model has {}", row.size(), shape.num_experts));
    }
    K3_TRY_VOID(check_row(row, layer.where(), shape));
    popularity.insert(popularity.end(), row.begin(), row.end());
  }
  return popularity;
}

Result<std::vector<double>> load_popularity(const std::filesystem::path& path,
                                            const RoutingShape& shape) {
  K3_TRY(const std::string text, read_text_file(path));
  return parse_popularity(text, path.string(), shape);
}

Result<std::vector<double>> popularity_from_counts(std::span<const std::uint64_t> counts,
                                                   const std::string& where,
                                                   const RoutingShape& shape) {
  const auto experts = static_cast<std::size_t>(shape.num_experts);
  const std::size_t wanted = static_cast<std::size_t>(shape.num_layers) * experts;
  if (counts.size() != wanted) {
    return fail(Code::invalid_input,
                fmt::format("{} counts; the model has {} MoE layers of {} experts", counts.size(),
                            shape.num_layers, shape.num_experts),
                where);
  }
  std::vector<double> popularity(counts.begin(), counts.end());
  for (std::size_t layer = 0; layer < static_cast<std::size_t>(shape.num_layers); ++layer) {
    K3_TRY_VOID(check_row(std::span(popularity).subspan(layer * experts, experts),
                          fmt::format("{}: MoE layer {}", where, layer), shape));
  }
  return popularity;
}

Result<Placement> parse_placement(std::string_view json,
                                  const std::string& where,
                                  const RoutingShape& shape,
                                  int num_ranks) {
  K3_TRY(const Json document, Json::parse(json, where));
  const TextNode root(document, where);
  K3_TRY(const TextNode node, root.at("layers", "a placement file holds one entry per MoE layer"));
  K3_TRY(const std::vector<TextNode> items, node.items());
  if (items.size() != static_cast<std::size_t>(shape.num_layers)) {
    return node.fail(
        fmt::format("{} layers; the model has {} MoE layers", items.size(), shape.num_layers));
  }
  std::vector<LayerPlacement> layers;
  for (const TextNode& item : items) {
    K3_TRY(LayerPlacement layer, read_layer(item, shape.num_experts, num_ranks));
    layers.push_back(std::move(layer));
  }
  Result<Placement> placement =
      Placement::from_layers(shape.num_experts, num_ranks, std::move(layers));
  if (!placement) return tl::unexpected(std::move(placement).error().at(where));
  return placement;
}

Result<Placement> load_placement(const std::filesystem::path& path,
                                 const RoutingShape& shape,
                                 int num_ranks) {
  K3_TRY(const std::string text, read_text_file(path));
  return parse_placement(text, path.string(), shape, num_ranks);
}

}  // namespace k3
