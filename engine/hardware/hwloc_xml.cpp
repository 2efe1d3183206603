#include "engine/hardware/hwloc_xml.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include <fmt/core.h>

namespace k3 {
namespace {

std::string word_of(const XmlElement& element, std::string_view key) {
  const std::string* value = element.attribute(key);
  return value == nullptr ? std::string() : *value;
}

std::string info_of(const XmlElement& element, std::string_view name) {
  for (const XmlElement& child : element.children) {
    if (child.name == "info" && word_of(child, "name") == name) return word_of(child, "value");
  }
  return {};
}

bool is_object(const XmlElement& element, std::string_view type) {
  return element.name == "object" && word_of(element, "type") == type;
}

/// The words of all children of one name, in order.
std::vector<std::string_view> words_of(const XmlElement& element, std::string_view child_name) {
  std::vector<std::string_view> words;
  for (const XmlElement& child : element.children) {
    if (child.name != child_name) continue;
    std::string_view text = child.text;
    constexpr std::string_view kBlank = " \t\r\n";
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of(kBlank), text.size());
      if (end > 0) words.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  return words;
}

/// A GPU or a switch by the number that the matrix names it with.
struct Part {
  bool is_switch = false;
  int index = 0;
};

class HwlocReader {
 public:
  explicit HwlocReader(const XmlDocument& document) : document_(document) {
    topology_.kind = DumpKind::hwloc;
    topology_.file = document.file();
    topology_.hosts.emplace_back();
  }

  Result<DiscoveredTopology> read() {
    const XmlElement& root = document_.root();
    for (const XmlElement& child : root.children)
      visit(child, std::nullopt);
    name_gpus(topology_);
    const XmlElement* matrix = nullptr;
    for (const XmlElement& child : root.children) {
      if (child.name.starts_with("distances2") && word_of(child, "name") == "NVLinkBandwidth") {
        matrix = &child;
      }
    }
    if (matrix != nullptr) {
      K3_TRY_VOID(read_matrix(*matrix));
      judge_halves();
    } else {
      explain_absence();
    }
    judge_nvlinks(topology_);
    return std::move(topology_);
  }

 private:
  void visit(const XmlElement& element, std::optional<int> numa) {
    if (element.name != "object") return;
    if (is_object(element, "Machine")) topology_.product = info_of(element, "DMIProductName");
    // The node that the element and its devices are local to, if there is exactly one.
    const auto is_node = [](const XmlElement& child) { return is_object(child, "NUMANode"); };
    if (std::ranges::count_if(element.children, is_node) == 1) {
      const auto node = std::ranges::find_if(element.children, is_node);
      numa = number_of(word_of(*node, "os_index"));
    }
    if (is_object(element, "Package")) {
      topology_.cpus.push_back(
          {0, numa, info_of(document_.root(), "Architecture"), info_of(element, "CPUVendor")});
    }
    if (is_object(element, "PCIDev")) return visit_device(element, numa);
    for (const XmlElement& child : element.children)
      visit(child, numa);
  }

  static std::optional<int> number_of(std::string_view text) {
    int number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || number < 0) return std::nullopt;
    return number;
  }

  void visit_device(const XmlElement& element, std::optional<int> numa) {
    num_devices_++;
    const std::string type = word_of(element, "pci_type");
    const std::string bus_id = word_of(element, "pci_busid");
    if (word_of(element, "subtype") == "NVSwitch") {
      remember(element, "PCIDev", {true, static_cast<int>(topology_.switches.size())});
      topology_.switches.push_back({"switch " + bus_id, 0, bus_id});
    } else if (type.starts_with("03") && type.find("[10de:") != std::string::npos) {
      const Part part{false, static_cast<int>(topology_.gpus.size())};
      remember(element, "PCIDev", part);
      DiscoveredGpu gpu;
      gpu.numa = numa;
      gpu.bus_id = bus_id;
      for (const XmlElement& child : element.children) {
        if (!is_object(child, "OSDev")) continue;
        remember(child, "OSDev", part);
        has_nvml_ = has_nvml_ || info_of(child, "Backend") == "NVML" ||
                    word_of(child, "name").starts_with("nvml");
        if (gpu.product.empty()) gpu.product = info_of(child, "GPUModel");
      }
      topology_.gpus.push_back(std::move(gpu));
    } else if (type.starts_with("02")) {
      add_nic(element, numa);
    }
  }

  void add_nic(const XmlElement& element, std::optional<int> numa) {
    DiscoveredNic nic;
    nic.numa = numa;
    nic.bus_id = word_of(element, "pci_busid");
    for (const XmlElement& child : element.children) {
      if (!is_object(child, "OSDev")) continue;
      // The verbs device has a node GUID; its name is what NCCL and nvidia-smi call the NIC.
      const bool verbs = !info_of(child, "NodeGUID").empty();
      if (nic.name.empty() || verbs) nic.name = word_of(child, "name");
      nic.kind = verbs || nic.kind == NicKind::rdma ? NicKind::rdma : NicKind::socket;
    }
    if (nic.name.empty()) nic.name = fmt::format("nic{}", topology_.nics.size());
    topology_.nics.push_back(std::move(nic));
  }

  void remember(const XmlElement& element, std::string_view type, Part part) {
    parts_[fmt::format("{}:{}", type, word_of(element, "gp_index"))] = part;
  }

  Result<void> read_matrix(const XmlElement& matrix) {
    const std::string type = word_of(matrix, "type");
    std::vector<Part> parts;
    for (const std::string_view word : words_of(matrix, "indexes")) {
      const bool typed = word.find(':') != std::string_view::npos;
      const auto found = parts_.find(typed ? std::string(word) : fmt::format("{}:{}", type, word));
      if (found == parts_.end()) {
        return document_.fail(matrix, fmt::format("NVLinkBandwidth names `{}`, which is no GPU or "
                                                  "NVSwitch of this file",
                                                  word));
      }
      parts.push_back(found->second);
    }
    const std::vector<std::string_view> values = words_of(matrix, "u64values");
    if (values.size() != parts.size() * parts.size()) {
      return document_.fail(matrix,
                            fmt::format("NVLinkBandwidth has {} values for {} objects; {} "
                                        "would be right",
                                        values.size(), parts.size(), parts.size() * parts.size()));
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].is_switch) continue;
      for (std::size_t j = 0; j < parts.size(); ++j) {
        const std::string_view text = values[i * parts.size() + j];
        std::uint32_t megabytes = 0;
        const char* end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, megabytes);
        if (error != std::errc() || rest != end) {
          return document_.fail(matrix, fmt::format("NVLinkBandwidth: `{}` is no whole number of "
                                                    "MB/s",
                                                    text));
        }
        if (i != j && megabytes > 0) add_row(parts[i].index, parts[j], megabytes);
      }
    }
    topology_.add(Severity::note,
                  "the matrix gives bandwidths: how many links make them up is not in this file");
    return {};
  }

  void add_row(int gpu, Part to, std::uint32_t megabytes) {
    const auto index = static_cast<std::size_t>(to.index);
    NvlinkRow row;
    row.end = to.is_switch ? LinkEnd::named_switch : LinkEnd::gpu;
    row.index = to.index;
    row.target = to.is_switch ? topology_.switches[index].bus_id : topology_.gpus[index].bus_id;
    row.bandwidth = Bandwidth{megabytes * 1e6};
    topology_.gpus[static_cast<std::size_t>(gpu)].nvlinks.push_back(std::move(row));
  }

  /// Groups of GPUs that no row joins, where there are switches: the trunks are not in the matrix.
  void judge_halves() {
    const std::size_t gpus = topology_.gpus.size();
    std::vector<std::size_t> parent(gpus + topology_.switches.size());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t i) {
      while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
      return i;
    };
    std::vector<bool> linked(gpus);
    for (std::size_t i = 0; i < gpus; ++i) {
      for (const NvlinkRow& row : topology_.gpus[i].nvlinks) {
        const bool to_switch = row.end == LinkEnd::named_switch;
        parent[root(i)] = root(static_cast<std::size_t>(row.index) + (to_switch ? gpus : 0));
        linked[i] = true;
      }
    }
    std::map<std::size_t, int> groups;
    for (std::size_t i = 0; i < gpus; ++i) {
      if (linked[i]) ++groups[root(i)];
    }
    if (groups.size() < 2 || topology_.switches.empty()) return;
    std::string sizes;
    for (const auto& [group, size] : groups)
      sizes += fmt::format("{}{}", sizes.empty() ? "" : " + ", size);
    topology_.network_gap = "links between switches are not in it, hwloc does not see them";
    topology_.add(Severity::warning,
                  fmt::format("links between switches are not in this file (hwloc does not see "
                              "them): the {} groups of {} GPUs are one machine, not cut apart",
                              groups.size(), sizes));
  }

  void explain_absence() {
    if (topology_.gpus.empty()) {
      topology_.nvlink_absent =
          num_devices_ == 0
              ? "it lists no PCI devices, so no GPUs either (lstopo --whole-io FILE.xml does)"
              : "it lists no NVIDIA GPU";
      if (topology_.product.find("DGX_Spark") != std::string::npos) {
        // Source: NVIDIA DGX Spark datasheet: one GB10, NVLink-C2C inside the package only
        topology_.add(Severity::note, "a DGX Spark has one GB10 GPU and no NVLink (datasheet)");
      }
    } else if (!has_nvml_) {
      topology_.nvlink_absent = "this hwloc was built without NVML";
    }
  }

  const XmlDocument& document_;
  DiscoveredTopology topology_;
  std::map<std::string, Part> parts_;
  int num_devices_ = 0;
  bool has_nvml_ = false;
};

}  // namespace

Result<DiscoveredTopology> read_hwloc(const XmlDocument& document) {
  return HwlocReader(document).read();
}

}  // namespace k3
