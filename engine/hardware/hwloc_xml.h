#pragma once

#include "engine/base/result.h"
#include "engine/hardware/discovered_topology.h"
#include "engine/text/xml.h"

namespace k3 {

/// Reads what hwloc (lstopo) exports: GPUs, NVSwitches and NICs with their NUMA nodes, and the
/// matrix NVLinkBandwidth, which gives bandwidths and no counts, and nothing between switches.
/// Errors: FILE:LINE:COLUMN; a matrix that is not square or names objects that are not there
/// Source: hwloc 2.11 hwloc2.dtd, topology-nvml.c
Result<DiscoveredTopology> read_hwloc(const XmlDocument& document);

}  // namespace k3
