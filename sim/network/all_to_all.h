#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/topology.h"

namespace k3::sim {

/// How the bytes of a pair spread over the links to the planes of its rack.
enum class Striping : std::uint8_t {
  equal,  ///< over all links alike: a dead one is an error
  live,   ///< over the links that both ends have left
  hash,   ///< all on plane (source + destination) mod planes
};

std::string_view name_of(Striping striping);

struct AllToAllRequest {
  const Topology& topology;
  std::span<const int> gpus;      ///< GPU of each rank, no GPU twice
  std::span<const double> bytes;  ///< [ranks][ranks], row = source; the diagonal stays local
  Striping striping = Striping::live;
  double latency_s = 0;  ///< one way, once per pair
  int threads = 1;
};

struct LinkUse {
  std::int32_t link = 0;  ///< of the topology
  double bytes = 0;
  double busy_s = 0;  ///< from the begin to the last byte: no link idles in between
};

struct AllToAllResult {
  std::vector<double> completion_s;  ///< [ranks][ranks], 0 where nothing is sent
  double makespan_s = 0;
  double bound_s = 0;         ///< largest bytes / capacity over all links: no schedule is faster
  std::int64_t flows = 0;     ///< pairs of different ranks that send something
  std::int64_t subflows = 0;  ///< their parts on single planes or routes
  std::int64_t events = 0;
  std::vector<LinkUse> links;  ///< those that carry something, ascending
};

/// One all-to-all in the exact fluid model, all pairs from time 0. Pairs inside a rack go over its
/// planes in one hop, others by the route over NIC, leaf and spine. A pair is complete when its
/// last part is. Planes with equal capacities are solved once.
/// Errors: a dead link that has to carry something, by name; a rank on a GPU that is gone; a pair
/// without a route
Result<AllToAllResult> all_to_all(const AllToAllRequest& request);

}  // namespace k3::sim
