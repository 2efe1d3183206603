#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/discovered_topology.h"
#include "engine/text/xml.h"

namespace k3 {

/// The rows of a topology as the file has them, before GPUs are in order and targets are resolved.
struct NcclLinkRow {
  std::string target;
  std::string target_class;  ///< PCI class; empty: not given
  int count = 0;
};

struct NcclGpuRow {
  DiscoveredGpu gpu;
  std::vector<NcclLinkRow> links;
};

/// Walks the elements of a topology of NCCL and collects its devices.
class NcclWalk {
 public:
  explicit NcclWalk(const XmlDocument& document) : document_(document) {}

  Result<void> walk();

  DiscoveredTopology topology;
  std::vector<NcclGpuRow> gpu_rows;
  /// PCI devices that are GPUs or NICs by their class only.
  std::vector<DiscoveredGpu> bare_gpus;
  std::vector<DiscoveredNic> bare_nics;

 private:
  /// What the elements around the present one say.
  struct Place {
    int host = 0;
    std::optional<int> numa;
    std::string bus_id;
    int pci_switch = -1;
  };

  Result<void> visit(const XmlElement& element, const Place& place);
  Result<void> visit_children(const XmlElement& element, const Place& place);
  Result<void> visit_cpu(const XmlElement& element, Place place);
  Result<void> visit_pci(const XmlElement& element, Place place);
  Result<void> visit_gpu(const XmlElement& element, const Place& place);
  Result<void> visit_net(const XmlElement& element, const Place& place);
  Result<void> add_links(const XmlElement& element, NcclGpuRow& row);
  void add_virtual(const std::string& name);
  void note_rows();
  int host_index(const std::string& hash);

  const XmlDocument& document_;
  std::map<std::string, int> hosts_;
  std::set<std::pair<int, int>> cpus_;  ///< host and NUMA node
  std::map<std::tuple<int, std::string, std::string, std::int64_t>, std::size_t> nics_;
  std::map<std::string, int> virtual_nics_;  ///< rows of each name
  std::map<std::size_t, int> repeated_nics_;
  std::map<std::string, int> unknown_elements_;
  int narrow_bridges_ = 0;
};

}  // namespace k3
