#pragma once

#include <string>

#include "engine/hardware/topology.h"

namespace k3 {

/// The topology as a directed GraphML document, for graph tools: nodes with `kind`, `name`, `rack`
/// and `tray` (−1: none), edges with `capacity_bytes_per_s` (0: dead), `latency_ns` and `lines`.
/// Nodes and edges keep their order.
std::string write_graphml(const Topology& topology);

}  // namespace k3
