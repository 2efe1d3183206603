#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/topology.h"
#include "sim/network/striped_paths.h"

namespace k3::sim {

struct AllToAllRequest {
  const Topology& topology;
  std::span<const int> gpus;      ///< GPU of each rank, no GPU twice
  std::span<const double> bytes;  ///< [ranks][ranks], row = source; the diagonal stays local
  Striping striping = Striping::live;
  double latency_s = 0;  ///< one way, once per pair
  int threads = 1;
  Progress* progress = nullptr;  ///< optional: counts flows of the problem, can stop it
};

struct AllToAllResult {
  std::vector<double> completion_s;  ///< [ranks][ranks], 0 where nothing is sent
  double makespan_s = 0;
  double bound_s = 0;          ///< largest bytes / capacity over all links: no schedule is faster
  std::int64_t flows = 0;      ///< pairs of different ranks that send something
  std::int64_t subflows = 0;   ///< their parts on single planes or routes
  std::int64_t events = 0;     ///< moments at which rates changed
  std::vector<LinkUse> links;  ///< those that carry something, ascending
};

/// One all-to-all in the exact fluid model (max_min.h), all pairs from time 0. A pair is complete
/// when its last part is.
/// Errors: those of StripedPaths; cancelled
Result<AllToAllResult> all_to_all(const AllToAllRequest& request);

/// The same bytes on the same links, unsolved: busy_s = bytes / capacity.
Result<std::vector<LinkUse>> link_loads(const AllToAllRequest& request);

}  // namespace k3::sim
