#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/units.h"

namespace k3 {

/// The tool that wrote a topology, which decides what can be in the file at all.
enum class DumpKind : std::uint8_t {
  nccl_topology,      ///< NCCL_TOPO_DUMP_FILE, or a fragment of one
  nccl_template,      ///< NCCL_TOPO_FILE of a cloud: PCI devices without <gpu> rows
  nccl_graph,         ///< NCCL_GRAPH_DUMP_FILE
  smi_matrix,         ///< nvidia-smi topo -m
  smi_nvlink_status,  ///< nvidia-smi nvlink -s
  smi_nvlink_remote,  ///< nvidia-smi nvlink -R
  smi_query,          ///< nvidia-smi -q -x
  hwloc,              ///< hwloc / lstopo XML
};

std::string_view name_of(DumpKind kind);

enum class Severity : std::uint8_t {
  note,     ///< how the file was read
  warning,  ///< may be wrong or cannot be decided
  fault,    ///< something of the machine is broken or missing
};

std::string_view name_of(Severity severity);

struct Finding {
  Severity severity = Severity::note;
  std::string text;
};

/// Where NVLinks of a GPU lead.
enum class LinkEnd : std::uint8_t {
  named_switch,
  hidden_switch,  ///< an NVSwitch that the machine does not show (a VM, a rack's fabric)
  gpu,
  cpu,       ///< POWER9
  unknown,   ///< links are up, their other end is not in the file
  outside,   ///< a GPU that the file does not list: the job used fewer than there are
  itself,    ///< the row names the GPU that it stands under: no link
  dangling,  ///< names nothing: no link
};

std::string_view name_of(LinkEnd end);

/// Parallel NVLinks from one GPU to one place.
struct NvlinkRow {
  LinkEnd end = LinkEnd::unknown;
  int index = -1;                      ///< among switches or GPUs
  std::string target;                  ///< as the file writes it
  std::optional<int> count;            ///< nothing: not in the file
  std::optional<Bandwidth> bandwidth;  ///< of all of them, one direction, as the file says

  bool is_link() const {
    return end != LinkEnd::itself && end != LinkEnd::dangling && count.value_or(1) > 0;
  }
};

struct DiscoveredGpu {
  std::string name;  ///< gpu5: the rank where ranks are unique, else the place in the list
  std::optional<int> rank;
  std::optional<int> device;  ///< index on its host
  std::optional<int> sm;      ///< compute capability, 103 = 10.3
  int host = 0;
  std::optional<int> numa;
  std::string bus_id;  ///< repeats between hosts; empty: not in the file
  std::string product;
  int part_of = -1;     ///< index of the GPU whose hardware this one shares; −1: a whole GPU
  int pci_switch = -1;  ///< directly above it
  std::vector<NvlinkRow> nvlinks;
  std::optional<int> c2c_links;       ///< to its CPU
  std::optional<Bandwidth> c2c_link;  ///< of one of them, as the file says
  std::vector<std::string> paths;     ///< to every GPU of the list (NV18, SYS, X …); may be empty
  std::vector<std::pair<std::string, std::string>> properties;  ///< further words of the file

  bool is_whole() const { return part_of < 0; }
};

struct DiscoveredSwitch {
  std::string name;
  int host = -1;  ///< −1: of all hosts
  std::string bus_id;
  bool hidden = false;
};

enum class NicKind : std::uint8_t { rdma, socket, unknown };

std::string_view name_of(NicKind kind);

struct DiscoveredNic {
  std::string name;
  NicKind kind = NicKind::unknown;
  int host = 0;
  std::optional<int> numa;  ///< nothing: not in the file, or under several CPUs
  std::string bus_id;
  std::optional<Bandwidth> speed;
  int pci_switch = -1;
  std::vector<int> near_gpus;      ///< behind the same PCIe switch
  std::vector<std::string> paths;  ///< to every GPU (PIX, NODE …); may be empty
};

struct DiscoveredCpu {
  int host = 0;
  std::optional<int> numa;
  std::string arch;
  std::string vendor;
};

struct DiscoveredPciSwitch {
  int host = 0;
  std::string bus_id;
  int gpus = 0;  ///< directly below
  int nics = 0;
};

/// A search result of NCCL: how a kind of collective would run.
struct DiscoveredGraph {
  int id = 0;
  int pattern = 0;
  std::string name;  ///< ring, tree …
  int channels = 0;
  std::optional<Bandwidth> intra_speed;  ///< per channel as NCCL counts, inside a node
  std::optional<Bandwidth> inter_speed;
  std::string intra_type;
  std::string inter_type;
  int gpus = 0;  ///< distinct ones over all channels
  int hosts = 0;
};

/// What a topology dump says about a machine, and nothing that it does not say: an absent number is
/// an empty optional, a reason stands in `nvlink_absent` or `findings`. Built by the readers of
/// this folder; a plain value afterwards. Machine (machine.h) is the other way to describe
/// hardware: what a datasheet promises.
struct DiscoveredTopology {
  DumpKind kind = DumpKind::nccl_topology;
  std::string file;
  std::string product;             ///< of the machine; empty: not in the file
  std::vector<std::string> hosts;  ///< their hashes; "" where there is none
  std::vector<DiscoveredGpu> gpus;
  std::vector<DiscoveredSwitch> switches;
  std::vector<DiscoveredNic> nics;
  std::vector<DiscoveredCpu> cpus;
  std::vector<DiscoveredPciSwitch> pci_switches;
  std::vector<std::string> unknown_devices;  ///< bus ids of PCI devices without a class
  std::vector<DiscoveredGraph> graphs;
  std::string nvlink_absent;             ///< why NVLink is not in the file; empty: it is
  std::string network_gap;               ///< why its graph is not whole; empty: it is
  std::optional<Bandwidth> nvlink_rate;  ///< one link and direction, as the file says
  std::vector<Finding> findings;

  /// GPUs without the further parts of a shared one.
  int num_whole_gpus() const;
  /// All NVLinks of a GPU; nothing: not in the file.
  std::optional<int> num_nvlinks(const DiscoveredGpu& gpu) const;
  /// Bandwidth of them, one direction, where the file says it.
  std::optional<Bandwidth> nvlink_bandwidth(const DiscoveredGpu& gpu) const;
  bool has_fault() const;

  /// A finding; what is not printable in the text is escaped.
  void add(Severity severity, std::string_view text);
};

/// Datasheet speed of one NVLink and direction by compute capability; nothing for GPUs without
/// NVLink or unknown ones.
/// Source: NVIDIA NVLink page and product briefs, read 2026-11: V100 6 links 300 GB/s both ways,
/// A100 12/600, H100 18/900, B200 and B300 18/1800, Rubin 36/3600
std::optional<Bandwidth> nvlink_speed_of(int sm);

/// PCI bus id in one form: lower case, no leading zeros in the domain.
std::string normal_bus_id(std::string_view text);

/// Adds the findings about NVLink that are the same for every kind of file: GPUs without links or
/// with fewer than the others, rows that name nothing, pairs that disagree. Call it last.
void judge_nvlinks(DiscoveredTopology& topology);

/// Names every GPU: by rank where all have different ones, else by place. Call it once they are in
/// their final order.
void name_gpus(DiscoveredTopology& topology);

}  // namespace k3
