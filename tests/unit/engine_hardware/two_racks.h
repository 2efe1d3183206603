#pragma once

#include <string>
#include <vector>

#include "engine/hardware/topology.h"
#include "tests/support/broken_machine.h"
#include "tests/support/tiny_machine.h"

namespace k3::test {

/// Two racks of 4 GPUs and two planes, trays of 2; 8 NICs on 4 leaves (2 rails, 2 trays each), 3
/// spines with 2 lines to every leaf.
inline Machine two_racks() {
  Machine machine = tiny_machine(8);
  machine.name = "pair";
  machine.racks = 2;
  machine.gpus_per_tray = 2;
  machine.scale_out = ScaleOut{.nic_bandwidth = {1e9},
                               .latency = Time::from_ns(4001),
                               .leaf_down_links = 2,
                               .spines = 3,
                               .links_per_spine = 2,
                               .spine_bandwidth = {4e8}};
  return machine;
}

/// The names of the nodes along a route, "gpu0 plane1 gpu2".
inline std::string way(const Topology& topology, const std::vector<int>& route) {
  std::string names;
  for (const int id : route) {
    const TopologyLink& link = topology.links[static_cast<std::size_t>(id)];
    if (names.empty()) names = topology.nodes[static_cast<std::size_t>(link.from)].name;
    names += " " + topology.nodes[static_cast<std::size_t>(link.to)].name;
  }
  return names;
}

}  // namespace k3::test
