#include "engine/hardware/topology_summary.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/core.h>

namespace k3 {
namespace {

const TopologyNode& node(const Topology& topology, int index) {
  return topology.nodes[static_cast<std::size_t>(index)];
}

/// One direction of every cable: a link and its way back are one.
bool is_first_direction(const TopologyLink& link) {
  return link.from < link.to;
}

/// Cables and dead cables of every node.
struct Degrees {
  explicit Degrees(const Topology& topology)
      : all(topology.nodes.size()), dead(topology.nodes.size()) {
    for (const TopologyLink& link : topology.links) {
      if (!is_first_direction(link)) continue;
      for (const int end : {link.from, link.to}) {
        ++all[static_cast<std::size_t>(end)];
        dead[static_cast<std::size_t>(end)] += link.alive() ? 0 : 1;
      }
    }
  }

  bool all_dead(int index) const {
    const auto i = static_cast<std::size_t>(index);
    return all[i] > 0 && dead[i] == all[i];
  }

  std::vector<int> all;
  std::vector<int> dead;
};

std::vector<NodeCount> count_nodes(const Topology& topology, const Degrees& degrees) {
  std::vector<NodeCount> counts;
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    const NodeKind kind = topology.nodes[i].kind;
    auto found = std::ranges::find(counts, kind, &NodeCount::kind);
    if (found == counts.end()) found = counts.insert(found, NodeCount{kind, 0, 0});
    ++found->count;
    const bool gone = kind == NodeKind::gpu ? topology.compute_speed[i] == 0
                                            : degrees.all_dead(static_cast<int>(i));
    found->gone += gone ? 1 : 0;
  }
  return counts;
}

std::vector<CableGroup> group_cables(const Topology& topology) {
  using Key = std::tuple<NodeKind, NodeKind, int, double, std::int64_t>;
  std::map<Key, std::size_t> index;
  std::vector<CableGroup> groups;
  for (const TopologyLink& link : topology.links) {
    if (!is_first_direction(link)) continue;
    const NodeKind a = node(topology, link.from).kind;
    const NodeKind b = node(topology, link.to).kind;
    const auto [found, is_new] = index.emplace(
        Key(a, b, link.lines, link.nominal.bytes_per_second, link.latency.ps), groups.size());
    if (is_new) groups.push_back({a, b, link.lines, link.nominal, link.latency});
    CableGroup& group = groups[found->second];
    ++group.count;
    group.dead += link.alive() ? 0 : 1;
    group.reduced += link.alive() && link.capacity < link.nominal ? 1 : 0;
  }
  return groups;
}

std::vector<GpuCapacity> gpu_capacities(const Topology& topology) {
  std::vector<GpuCapacity> gpus(static_cast<std::size_t>(topology.num_gpus));
  for (std::size_t i = 0; i < gpus.size(); ++i)
    gpus[i].compute_speed = topology.compute_speed[i];
  const auto add = [](Bandwidth& sum, Bandwidth part) {
    sum.bytes_per_second += part.bytes_per_second;
  };
  for (const TopologyLink& link : topology.links) {
    const TopologyNode& from = node(topology, link.from);
    const TopologyNode& to = node(topology, link.to);
    if (from.kind == NodeKind::gpu) {
      GpuCapacity& gpu = gpus[static_cast<std::size_t>(link.from)];
      add(to.kind == NodeKind::nic ? gpu.network_send : gpu.send, link.capacity);
      if (to.kind != NodeKind::nic) add(gpu.healthy, link.nominal);
    }
    if (to.kind == NodeKind::gpu && from.kind != NodeKind::nic) {
      add(gpus[static_cast<std::size_t>(link.to)].receive, link.capacity);
    }
  }
  return gpus;
}

std::vector<std::string> name_dead(const Topology& topology, const Degrees& degrees) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    if (!degrees.all_dead(static_cast<int>(i))) continue;
    names.push_back(fmt::format("{}: all {} links", topology.nodes[i].name, degrees.all[i]));
  }
  for (const TopologyLink& link : topology.links) {
    if (!is_first_direction(link) || link.alive()) continue;
    if (degrees.all_dead(link.from) || degrees.all_dead(link.to)) continue;
    names.push_back(
        fmt::format("{} – {}", node(topology, link.from).name, node(topology, link.to).name));
  }
  return names;
}

}  // namespace

TopologySummary summarize(const Topology& topology) {
  const Degrees degrees(topology);
  return {count_nodes(topology, degrees), group_cables(topology), gpu_capacities(topology),
          name_dead(topology, degrees)};
}

std::vector<FaultEffect> fault_effects(const Machine& machine) {
  std::vector<FaultEffect> effects;
  Machine faulty = machine;
  faulty.faults.clear();
  Topology before = build_topology(faulty);
  for (const Fault& fault : machine.faults) {
    faulty.faults.push_back(fault);
    Topology after = build_topology(faulty);
    FaultEffect effect{fault.text};
    for (std::size_t i = 0; i < after.links.size(); ++i) {
      if (!is_first_direction(after.links[i])) continue;
      if (before.links[i].alive() && !after.links[i].alive()) {
        ++effect.dead;
      } else if (after.links[i].capacity < before.links[i].capacity) {
        ++effect.reduced;
      }
    }
    for (std::size_t i = 0; i < after.compute_speed.size(); ++i) {
      if (after.compute_speed[i] == before.compute_speed[i]) continue;
      ++(after.compute_speed[i] == 0 ? effect.gone : effect.slower);
    }
    effects.push_back(std::move(effect));
    before = std::move(after);
  }
  return effects;
}

}  // namespace k3
