#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"

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

/// A machine: identical GPUs, each with one group of links to every switch plane. Immutable.
/// Source: data/hardware/*.toml, every value there with unit, source and date
struct Machine {
  std::string name;
  std::string title;
  GpuSpec gpu;
  int num_gpus = 0;
  int gpus_per_tray = 0;
  int planes = 0;            ///< switch planes that every GPU reaches in one hop
  int links_per_plane = 1;   ///< links of a GPU to each plane
  Bandwidth link_bandwidth;  ///< one link, one direction
  Time link_latency;         ///< one way, GPU to GPU
  RooflineConstants roofline;
  std::vector<SourcedValue> sources;

  /// All links of one GPU, one direction.
  Bandwidth gpu_bandwidth() const { return link_bandwidth * (planes * links_per_plane); }
};

/// Reads a machine file.
/// Errors: file, line, column, key, what would be right (unit missing, source missing, unknown key)
Result<Machine> load_machine(const std::filesystem::path& path);

/// The same from text; `where` names it in errors.
Result<Machine> parse_machine(std::string_view toml, const std::string& where);

}  // namespace k3
