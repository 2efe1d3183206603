#include "engine/hardware/smi_query.h"

#include <array>
#include <charconv>
#include <set>

#include <fmt/core.h>

namespace k3 {
namespace {

/// nvidia-smi writes N/A where a GPU or a driver has no such value.
bool is_given(std::string_view value) {
  return !value.empty() && value != "N/A" && value != "Not Supported" && value != "[N/A]";
}

class QueryReader {
 public:
  explicit QueryReader(const XmlDocument& document) : document_(document) {
    topology_.kind = DumpKind::smi_query;
    topology_.file = document.file();
    topology_.hosts.emplace_back();
    topology_.nvlink_absent =
        "nvidia-smi -q -x does not count links; nvidia-smi topo -m, nvlink -s and "
        "NCCL_TOPO_DUMP_FILE do";
  }

  Result<DiscoveredTopology> read() {
    for (const XmlElement& element : document_.root().children) {
      if (element.name == "gpu") add_gpu(element);
    }
    if (topology_.gpus.empty()) {
      return document_.fail(document_.root(), "no <gpu> in it; nvidia-smi -q -x lists them");
    }
    name_gpus(topology_);
    std::size_t index = 0;
    for (const XmlElement& element : document_.root().children) {
      if (element.name == "gpu") judge_gpu(element, topology_.gpus[index++].name);
    }
    judge_all();
    judge_nvlinks(topology_);
    return std::move(topology_);
  }

 private:
  static void keep(DiscoveredGpu& gpu,
                   const XmlElement* group,
                   std::string_view key,
                   std::string_view name) {
    const std::string_view value = group == nullptr ? "" : group->child_text(key);
    if (is_given(value)) gpu.properties.emplace_back(name, value);
  }

  void add_gpu(const XmlElement& element) {
    DiscoveredGpu gpu;
    if (const std::string* id = element.attribute("id")) gpu.bus_id = *id;
    gpu.product = element.child_text("product_name");
    gpu.device = static_cast<int>(topology_.gpus.size());
    const XmlElement* platform = element.child("platformInfo");
    keep(gpu, platform, "tray_index", "tray");
    keep(gpu, platform, "slot_number", "slot");
    keep(gpu, platform, "module_id", "module");
    keep(gpu, platform, "peer_type", "peer type");
    keep(gpu, &element, "c2c_mode", "C2C");
    const XmlElement* fabric = element.child("fabric");
    keep(gpu, fabric, "state", "fabric state");
    keep(gpu, fabric, "status", "fabric status");
    keep(gpu, fabric, "cliqueId", "clique");
    if (fabric != nullptr) {
      keep(gpu, fabric->child("health"), "summary", "fabric health");
      const std::string_view cluster = fabric->child_text("clusterUuid");
      const bool none = cluster.find_first_not_of("0-") == std::string_view::npos;
      if (is_given(cluster)) gpu.properties.emplace_back("cluster", none ? "none" : "set");
      cliques_.insert(fmt::format("{} {}", cluster, fabric->child_text("cliqueId")));
    }
    topology_.gpus.push_back(std::move(gpu));
  }

  void fault(const std::string& gpu, const std::string& text) {
    topology_.add(Severity::fault, fmt::format("{}: {}", gpu, text));
  }

  void judge_gpu(const XmlElement& element, const std::string& gpu) {
    const std::string_view recovery = element.child_text("gpu_recovery_action");
    if (is_given(recovery) && recovery != "None") {
      fault(gpu, fmt::format("recovery action `{}` is needed", recovery));
    }
    const XmlElement* fabric = element.child("fabric");
    if (fabric == nullptr) return;
    const std::string_view state = fabric->child_text("state");
    if (is_given(state) && state != "Completed") {
      fault(gpu, fmt::format("fabric state `{}`: not yet on the NVLink network", state));
    }
    const std::string_view status = fabric->child_text("status");
    if (is_given(status) && status != "Success") {
      fault(gpu, fmt::format("fabric status `{}`", status));
    }
    if (const XmlElement* health = fabric->child("health")) judge_health(*health, gpu);
  }

  void judge_health(const XmlElement& health, const std::string& gpu) {
    std::string reasons;
    for (const XmlElement& part : health.children) {
      const bool sound = !is_given(part.text) || part.text == "False" || part.text == "None" ||
                         part.text == "Healthy" || part.text == "Full" ||
                         // A positive flag, in newer drivers.
                         (part.name == "partition_assigned" && part.text == "True");
      if (sound) continue;
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", part.name, part.text);
    }
    if (!reasons.empty()) fault(gpu, "the NVLink fabric is not healthy: " + reasons);
  }

  void judge_all() {
    if (cliques_.size() > 1) {
      topology_.add(Severity::warning,
                    fmt::format("the GPUs are in {} different cliques: no NVLink between them",
                                cliques_.size()));
    }
    const std::string_view attached = document_.root().child_text("attached_gpus");
    std::size_t count = 0;
    const char* end = attached.data() + attached.size();
    const auto [rest, error] = std::from_chars(attached.data(), end, count);
    if (error == std::errc() && rest == end && count != topology_.gpus.size()) {
      topology_.add(Severity::warning, fmt::format("{} GPUs are attached and {} listed", count,
                                                   topology_.gpus.size()));
    }
  }

  const XmlDocument& document_;
  DiscoveredTopology topology_;
  std::set<std::string> cliques_;
};

}  // namespace

Result<DiscoveredTopology> read_smi_query(const XmlDocument& document) {
  return QueryReader(document).read();
}

}  // namespace k3
