// Whatever text a load or placement file holds: a popularity and a Placement, or an Error.

#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "engine/routing/load_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr k3::RoutingShape kShape{.num_layers = 2, .num_experts = 4, .top_k = 2};
  constexpr int kRanks = 2;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto popularity = k3::parse_popularity(text, "load.json", kShape)) {
    K3_CHECK(popularity->size() == 8);
  }
  const auto placement = k3::parse_placement(text, "placement.json", kShape, kRanks);
  if (!placement) return 0;
  for (int expert = 0; expert < kShape.num_experts; ++expert) {
    const int slot = placement->slot_of(1, expert, 3, 17);
    K3_CHECK(placement->layer(1).slot_to_expert[static_cast<std::size_t>(slot)] == expert);
  }
  return 0;
}
