#include "engine/hardware/nccl_xml.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "engine/hardware/nccl_devices_internal.h"

namespace k3 {
namespace {

constexpr std::string_view kNoGpuRows =
    "it lists PCI devices only, without <gpu> rows (a template for NCCL_TOPO_FILE); a dump made "
    "with NCCL_TOPO_DUMP_FILE has them";

/// NVML's way to say that the other end is not visible: all bits of the domain set, or −1.
bool is_hidden(const std::string& target) {
  const std::size_t colon = std::min(target.find(':'), target.size());
  return target == "-1" || (colon >= 4 && target.find_first_not_of('f') == colon &&
                            target.substr(colon).starts_with(":ff"));
}

/// Turns the targets of NVLink rows into GPUs and switches.
class TargetResolver {
 public:
  explicit TargetResolver(DiscoveredTopology& topology) : topology_(topology) {
    for (std::size_t i = 0; i < topology.gpus.size(); ++i) {
      const DiscoveredGpu& gpu = topology.gpus[i];
      if (!gpu.bus_id.empty()) {
        gpus_.emplace(std::pair(gpu.host, normal_bus_id(gpu.bus_id)), static_cast<int>(i));
      }
    }
    for (std::size_t i = 0; i < topology.switches.size(); ++i) {
      const DiscoveredSwitch& named = topology.switches[i];
      switches_.emplace(std::pair(named.host, normal_bus_id(named.bus_id)), static_cast<int>(i));
    }
  }

  void resolve(std::size_t gpu_index, const NcclLinkRow& given) {
    DiscoveredGpu& gpu = topology_.gpus[gpu_index];
    NvlinkRow row;
    row.target = given.target;
    row.count = given.count;
    const std::pair key(gpu.host, normal_bus_id(given.target));
    const auto peer = gpus_.find(key);
    const bool to_gpu = given.target_class.starts_with("0x03");
    const bool is_bus_id = key.second.find(':') != std::string::npos && key.second != "0:00:00.0";
    // Source: NCCL topo.cc, kvDictPciClass: 0x068001 is a POWER9; what is neither a GPU nor a CPU
    // counts as an NVSwitch, whatever its class
    if (given.target_class == "0x068001") {
      row.end = LinkEnd::cpu;
    } else if (is_hidden(key.second)) {
      row.end = to_gpu ? LinkEnd::dangling : LinkEnd::hidden_switch;
    } else if (peer != gpus_.end() && key.second == normal_bus_id(gpu.bus_id)) {
      row.end = LinkEnd::itself;
    } else if (peer != gpus_.end()) {
      row.end = LinkEnd::gpu;
      row.index = peer->second;
    } else if (!is_bus_id) {
      row.end = LinkEnd::dangling;
    } else {
      row.end = to_gpu ? LinkEnd::outside : LinkEnd::named_switch;
    }
    if (row.end == LinkEnd::hidden_switch) row.index = hidden_switch();
    if (row.end == LinkEnd::named_switch) row.index = named_switch(key, given.target);
    gpu.nvlinks.push_back(row);
  }

 private:
  int hidden_switch() {
    if (hidden_ < 0) {
      hidden_ = static_cast<int>(topology_.switches.size());
      topology_.switches.push_back({"unnamed NVSwitch domain", -1, "", true});
    }
    return hidden_;
  }

  int named_switch(const std::pair<int, std::string>& key, const std::string& target) {
    const auto [found, is_new] = switches_.emplace(key, topology_.switches.size());
    if (is_new) topology_.switches.push_back({"switch " + target, key.first, target});
    return found->second;
  }

  DiscoveredTopology& topology_;
  std::map<std::pair<int, std::string>, int> gpus_;
  std::map<std::pair<int, std::string>, int> switches_;
  int hidden_ = -1;
};

/// By rank, where every GPU has its own; ranks that are missing or given twice are found here.
void order_rows(std::vector<NcclGpuRow>& rows, DiscoveredTopology& topology) {
  std::set<int> ranks;
  for (const NcclGpuRow& row : rows) {
    if (!row.gpu.rank) return;
    if (!ranks.insert(*row.gpu.rank).second) {
      topology.add(Severity::fault, fmt::format("rank {} is listed twice", *row.gpu.rank));
    }
  }
  if (ranks.size() != rows.size()) return;
  std::ranges::stable_sort(rows, {}, [](const NcclGpuRow& row) { return *row.gpu.rank; });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (*rows[i].gpu.rank == static_cast<int>(i)) continue;
    topology.add(Severity::warning, fmt::format("rank {} is missing: {} GPUs, ranks up to {}", i,
                                                rows.size(), *ranks.rbegin()));
    return;
  }
}

/// Rows of one bus id are parts of one GPU.
void join_parts(DiscoveredTopology& topology) {
  std::map<std::pair<int, std::string>, int> first;
  std::map<int, std::string> parts;  ///< names of all, by the first
  for (std::size_t i = 0; i < topology.gpus.size(); ++i) {
    DiscoveredGpu& gpu = topology.gpus[i];
    if (gpu.bus_id.empty()) continue;
    const auto [found, is_new] =
        first.emplace(std::pair(gpu.host, normal_bus_id(gpu.bus_id)), static_cast<int>(i));
    if (is_new) continue;
    gpu.part_of = found->second;
    parts[found->second] += " and " + gpu.name;
  }
  for (const auto& [index, names] : parts) {
    const DiscoveredGpu& whole = topology.gpus[static_cast<std::size_t>(index)];
    const int links = topology.num_nvlinks(whole).value_or(0);
    std::string shared;
    if (links > 0) shared = fmt::format("{} NVLinks", links);
    if (whole.c2c_links) {
      shared += fmt::format("{}{} C2C links", links > 0 ? " and " : "", *whole.c2c_links);
    }
    topology.add(
        Severity::note,
        fmt::format("{}{} are parts of one physical GPU (same bus id){}", whole.name, names,
                    shared.empty() ? "" : ": its " + shared + " are shared, not added up"));
  }
}

void count_below_switches(DiscoveredTopology& topology) {
  const auto above = [&](int index) -> DiscoveredPciSwitch* {
    return index < 0 ? nullptr : &topology.pci_switches[static_cast<std::size_t>(index)];
  };
  std::map<int, std::vector<int>> gpus;
  for (std::size_t i = 0; i < topology.gpus.size(); ++i) {
    const DiscoveredGpu& gpu = topology.gpus[i];
    if (auto* pci_switch = above(gpu.pci_switch); pci_switch != nullptr && gpu.is_whole()) {
      ++pci_switch->gpus;
      gpus[gpu.pci_switch].push_back(static_cast<int>(i));
    }
  }
  for (DiscoveredNic& nic : topology.nics) {
    if (auto* pci_switch = above(nic.pci_switch)) {
      ++pci_switch->nics;
      nic.near_gpus = gpus[nic.pci_switch];
    }
  }
}

/// A file without <gpu> rows: GPUs and NICs are what the PCI classes say.
Result<void> read_template(NcclWalk& walk, const XmlDocument& document) {
  DiscoveredTopology& topology = walk.topology;
  topology.kind = DumpKind::nccl_template;
  topology.nvlink_absent = kNoGpuRows;
  topology.gpus = std::move(walk.bare_gpus);
  if (topology.gpus.empty() && topology.nics.empty() && walk.bare_nics.empty() &&
      topology.unknown_devices.empty()) {
    return document.fail(document.root(),
                         "no GPU, NIC or PCI device in it; a topology of NCCL has them");
  }
  if (!topology.unknown_devices.empty()) {
    topology.add(Severity::warning,
                 fmt::format("{} PCI devices without a class: how many are GPUs is not in this "
                             "file",
                             topology.unknown_devices.size()));
  }
  return {};
}

void read_rows(NcclWalk& walk) {
  DiscoveredTopology& topology = walk.topology;
  topology.kind = DumpKind::nccl_topology;
  order_rows(walk.gpu_rows, topology);
  for (const NcclGpuRow& row : walk.gpu_rows)
    topology.gpus.push_back(row.gpu);
  name_gpus(topology);
  TargetResolver resolver(topology);
  for (std::size_t i = 0; i < walk.gpu_rows.size(); ++i) {
    for (const NcclLinkRow& row : walk.gpu_rows[i].links)
      resolver.resolve(i, row);
  }
  for (const DiscoveredGpu& gpu : walk.bare_gpus) {
    topology.add(Severity::warning,
                 fmt::format("the GPU at {} has no <gpu> row: not counted", gpu.bus_id));
  }
  if (!topology.unknown_devices.empty()) {
    topology.add(Severity::note, fmt::format("{} PCI devices without a class left out",
                                             topology.unknown_devices.size()));
  }
  join_parts(topology);
}

}  // namespace

Result<DiscoveredTopology> read_nccl_topology(const XmlDocument& document) {
  NcclWalk walk(document);
  walk.topology.file = document.file();
  K3_TRY_VOID(walk.walk());
  DiscoveredTopology& topology = walk.topology;
  if (walk.gpu_rows.empty()) {
    K3_TRY_VOID(read_template(walk, document));
    name_gpus(topology);
  } else {
    read_rows(walk);
  }
  topology.nics.insert(topology.nics.end(), walk.bare_nics.begin(), walk.bare_nics.end());
  count_below_switches(topology);
  if (std::ranges::none_of(topology.nics,
                           [](const DiscoveredNic& nic) { return nic.kind != NicKind::socket; })) {
    topology.add(Severity::note, "no RDMA NIC in this file");
  }
  if (topology.hosts.size() > 1) {
    topology.add(
        Severity::note,
        fmt::format("{} hosts in one file: bus ids and device numbers repeat between them, "
                    "ranks do not",
                    topology.hosts.size()));
  }
  judge_nvlinks(topology);
  return topology;
}

}  // namespace k3
