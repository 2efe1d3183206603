#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/core.h>

#include "engine/hardware/nccl_xml.h"

namespace k3 {
namespace {

/// Source: NCCL 2.28 init.cc (ids of the searched graphs)
std::string graph_name(int id, int pattern) {
  switch (id) {
    case 0:
      return "ring";
    case 1:
      return "tree";
    case 2:
      return "collnet chain";
    case 3:
      return "NVLS";
    case 4:
      return "collnet direct";
    default:
      return fmt::format("pattern {}", pattern);
  }
}

std::string word_of(const XmlElement& element, std::string_view key) {
  const std::string* value = element.attribute(key);
  return value == nullptr ? std::string() : *value;
}

Result<std::optional<Bandwidth>> speed_of(const XmlDocument& document,
                                          const XmlElement& element,
                                          std::string_view key) {
  K3_TRY(const auto value, document.real(element, key));
  if (!value) return std::nullopt;
  return Bandwidth{*value * 1e9};
}

using Devices = std::set<std::int64_t>;

/// A device number holds the index of its host in the top byte.
int num_hosts(const Devices& devices) {
  std::set<std::int64_t> hosts;
  for (const std::int64_t device : devices)
    hosts.insert(device >> 56);
  return static_cast<int>(hosts.size());
}

Result<Devices> devices_of(const XmlDocument& document, const XmlElement& element) {
  Devices devices;
  for (const XmlElement& channel : element.children) {
    if (channel.name != "channel") continue;
    for (const XmlElement& gpu : channel.children) {
      if (gpu.name != "gpu") continue;
      K3_TRY(const auto device,
             document.integer(gpu, "dev", 0, std::numeric_limits<std::int64_t>::max()));
      if (device) devices.insert(*device);
    }
  }
  return devices;
}

Result<DiscoveredGraph> read_graph(const XmlDocument& document,
                                   const XmlElement& element,
                                   Devices& all) {
  K3_TRY(const auto id, document.integer(element, "id"));
  K3_TRY(const auto pattern, document.integer(element, "pattern"));
  K3_TRY(const auto channels, document.integer(element, "nchannels"));
  if (!id || !channels) {
    return document.fail(element, "<graph> has no id or no nchannels; a graph dump of NCCL has");
  }
  DiscoveredGraph graph;
  graph.id = static_cast<int>(*id);
  graph.pattern = static_cast<int>(pattern.value_or(0));
  graph.name = graph_name(graph.id, graph.pattern);
  graph.channels = static_cast<int>(*channels);
  K3_TRY(graph.intra_speed, speed_of(document, element, "speedintra"));
  K3_TRY(graph.inter_speed, speed_of(document, element, "speedinter"));
  graph.intra_type = word_of(element, "typeintra");
  graph.inter_type = word_of(element, "typeinter");
  K3_TRY(const Devices devices, devices_of(document, element));
  graph.gpus = static_cast<int>(devices.size());
  graph.hosts = num_hosts(devices);
  all.insert(devices.begin(), devices.end());
  return graph;
}

}  // namespace

Result<DiscoveredTopology> read_nccl_graph(const XmlDocument& document) {
  DiscoveredTopology topology;
  topology.kind = DumpKind::nccl_graph;
  topology.file = document.file();
  topology.nvlink_absent =
      "a graph dump holds the channels that NCCL found, not the links; NCCL_TOPO_DUMP_FILE has "
      "them";
  Devices all;
  for (const XmlElement& element : document.root().children) {
    if (element.name != "graph") continue;
    K3_TRY(DiscoveredGraph graph, read_graph(document, element, all));
    const auto written = std::ranges::count(element.children, "channel", &XmlElement::name);
    if (written != graph.channels) {
      topology.add(Severity::warning, fmt::format("{} says {} channels and lists {}", graph.name,
                                                  graph.channels, written));
    }
    topology.graphs.push_back(std::move(graph));
  }
  if (topology.graphs.empty()) {
    return document.fail(document.root(), "no <graph> in it; a graph dump of NCCL has several");
  }
  std::ranges::stable_sort(topology.graphs, {}, &DiscoveredGraph::id);
  std::map<std::int64_t, int> hosts;
  for (const std::int64_t device : all) {
    const auto [host, is_new] = hosts.emplace(device >> 56, static_cast<int>(hosts.size()));
    if (is_new) topology.hosts.emplace_back();
    DiscoveredGpu gpu;
    gpu.host = host->second;
    gpu.device = static_cast<int>(device & 0x7fffffff);
    topology.gpus.push_back(gpu);
  }
  name_gpus(topology);
  judge_nvlinks(topology);
  return topology;
}

}  // namespace k3
