#pragma once

#include "engine/base/result.h"
#include "engine/hardware/discovered_topology.h"
#include "engine/text/xml.h"

namespace k3 {

/// Reads a topology of NCCL: what NCCL_TOPO_DUMP_FILE writes (several fused hosts included), a
/// template that a cloud gives as NCCL_TOPO_FILE, or a fragment of either (root <cpu> or <pci>).
/// GPUs are ordered by rank where every one has its own, else as in the file.
/// Errors: FILE:LINE:COLUMN; no device in it, a number that is none
/// Source: NCCL 2.28 src/graph/xml.cc, topo.cc (element and attribute names, PCI classes)
Result<DiscoveredTopology> read_nccl_topology(const XmlDocument& document);

/// Reads a graph dump of NCCL (NCCL_GRAPH_DUMP_FILE): channels, speeds and GPUs per pattern.
/// Connectivity is not in such a file. Errors: as above
Result<DiscoveredTopology> read_nccl_graph(const XmlDocument& document);

}  // namespace k3
