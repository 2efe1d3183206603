#include "engine/hardware/discovered_network.h"

#include <algorithm>

#include <fmt/core.h>

namespace k3 {

std::optional<LinkSpeed> link_speed(const DiscoveredTopology& topology) {
  if (topology.nvlink_rate) return LinkSpeed{*topology.nvlink_rate, "in the file"};
  const auto has_sums = [&](const DiscoveredGpu& gpu) {
    return topology.nvlink_bandwidth(gpu).has_value();
  };
  if (std::ranges::any_of(topology.gpus, has_sums)) return LinkSpeed{{}, "in the file"};
  std::optional<int> sm;
  for (const DiscoveredGpu& gpu : topology.gpus) {
    if (!gpu.sm || (sm && *sm != *gpu.sm)) return std::nullopt;
    sm = gpu.sm;
  }
  if (!sm) return std::nullopt;
  const std::optional<Bandwidth> speed = nvlink_speed_of(*sm);
  if (!speed) return std::nullopt;
  return LinkSpeed{
      *speed, fmt::format("datasheet of GPUs of compute capability {}.{}", *sm / 10, *sm % 10)};
}

namespace {

class NetworkBuilder {
 public:
  NetworkBuilder(const DiscoveredTopology& dump, Bandwidth line) : dump_(dump), line_(line) {}

  Topology build() {
    node_of_.assign(dump_.gpus.size(), -1);
    for (std::size_t i = 0; i < dump_.gpus.size(); ++i) {
      const DiscoveredGpu& gpu = dump_.gpus[i];
      if (!gpu.is_whole()) continue;
      node_of_[i] = topology_.num_gpus;
      topology_.nodes.push_back({NodeKind::gpu, topology_.num_gpus++, 0, gpu.host, gpu.name});
    }
    topology_.compute_speed.assign(static_cast<std::size_t>(topology_.num_gpus), 1.0);
    for (std::size_t i = 0; i < dump_.switches.size(); ++i) {
      topology_.nodes.push_back(
          {NodeKind::plane, static_cast<int>(i), 0, -1, dump_.switches[i].name});
    }
    for (std::size_t i = 0; i < dump_.gpus.size(); ++i) {
      if (node_of_[i] < 0) continue;
      for (const NvlinkRow& row : dump_.gpus[i].nvlinks)
        add(node_of_[i], row);
    }
    return std::move(topology_);
  }

 private:
  void add(int from, const NvlinkRow& row) {
    if (!row.is_link()) return;
    TopologyLink link;
    link.from = from;
    link.lines = row.count.value_or(1);
    link.nominal = row.bandwidth.value_or(line_ * link.lines);
    link.capacity = link.nominal;
    if (row.end == LinkEnd::gpu) {
      // The other GPU's own row is the way back.
      const DiscoveredGpu& peer = dump_.gpus[static_cast<std::size_t>(row.index)];
      link.to = node_of_[static_cast<std::size_t>(peer.is_whole() ? row.index : peer.part_of)];
      topology_.links.push_back(link);
    } else if (row.end == LinkEnd::named_switch || row.end == LinkEnd::hidden_switch) {
      link.to = topology_.num_gpus + row.index;
      topology_.links.push_back(link);
      std::swap(link.from, link.to);
      topology_.links.push_back(link);
    }
  }

  const DiscoveredTopology& dump_;
  Bandwidth line_;
  Topology topology_;
  std::vector<int> node_of_;
};

}  // namespace

Result<Topology> network_of(const DiscoveredTopology& topology, Bandwidth line) {
  if (!topology.nvlink_absent.empty()) {
    return fail(Code::unsupported, "NVLink is not in this file: " + topology.nvlink_absent,
                topology.file);
  }
  return NetworkBuilder(topology, line).build();
}

}  // namespace k3
