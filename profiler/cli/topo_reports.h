#pragma once

#include <optional>
#include <string>

#include "engine/hardware/discovered_topology.h"
#include "engine/hardware/machine.h"
#include "engine/hardware/topology.h"
#include "engine/text/json.h"

namespace k3::cli {

// What `topo` prints about a machine and about a dump.

std::string machine_topology_text(const Machine& machine, const Topology& topology);
Json machine_topology_json(const Machine& machine, const Topology& topology);

/// The network of a dump; `speed_source` is empty where no speed of a link is known, then
/// capacities count links.
struct DumpNetwork {
  Topology topology;
  Bandwidth line;
  std::string speed_source;
};

std::string dump_topology_text(const DiscoveredTopology& dump,
                               const std::optional<DumpNetwork>& network);
Json dump_topology_json(const DiscoveredTopology& dump, const std::optional<DumpNetwork>& network);

}  // namespace k3::cli
