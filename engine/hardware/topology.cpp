#include "engine/hardware/topology.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/core.h>

#include "engine/base/check.h"

namespace k3 {
namespace {

int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

/// How many of each part a machine has, and which belong together.
class Parts {
 public:
  explicit Parts(const Machine& machine)
      : machine_(machine),
        gpus_per_rack_(machine.gpus_per_rack()),
        gpus_per_tray_(machine.gpus_per_tray > 0 ? machine.gpus_per_tray : gpus_per_rack_) {}

  int gpus() const { return machine_.num_gpus; }

  int planes() const { return machine_.racks * machine_.planes(); }

  int trays() const { return machine_.racks * trays_per_rack(); }

  int nics() const { return machine_.scale_out ? gpus() : 0; }

  int rails() const { return std::min(gpus_per_tray_, gpus_per_rack_); }

  int leaves() const {
    if (!machine_.scale_out) return 0;
    return rails() * ceil_div(trays(), machine_.scale_out->leaf_down_links);
  }

  int spines() const { return machine_.scale_out ? machine_.scale_out->spines : 0; }

  int rack_of(int gpu) const { return gpu / gpus_per_rack_; }

  int tray_of(int gpu) const {
    return rack_of(gpu) * trays_per_rack() + gpu % gpus_per_rack_ / gpus_per_tray_;
  }

  /// The leaf of a GPU's rail that serves its tray.
  int leaf_of(int gpu) const {
    const int rail = gpu % gpus_per_rack_ % gpus_per_tray_;
    return tray_of(gpu) / machine_.scale_out->leaf_down_links * rails() + rail;
  }

 private:
  int trays_per_rack() const { return ceil_div(gpus_per_rack_, gpus_per_tray_); }

  const Machine& machine_;
  int gpus_per_rack_;
  int gpus_per_tray_;
};

/// What faults leave of nodes and of single links.
struct Damage {
  Damage(std::span<const Fault> faults, const Parts& parts)
      : compute(static_cast<std::size_t>(parts.gpus()), 1.0),
        plane(static_cast<std::size_t>(parts.planes()), 1.0),
        nic(static_cast<std::size_t>(parts.nics()), 1.0),
        leaf(static_cast<std::size_t>(parts.leaves()), 1.0),
        spine(static_cast<std::size_t>(parts.spines()), 1.0) {
    for (const Fault& fault : faults)
      add(fault, parts);
  }

  bool gone(int gpu) const { return compute[static_cast<std::size_t>(gpu)] == 0; }

  /// Of both directions between a GPU and a plane.
  double link(int gpu, int plane_index) const {
    double left = gone(gpu) ? 0.0 : plane[static_cast<std::size_t>(plane_index)];
    for (const Fault& fault : links) {
      if (fault.index == gpu && fault.plane == plane_index) left *= fault.fraction;
    }
    return left;
  }

  std::vector<double> compute;  ///< per GPU; 0: gone
  std::vector<double> plane;
  std::vector<double> nic;
  std::vector<double> leaf;
  std::vector<double> spine;
  std::vector<Fault> links;

 private:
  void add(const Fault& fault, const Parts& parts) {
    const auto index = static_cast<std::size_t>(fault.index);
    switch (fault.target) {
      case FaultTarget::link:
        links.push_back(fault);
        break;
      case FaultTarget::plane:
        plane.at(index) *= fault.fraction;
        break;
      case FaultTarget::nic:
        nic.at(index) *= fault.fraction;
        break;
      case FaultTarget::leaf:
        leaf.at(index) *= fault.fraction;
        break;
      case FaultTarget::spine:
        spine.at(index) *= fault.fraction;
        break;
      case FaultTarget::compute:
        compute.at(index) *= fault.fraction;
        break;
      case FaultTarget::gpu:
        compute.at(index) = 0;
        break;
      case FaultTarget::tray:
        for (int gpu = 0; gpu < parts.gpus(); ++gpu) {
          if (parts.tray_of(gpu) == fault.index) compute[static_cast<std::size_t>(gpu)] = 0;
        }
        break;
    }
  }
};

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
  Parts parts_;
  Damage damage_;
  Topology topology_;
  int first_plane_ = 0;
  int first_nic_ = 0;
  int first_leaf_ = 0;
  int first_spine_ = 0;
};

/// Why the machine cannot have this fault; nothing if it can.
std::optional<std::string> misfit(const Machine& machine, const Fault& fault) {
  const Parts parts(machine);
  const auto among = [&](std::string_view kind, int count) -> std::optional<std::string> {
    if (count == 0) return fmt::format("{} has no {}s", machine.name, kind);
    if (fault.index < count) return std::nullopt;
    return count == 1 ? fmt::format("{} has only {}0", machine.name, kind)
                      : fmt::format("{} has {}0 to {}{}", machine.name, kind, kind, count - 1);
  };
  switch (fault.target) {
    case FaultTarget::plane:
      return among("plane", parts.planes());
    case FaultTarget::nic:
      return among("nic", parts.nics());
    case FaultTarget::leaf:
      return among("leaf", parts.leaves());
    case FaultTarget::spine:
      return among("spine", parts.spines());
    case FaultTarget::tray:
      return among("tray", parts.trays());
    case FaultTarget::compute:
    case FaultTarget::gpu:
    case FaultTarget::link:
      break;
  }
  if (auto wrong = among("gpu", parts.gpus())) return wrong;
  if (fault.target != FaultTarget::link) return std::nullopt;
  if (machine.planes() == 0) return fmt::format("{} has no planes", machine.name);
  const int rack = parts.rack_of(fault.index);
  const int first = rack * machine.planes();
  if (fault.plane >= first && fault.plane < first + machine.planes()) return std::nullopt;
  return fmt::format("gpu{} of {} has links to plane{} to plane{}", fault.index, machine.name,
                     first, first + machine.planes() - 1);
}

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

Result<Machine> with_faults(Machine machine, std::span<const Fault> faults) {
  for (const Fault& fault : faults) {
    if (const auto wrong = misfit(machine, fault)) {
      return fail(Code::invalid_input, fmt::format("`{}`: {}", fault.text, *wrong));
    }
  }
  machine.faults.insert(machine.faults.end(), faults.begin(), faults.end());
  return machine;
}

Topology build_topology(const Machine& machine) {
  K3_CHECK(machine.racks > 0 && machine.num_gpus > 0, "machine without GPUs");
  K3_CHECK(machine.num_gpus % machine.racks == 0, "racks of different size");
  return Builder(machine).build();
}

}  // namespace k3
