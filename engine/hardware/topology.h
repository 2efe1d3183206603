#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/hardware/machine.h"

namespace k3 {

enum class NodeKind : std::uint8_t { gpu, plane, nic, leaf, spine };

std::string_view name_of(NodeKind kind);

/// A node of the network. A switch is never a compute node: only GPUs send and receive.
struct TopologyNode {
  NodeKind kind = NodeKind::gpu;
  int index = 0;     ///< among the nodes of its kind
  int rack = -1;     ///< −1: belongs to no rack (leaf, spine)
  int tray = -1;     ///< of a GPU or NIC, over the machine
  std::string name;  ///< gpu3, plane7, nic3, leaf0, spine1
};

/// All parallel lines between two neighbours in one direction; several lines add up.
struct TopologyLink {
  int from = 0;  ///< node
  int to = 0;
  int lines = 1;
  Bandwidth nominal;   ///< of all lines, healthy
  Bandwidth capacity;  ///< after faults; 0: dead
  Time latency;        ///< one way; the links of a route sum to the latency between two GPUs

  bool alive() const { return capacity.bytes_per_second > 0; }
};

/// The network of a machine after its faults as a directed graph: vectors and indices. GPUs are the
/// nodes 0 … num_gpus − 1, in order; GPUs that are gone stay as nodes whose links are dead.
struct Topology {
  std::vector<TopologyNode> nodes;
  std::vector<TopologyLink> links;
  int num_gpus = 0;
  std::vector<double> compute_speed;  ///< per GPU, 1 = healthy, 0 = gone

  /// Links of `gpu` to and from the planes of its rack, in plane order: [planes] ids. With HGX or a
  /// rack every GPU has one to each plane.
  std::vector<int> up_links(int gpu) const;
  std::vector<int> down_links(int gpu) const;

  /// GPUs that are left, ascending: rank r runs on the r-th of them.
  std::vector<int> live_gpus() const;
};

/// The machine with `faults` added to its own, each once. Errors: a part that the machine does not
/// have ("gpu80: gb300-nvl72 has gpu0 to gpu71"); two faults that contradict each other, named
Result<Machine> with_faults(Machine machine, std::span<const Fault> faults);

/// Per GPU, what its machine's faults leave of the speed of its kernels: 1 healthy, 0 gone.
std::vector<double> gpu_speeds(const Machine& machine);

/// As Topology::live_gpus.
std::vector<int> live_gpus(const Machine& machine);
int num_live_gpus(const Machine& machine);

/// "gb300-nvl72 has 72 GPUs"; "… has 67 GPUs left after gpu9=gone, tray2=gone".
std::string describe_gpus(const Machine& machine);

/// Machines are valid once loaded; with_faults has checked the faults.
Topology build_topology(const Machine& machine);

}  // namespace k3
