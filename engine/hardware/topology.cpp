#include "engine/hardware/topology.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "engine/base/check.h"
#include "engine/hardware/machine_parts_internal.h"

namespace k3 {
namespace {

class Builder {
 public:
  explicit Builder(const Machine& machine)
      : machine_(machine), parts_(machine), damage_(machine.faults, parts_) {}

  Topology build() && {
    add_nodes();
    for (int gpu = 0; gpu < parts_.gpus(); ++gpu)
      add_plane_links(gpu);
    if (machine_.scale_out) {
      for (int gpu = 0; gpu < parts_.gpus(); ++gpu)
        add_nic_links(gpu, *machine_.scale_out);
      for (int leaf = 0; leaf < parts_.leaves(); ++leaf)
        add_spine_links(leaf, *machine_.scale_out);
    }
    topology_.num_gpus = parts_.gpus();
    topology_.compute_speed = std::move(damage_.compute);
    return std::move(topology_);
  }

 private:
  /// One cable: both directions between two nodes.
  struct Cable {
    int a = 0;
    int b = 0;
    int lines = 1;
    Bandwidth line;   ///< of one of them
    double left = 1;  ///< after faults
  };

  void add_node(NodeKind kind, int index, int rack, int tray) {
    topology_.nodes.push_back({kind, index, rack, tray, fmt::format("{}{}", name_of(kind), index)});
  }

  void add_nodes() {
    for (int gpu = 0; gpu < parts_.gpus(); ++gpu)
      add_node(NodeKind::gpu, gpu, parts_.rack_of(gpu), parts_.tray_of(gpu));
    first_plane_ = static_cast<int>(topology_.nodes.size());
    for (int plane = 0; plane < parts_.planes(); ++plane)
      add_node(NodeKind::plane, plane, plane / machine_.planes(), -1);
    first_nic_ = static_cast<int>(topology_.nodes.size());
    for (int nic = 0; nic < parts_.nics(); ++nic)
      add_node(NodeKind::nic, nic, parts_.rack_of(nic), parts_.tray_of(nic));
    first_leaf_ = static_cast<int>(topology_.nodes.size());
    for (int leaf = 0; leaf < parts_.leaves(); ++leaf)
      add_node(NodeKind::leaf, leaf, -1, -1);
    first_spine_ = static_cast<int>(topology_.nodes.size());
    for (int spine = 0; spine < parts_.spines(); ++spine)
      add_node(NodeKind::spine, spine, -1, -1);
  }

  void add_cable(const Cable& cable, Time there, Time back) {
    const Bandwidth nominal = cable.line * cable.lines;
    const Bandwidth capacity = nominal * cable.left;
    topology_.links.push_back({cable.a, cable.b, cable.lines, nominal, capacity, there});
    topology_.links.push_back({cable.b, cable.a, cable.lines, nominal, capacity, back});
  }

  void add_plane_links(int gpu) {
    const Time up = half(machine_.link_latency);
    for (int p = 0; p < machine_.planes(); ++p) {
      const int plane = parts_.rack_of(gpu) * machine_.planes() + p;
      add_cable({.a = gpu,
                 .b = first_plane_ + plane,
                 .lines = machine_.plane_links[static_cast<std::size_t>(p)],
                 .line = machine_.link_bandwidth,
                 .left = damage_.link(gpu, plane)},
                up, machine_.link_latency - up);
    }
  }

  /// NOTE: the latency of the scale-out network lies on the links of leaf and spine, a quarter
  /// each way up and down: GPUs of one leaf are half as far apart.
  void add_nic_links(int gpu, const ScaleOut& out) {
    const int nic = first_nic_ + gpu;
    const double left = damage_.nic[static_cast<std::size_t>(gpu)];
    const int leaf = parts_.leaf_of(gpu);
    const Time near = half(out.latency);
    const Time up = out.spines > 0 ? half(near) : near;
    const Time down = out.spines > 0 ? near - half(near) : out.latency - near;
    add_cable(
        {.a = gpu, .b = nic, .line = out.nic_bandwidth, .left = damage_.gone(gpu) ? 0.0 : left}, {},
        {});
    add_cable({.a = nic,
               .b = first_leaf_ + leaf,
               .line = out.nic_bandwidth,
               .left = left * damage_.leaf[static_cast<std::size_t>(leaf)]},
              up, down);
  }

  void add_spine_links(int leaf, const ScaleOut& out) {
    const Time far = out.latency - half(out.latency);
    for (int spine = 0; spine < parts_.spines(); ++spine) {
      add_cable({.a = first_leaf_ + leaf,
                 .b = first_spine_ + spine,
                 .lines = out.links_per_spine,
                 .line = out.spine_bandwidth,
                 .left = damage_.leaf[static_cast<std::size_t>(leaf)] *
                         damage_.spine[static_cast<std::size_t>(spine)]},
                half(far), far - half(far));
    }
  }

  static Time half(Time time) { return {time.ps / 2}; }

  const Machine& machine_;
  MachineParts parts_;
  Damage damage_;
  Topology topology_;
  int first_plane_ = 0;
  int first_nic_ = 0;
  int first_leaf_ = 0;
  int first_spine_ = 0;
};

std::vector<int> links_of(const Topology& topology,
                          int gpu,
                          int TopologyLink::* near,
                          int TopologyLink::* far) {
  std::vector<int> ids;
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    const TopologyLink& link = topology.links[i];
    const TopologyNode& other = topology.nodes[static_cast<std::size_t>(link.*far)];
    if (link.*near == gpu && other.kind == NodeKind::plane) ids.push_back(static_cast<int>(i));
  }
  std::stable_sort(ids.begin(), ids.end(), [&](int a, int b) {
    return topology.links[static_cast<std::size_t>(a)].*far <
           topology.links[static_cast<std::size_t>(b)].*far;
  });
  return ids;
}

}  // namespace

std::string_view name_of(NodeKind kind) {
  constexpr std::array<std::string_view, 5> kNames{"gpu", "plane", "nic", "leaf", "spine"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<int> Topology::up_links(int gpu) const {
  return links_of(*this, gpu, &TopologyLink::from, &TopologyLink::to);
}

std::vector<int> Topology::down_links(int gpu) const {
  return links_of(*this, gpu, &TopologyLink::to, &TopologyLink::from);
}

std::vector<int> Topology::live_gpus() const {
  std::vector<int> live;
  for (int gpu = 0; gpu < num_gpus; ++gpu) {
    if (compute_speed[static_cast<std::size_t>(gpu)] > 0) live.push_back(gpu);
  }
  return live;
}

Topology build_topology(const Machine& machine) {
  K3_CHECK(machine.racks > 0 && machine.num_gpus > 0, "machine without GPUs");
  K3_CHECK(machine.num_gpus % machine.racks == 0, "racks of different size");
  return Builder(machine).build();
}

}  // namespace k3
