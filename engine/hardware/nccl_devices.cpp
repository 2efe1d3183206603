#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "engine/hardware/nccl_devices_internal.h"

namespace k3 {
namespace {

/// GPUs, and NICs, of a file: far more than one NVLink domain has, few enough for every pair.
constexpr std::size_t kMaxDevices = 4096;

// PCI classes. Source: PCI Code and ID Assignment Specification; the comparison by prefix is NCCL's
constexpr std::string_view kDisplay = "0x03";
constexpr std::string_view kNetwork = "0x02";
constexpr std::string_view kInfiniBand = "0x0207";
constexpr std::string_view kBridge = "0x0604";
constexpr std::string_view kSwitch = "0x0680";

std::string attribute_of(const XmlElement& element, std::string_view key) {
  const std::string* value = element.attribute(key);
  return value == nullptr ? std::string() : *value;
}

bool has_child(const XmlElement& element, std::string_view name) {
  return element.child(name) != nullptr;
}

/// Interfaces that software makes; they carry no name of a device.
bool is_virtual_interface(std::string_view name) {
  constexpr std::array<std::string_view, 24> kPrefixes{
      "br-", "cali",  "cilium", "cni",  "docker",  "dummy", "flannel", "genev",
      "ifb", "kube-", "lxc",    "lxd",  "nerdctl", "ovs",   "podman",  "tailscale",
      "tap", "tunl",  "tun",    "veth", "virbr",   "vxlan", "weave",   "wg"};
  return name == "lo" || std::ranges::any_of(kPrefixes, [&](std::string_view prefix) {
           return name.starts_with(prefix);
         });
}

/// NCCL writes −1 for what it does not know.
std::optional<int> known(const std::optional<std::int64_t>& value) {
  if (!value || *value < 0) return std::nullopt;
  return static_cast<int>(*value);
}

}  // namespace

Result<void> NcclWalk::walk() {
  const XmlElement& root = document_.root();
  const bool whole = root.name == "system";
  Place place;
  if (!whole) {
    topology.add(Severity::note,
                 fmt::format("a fragment: the root is <{}> and not <system>", root.name));
  }
  K3_TRY_VOID(whole ? visit_children(root, place) : visit(root, place));
  if (topology.hosts.empty()) topology.hosts.emplace_back();
  note_rows();
  return {};
}

Result<void> NcclWalk::visit_children(const XmlElement& element, const Place& place) {
  for (const XmlElement& child : element.children)
    K3_TRY_VOID(visit(child, place));
  return {};
}

Result<void> NcclWalk::visit(const XmlElement& element, const Place& place) {
  const std::size_t gpus = gpu_rows.size() + bare_gpus.size();
  if (std::max(gpus, topology.nics.size() + bare_nics.size()) > kMaxDevices) {
    return document_.fail(element, fmt::format("more than {} GPUs or NICs", kMaxDevices));
  }
  if (element.name == "cpu") return visit_cpu(element, place);
  if (element.name == "pci") return visit_pci(element, place);
  if (element.name == "gpu") return visit_gpu(element, place);
  if (element.name == "nic") return visit_children(element, place);
  if (element.name == "net") return visit_net(element, place);
  ++unknown_elements_[element.name];
  return {};
}

Result<void> NcclWalk::visit_cpu(const XmlElement& element, Place place) {
  K3_TRY(const auto numa, document_.integer(element, "numaid", -1));
  place.host = host_index(attribute_of(element, "host_hash"));
  place.numa = known(numa);
  if (place.numa && !cpus_.insert({place.host, *place.numa}).second) {
    topology.add(Severity::warning,
                 fmt::format("NUMA node {} of one host is listed twice", *place.numa));
  } else {
    topology.cpus.push_back(
        {place.host, place.numa, attribute_of(element, "arch"), attribute_of(element, "vendor")});
  }
  return visit_children(element, place);
}

int NcclWalk::host_index(const std::string& hash) {
  const auto [found, is_new] = hosts_.emplace(hash, static_cast<int>(topology.hosts.size()));
  if (is_new) topology.hosts.push_back(hash);
  return found->second;
}

Result<void> NcclWalk::visit_pci(const XmlElement& element, Place place) {
  const std::string device_class = attribute_of(element, "class");
  place.bus_id = attribute_of(element, "busid");
  const bool leaf = !has_child(element, "pci");
  if (device_class.starts_with(kBridge) || !leaf) {
    if (attribute_of(element, "link_width") == "1") ++narrow_bridges_;
    place.pci_switch = static_cast<int>(topology.pci_switches.size());
    topology.pci_switches.push_back({place.host, place.bus_id});
    return visit_children(element, place);
  }
  const bool listed =
      has_child(element, "gpu") || has_child(element, "nic") || has_child(element, "net");
  if (listed) return visit_children(element, place);
  if (device_class.empty()) {
    topology.unknown_devices.push_back(place.bus_id);
  } else if (device_class.starts_with(kDisplay)) {
    DiscoveredGpu gpu;
    gpu.host = place.host;
    gpu.numa = place.numa;
    gpu.bus_id = place.bus_id;
    gpu.pci_switch = place.pci_switch;
    bare_gpus.push_back(gpu);
  } else if (device_class.starts_with(kNetwork)) {
    DiscoveredNic nic;
    nic.name = fmt::format("nic{}", bare_nics.size());
    if (device_class.starts_with(kInfiniBand)) nic.kind = NicKind::rdma;
    nic.host = place.host;
    nic.numa = place.numa;
    nic.bus_id = place.bus_id;
    nic.pci_switch = place.pci_switch;
    bare_nics.push_back(nic);
  } else if (device_class.starts_with(kSwitch)) {
    topology.switches.push_back({"switch " + place.bus_id, place.host, place.bus_id});
  }
  return {};
}

Result<void> NcclWalk::visit_gpu(const XmlElement& element, const Place& place) {
  NcclGpuRow row;
  DiscoveredGpu& gpu = row.gpu;
  K3_TRY(const auto device, document_.integer(element, "dev", -1));
  K3_TRY(const auto sm, document_.integer(element, "sm", -1));
  K3_TRY(const auto rank, document_.integer(element, "rank", -1));
  K3_TRY(const auto part, document_.integer(element, "mlopart", -1));
  gpu.device = known(device);
  gpu.sm = known(sm);
  gpu.rank = known(rank);
  if (part) gpu.properties.emplace_back("part of the GPU", fmt::format("{}", *part));
  if (const std::string* gdr = element.attribute("gdr")) {
    gpu.properties.emplace_back("GPUDirect RDMA", *gdr == "0" ? "no" : "yes");
  }
  gpu.host = place.host;
  gpu.numa = place.numa;
  gpu.bus_id = place.bus_id;
  gpu.pci_switch = place.pci_switch;
  K3_TRY_VOID(add_links(element, row));
  gpu_rows.push_back(std::move(row));
  return {};
}

Result<void> NcclWalk::add_links(const XmlElement& element, NcclGpuRow& row) {
  for (const XmlElement& child : element.children) {
    if (child.name == "c2c") {
      K3_TRY(const auto count, document_.integer(child, "count"));
      K3_TRY(const auto speed, document_.integer(child, "bw"));
      row.gpu.c2c_links = row.gpu.c2c_links.value_or(0) + known(count).value_or(0);
      // NOTE: NCCL counts MB/s per link (its sum is bw · count / 1000 in GB/s).
      if (speed) row.gpu.c2c_link = Bandwidth{static_cast<double>(*speed) * 1e6};
    } else if (child.name == "nvlink") {
      constexpr std::int64_t kMostLinks = 1'000'000;
      K3_TRY(const auto count, document_.integer(child, "count", 0, kMostLinks));
      if (!count) {
        return document_.fail(child, "<nvlink> has no count; it would be count=\"18\"");
      }
      const std::string* target = child.attribute("target");
      if (target == nullptr) {
        return document_.fail(child, "<nvlink> has no target; it would be a PCI bus id");
      }
      row.links.push_back({*target, attribute_of(child, "tclass"), static_cast<int>(*count)});
    } else {
      ++unknown_elements_[child.name];
    }
  }
  return {};
}

void NcclWalk::add_virtual(const std::string& name) {
  ++virtual_nics_[name];
}

Result<void> NcclWalk::visit_net(const XmlElement& element, const Place& place) {
  const std::string name = attribute_of(element, "name");
  if (place.bus_id.empty() && is_virtual_interface(name)) {
    add_virtual(name);
    return {};
  }
  K3_TRY(const auto port, document_.integer(element, "port", -1));
  K3_TRY(const auto speed, document_.integer(element, "speed", -1));
  const auto [found, is_new] = nics_.emplace(
      std::tuple(place.host, place.bus_id, name, port.value_or(-1)), topology.nics.size());
  if (!is_new) {
    // One interface without a PCI device is written under every CPU.
    DiscoveredNic& nic = topology.nics[found->second];
    if (nic.numa != place.numa) nic.numa = std::nullopt;
    ++repeated_nics_[found->second];
    return {};
  }
  DiscoveredNic nic;
  nic.name = name.empty() ? fmt::format("nic{}", topology.nics.size()) : name;
  // NOTE: NCCL's socket transport writes port 0, InfiniBand and plugins count ports from 1.
  if (port) nic.kind = *port > 0 ? NicKind::rdma : NicKind::socket;
  nic.host = place.host;
  nic.numa = place.numa;
  nic.bus_id = place.bus_id;
  nic.pci_switch = place.pci_switch;
  if (speed && *speed > 0) nic.speed = Bandwidth{static_cast<double>(*speed) * 1e6 / 8};  // Mbit/s
  topology.nics.push_back(nic);
  return {};
}

void NcclWalk::note_rows() {
  if (!virtual_nics_.empty()) {
    int rows = 0;
    for (const auto& [name, count] : virtual_nics_)
      rows += count;
    topology.add(Severity::note,
                 fmt::format("{} rows of {} virtual interfaces ({}{}) are no NICs: left out", rows,
                             virtual_nics_.size(), virtual_nics_.begin()->first,
                             virtual_nics_.size() > 1 ? " …" : ""));
  }
  for (const auto& [index, count] : repeated_nics_) {
    topology.add(Severity::note, fmt::format("{} is listed {} times: one NIC",
                                             topology.nics[index].name, count + 1));
  }
  if (narrow_bridges_ > 0) {
    topology.add(Severity::note,
                 fmt::format("{} PCIe bridge{} with link_width 1 above GPUs or NICs: virtual, the "
                             "width is not that of the slot",
                             narrow_bridges_, narrow_bridges_ == 1 ? "" : "s"));
  }
  for (const auto& [name, count] : unknown_elements_) {
    topology.add(Severity::note, fmt::format("{} element{} <{}> left out: not known here", count,
                                             count == 1 ? "" : "s", name));
  }
}

}  // namespace k3
