#pragma once

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/hardware/discovered_topology.h"
#include "engine/hardware/topology.h"

namespace k3 {

/// What one NVLink carries in one direction, and where that number comes from.
struct LinkSpeed {
  Bandwidth speed;
  std::string source;
};

/// As the file says (speed 0 where it gives sums over several links only), else by the datasheet of
/// its GPUs; nothing where neither is known.
std::optional<LinkSpeed> link_speed(const DiscoveredTopology& topology);

/// The NVLink network that a dump shows, as the graph that machines have too: whole GPUs, a plane
/// per switch, a link per row and direction. Parts of a shared GPU are one node; rows whose other
/// end is not a GPU or a switch of the file are no links. Latencies are not in such files: 0.
/// `line` is the capacity of a link where the file gives none; {1} counts links.
/// Errors: NVLink is not in the file
Result<Topology> network_of(const DiscoveredTopology& topology, Bandwidth line);

}  // namespace k3
