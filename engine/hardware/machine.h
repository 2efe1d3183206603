#pragma once

#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/hardware/fault.h"

namespace k3 {

/// Peak rates and sizes of one GPU (or CPU rank), datasheet values, dense, no sparsity.
struct GpuSpec {
  std::string name;
  FlopRate bf16;
  FlopRate fp8;
  FlopRate fp32;
  Bytes memory;
  Bandwidth memory_bandwidth;
};

/// What a kernel reaches of the peaks, and what every kernel costs besides. First-form constants of
/// the roofline model, each with its source in the machine's file.
struct RooflineConstants {
  double memory_efficiency = 1;   ///< achieved share of memory_bandwidth by streaming kernels
  double compute_efficiency = 1;  ///< achieved share of a matrix peak by large products
  double network_efficiency = 1;  ///< achieved share of link speed by all-to-all transfers
  Time kernel_floor;              ///< smallest time of a kernel inside a replayed graph
  Time launch;                    ///< launch cost of a kernel without a graph
  Time transfer_start;            ///< start-up of one dispatch or combine
};

/// Where a number of a machine file comes from.
struct SourcedValue {
  std::string key;
  std::string value;
  std::string source;
  std::string date;
};

/// What joins racks (or boxes): one NIC per GPU, a leaf switch per rail, spine switches above.
/// Rail-optimised: rail r is the GPU with index r in every tray; a leaf serves one rail of as many
/// consecutive trays as it has down-links. Every leaf has `links_per_spine` links to every spine.
struct ScaleOut {
  Bandwidth nic_bandwidth;    ///< of one NIC, one direction
  Time latency;               ///< one way, NIC to NIC through leaf and spine
  int leaf_down_links = 0;    ///< NICs that one leaf serves
  int spines = 0;             ///< 0: one leaf per rail and nothing above
  int links_per_spine = 0;    ///< from each leaf to each spine
  Bandwidth spine_bandwidth;  ///< of one such link, one direction
};

/// A machine: identical GPUs in identical racks (a rack: GPUs that reach each other through its
/// switch planes in one hop). Immutable. Healthy but for `faults`; `Topology` is what both make.
/// Source: data/hardware/*.toml, every value there with unit, source and date
struct Machine {
  std::string name;
  std::string title;
  GpuSpec gpu;
  int num_gpus = 0;  ///< of all racks
  int gpus_per_tray = 0;
  int racks = 1;
  /// Per plane of a rack: links of every GPU to it (HGX H100: 5 4 4 5).
  std::vector<int> plane_links;
  Bandwidth link_bandwidth;  ///< one link, one direction
  Time link_latency;         ///< one way, GPU to GPU
  std::optional<ScaleOut> scale_out;
  RooflineConstants roofline;
  std::vector<Fault> faults;  ///< applied when the topology is built
  std::vector<SourcedValue> sources;

  int planes() const { return static_cast<int>(plane_links.size()); }

  int gpus_per_rack() const { return num_gpus / racks; }

  /// All links of one healthy GPU, one direction.
  Bandwidth gpu_bandwidth() const {
    return link_bandwidth * std::accumulate(plane_links.begin(), plane_links.end(), 0);
  }
};

/// Reads a machine file.
/// Errors: file, line, column, key, what would be right (unit missing, source missing, unknown key)
Result<Machine> load_machine(const std::filesystem::path& path);

/// The same from text; `where` names it in errors.
Result<Machine> parse_machine(std::string_view toml, const std::string& where);

}  // namespace k3
