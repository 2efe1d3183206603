#pragma once

#include <string>
#include <vector>

#include "engine/base/units.h"
#include "engine/hardware/machine.h"
#include "engine/hardware/topology.h"

namespace k3 {

/// Nodes of one kind.
struct NodeCount {
  NodeKind kind = NodeKind::gpu;
  int count = 0;
  int gone = 0;  ///< GPUs without speed, other nodes without a link that is alive
};

/// Alike cables: two nodes joined by links of the same speed in both directions.
struct CableGroup {
  NodeKind a = NodeKind::gpu;
  NodeKind b = NodeKind::plane;
  int lines = 1;      ///< of one cable
  Bandwidth nominal;  ///< of one cable, one direction
  Time latency;
  int count = 0;
  int reduced = 0;  ///< less than nominal, not dead
  int dead = 0;
};

/// What one GPU can send and receive.
struct GpuCapacity {
  Bandwidth send;          ///< over NVLink, to planes or GPUs
  Bandwidth receive;       ///< the same
  Bandwidth healthy;       ///< what it sends without faults
  Bandwidth network_send;  ///< over its NIC
  double compute_speed = 1;
};

/// Totals of a topology, for tables.
struct TopologySummary {
  std::vector<NodeCount> nodes;    ///< kinds that there are
  std::vector<CableGroup> cables;  ///< in the order of first appearance
  std::vector<GpuCapacity> gpus;   ///< [num_gpus]
  std::vector<std::string> dead;   ///< "gpu3 – plane7", or "plane4: all 72 links"
};

TopologySummary summarize(const Topology& topology);

/// What one fault changes when it comes after those before it in the machine's list.
struct FaultEffect {
  std::string fault;
  int reduced = 0;  ///< cables that lose a part
  int dead = 0;     ///< cables that die
  int gone = 0;     ///< GPUs
  int slower = 0;   ///< GPUs
};

std::vector<FaultEffect> fault_effects(const Machine& machine);

}  // namespace k3
