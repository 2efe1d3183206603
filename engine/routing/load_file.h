#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/routing/placement.h"
#include "engine/routing/routing.h"

namespace k3 {

/// Popularity [layers, experts] from a load file: a JSON object whose `weight` is [layers][experts]
/// (other keys are ignored). A weight is the chance of the first choice; the choices after it are
/// drawn without replacement, so that the shares of hot experts come out a little flatter.
/// Errors: file and place; layers or experts other than the model's (both counts), negative
/// weights, layers with fewer than `top_k` positive weights
Result<std::vector<double>> load_popularity(const std::filesystem::path& path,
                                            const RoutingShape& shape);

/// The same from text; `where` names it in errors.
Result<std::vector<double>> parse_popularity(std::string_view json,
                                             const std::string& where,
                                             const RoutingShape& shape);

/// Popularity from tokens counted per MoE layer and expert [layers, experts].
/// Errors: as load_popularity; `where` names the source
Result<std::vector<double>> popularity_from_counts(std::span<const std::uint64_t> counts,
                                                   const std::string& where,
                                                   const RoutingShape& shape);

/// Placement from a JSON object as `place` writes it: `layers[i]` with `slot_to_expert`,
/// `slot_rank` and `share`, one entry per slot (other keys are ignored).
/// Errors: file and place; another number of layers than the model's, what Placement refuses
Result<Placement> load_placement(const std::filesystem::path& path,
                                 const RoutingShape& shape,
                                 int num_ranks);

/// The same from text; `where` names it in errors.
Result<Placement> parse_placement(std::string_view json,
                                  const std::string& where,
                                  const RoutingShape& shape,
                                  int num_ranks);

}  // namespace k3
