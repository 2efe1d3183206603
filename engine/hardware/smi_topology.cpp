#include "engine/hardware/smi_topology.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/core.h>

#include "engine/hardware/smi_matrix_internal.h"

namespace k3 {
namespace {

/// NVLinks of a GPU up to Blackwell; Rubin has 36 and is built with switches only.
/// Source: nvlink_speed_of (discovered_topology.h)
constexpr int kMostNvlinks = 18;

/// Classes of paths without NVLink, nearest first.
/// Source: legend of nvidia-smi topo -m
int distance_of(std::string_view cell) {
  constexpr std::string_view kNearestFirst[] = {"PIX", "PXB", "PSB", "PHB", "NODE", "SOC", "SYS"};
  const auto* found = std::ranges::find(kNearestFirst, cell);
  return static_cast<int>(found - std::begin(kNearestFirst));
}

constexpr int kFarthestOwn = 2;  // PIX, PXB, PSB: below one host bridge

int links_of(std::string_view cell) {
  return std::max(number_after("NV", cell), 0);
}

/// Gives the words of a matrix their meaning.
class MatrixMeaning {
 public:
  MatrixMeaning(const SmiMatrix& matrix, DiscoveredTopology& topology)
      : matrix_(matrix), topology_(topology) {}

  void read() {
    topology_.hosts.emplace_back();
    split_labels();
    for (const std::size_t column : gpu_columns_)
      add_gpu(column);
    name_gpus_by_label();
    for (const std::size_t column : nic_columns_)
      add_nic(column);
    for (const std::string& label : matrix_.glued) {
      topology_.add(Severity::warning,
                    fmt::format("column `{}` is two labels run together over one column of cells: "
                                "which of both it is is not in this file",
                                label));
    }
    add_nvlinks();
    compare_directions();
    judge_nics();
  }

 private:
  const SmiMatrix::Row* row_of(const std::string& label) const {
    const auto found = matrix_.rows.find(label);
    return found == matrix_.rows.end() ? nullptr : &found->second;
  }

  void split_labels() {
    for (std::size_t i = 0; i < matrix_.labels.size(); ++i) {
      const bool is_gpu = number_after("GPU", matrix_.labels[i]) >= 0;
      (is_gpu ? gpu_columns_ : nic_columns_).push_back(i);
    }
    // GPUs in the order of their numbers, however the columns stand.
    std::ranges::stable_sort(gpu_columns_, {},
                             [&](std::size_t i) { return number_after("GPU", matrix_.labels[i]); });
  }

  /// From one column's part to another's; from the other row where the first is missing.
  std::string cell(std::size_t from, std::size_t to) const {
    if (const auto* row = row_of(matrix_.labels[from])) return row->cells[to];
    if (from == to) return "X";
    const auto* row = row_of(matrix_.labels[to]);
    return row == nullptr ? std::string() : row->cells[from];
  }

  void add_gpu(std::size_t column) {
    const std::string& label = matrix_.labels[column];
    DiscoveredGpu gpu;
    gpu.device = number_after("GPU", label);
    const SmiMatrix::Row* row = row_of(label);
    for (const std::size_t other : gpu_columns_)
      gpu.paths.push_back(cell(column, other));
    if (row == nullptr) {
      topology_.add(Severity::warning,
                    fmt::format("{} has a column and no row: read from the other rows", label));
    } else {
      if (!row->cpu_affinity.empty() && row->cpu_affinity != "N/A") {
        gpu.properties.emplace_back("CPU affinity", row->cpu_affinity);
      }
      if (const int numa = number_after("", row->numa_affinity); numa >= 0) gpu.numa = numa;
    }
    topology_.gpus.push_back(std::move(gpu));
  }

  void name_gpus_by_label() {
    for (DiscoveredGpu& gpu : topology_.gpus)
      gpu.name = fmt::format("gpu{}", *gpu.device);
  }

  void add_nic(std::size_t column) {
    const std::string& label = matrix_.labels[column];
    DiscoveredNic nic;
    nic.kind = NicKind::rdma;  // the matrix lists verbs devices only
    const auto name = matrix_.names.find(label);
    nic.name = name == matrix_.names.end() ? label : name->second;
    int nearest = kFarthestOwn;
    for (std::size_t i = 0; i < gpu_columns_.size(); ++i) {
      nic.paths.push_back(cell(gpu_columns_[i], column));
      const int distance = distance_of(nic.paths.back());
      if (distance < nearest) nic.near_gpus.clear();
      if (distance <= nearest) {
        nearest = distance;
        nic.near_gpus.push_back(static_cast<int>(i));
      }
    }
    topology_.nics.push_back(std::move(nic));
  }

  /// The matrix of a sound machine is symmetric.
  void compare_directions() {
    for (std::size_t i = 0; i < matrix_.labels.size(); ++i) {
      const SmiMatrix::Row* row = row_of(matrix_.labels[i]);
      for (std::size_t j = 0; row != nullptr && j < i; ++j) {
        const SmiMatrix::Row* other = row_of(matrix_.labels[j]);
        if (other == nullptr || row->cells[j] == other->cells[i]) continue;
        const bool nvlink = links_of(row->cells[j]) > 0 || links_of(other->cells[i]) > 0;
        // NOTE: judge_nvlinks compares direct links.
        if (nvlink && topology_.switches.empty()) continue;
        topology_.add(nvlink ? Severity::fault : Severity::warning,
                      fmt::format("{} and {} disagree: {} one way, {} the other", matrix_.labels[j],
                                  matrix_.labels[i], other->cells[i], row->cells[j]));
      }
    }
  }

  void add_nvlinks() {
    if (topology_.gpus.size() < 2) {
      topology_.nvlink_absent = "one GPU makes no pair, and the matrix counts links per pair";
      return;
    }
    int most = 0;
    int most_sum = 0;
    for (const DiscoveredGpu& gpu : topology_.gpus) {
      std::int64_t sum = 0;
      for (const std::string& path : gpu.paths) {
        most = std::max(most, links_of(path));
        sum += links_of(path);
      }
      most_sum = std::max<int>(most_sum, static_cast<int>(std::min<std::int64_t>(sum, 1 << 30)));
    }
    if (most == 0) return;
    if (most_sum > kMostNvlinks && topology_.gpus.size() > 2) {
      add_switch_links(most);
    } else {
      add_direct_links(most);
    }
  }

  void add_switch_links(int most) {
    topology_.switches.push_back({"unnamed NVSwitch domain", 0, "", true});
    for (DiscoveredGpu& gpu : topology_.gpus) {
      int links = 0;
      for (const std::string& path : gpu.paths)
        links = std::max(links, links_of(path));
      if (links == 0) continue;
      NvlinkRow row;
      row.end = LinkEnd::hidden_switch;
      row.index = 0;
      row.target = "switch";
      row.count = links;
      gpu.nvlinks.push_back(row);
    }
    topology_.add(Severity::note,
                  fmt::format("NV{0} between pairs: the same {0} links of a GPU reach all others "
                              "through switches, which are not in this file",
                              most));
  }

  void add_direct_links(int most) {
    for (std::size_t i = 0; i < topology_.gpus.size(); ++i) {
      DiscoveredGpu& gpu = topology_.gpus[i];
      for (std::size_t j = 0; j < gpu.paths.size(); ++j) {
        if (links_of(gpu.paths[j]) == 0) continue;
        NvlinkRow row;
        row.end = LinkEnd::gpu;
        row.index = static_cast<int>(j);
        row.target = topology_.gpus[j].name;
        row.count = links_of(gpu.paths[j]);
        gpu.nvlinks.push_back(row);
      }
    }
    if (topology_.gpus.size() == 2) {
      topology_.add(Severity::note,
                    fmt::format("NV{} between the only two GPUs: whether a switch lies between "
                                "them is not in this file",
                                most));
    }
    note_pairs();
  }

  void note_pairs() {
    const std::size_t n = topology_.gpus.size();
    std::size_t linked = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < std::min(i, topology_.gpus[i].paths.size()); ++j)
        linked += links_of(topology_.gpus[i].paths[j]) > 0 ? 1 : 0;
    }
    const std::size_t pairs = n * (n - 1) / 2;
    if (linked == pairs) return;
    topology_.add(Severity::note, fmt::format("{} of {} pairs of GPUs have NVLink; the others go "
                                              "over PCIe or a GPU between them",
                                              linked, pairs));
  }

  void judge_nics() {
    if (topology_.nics.empty()) {
      topology_.add(Severity::note, "no NIC columns: NICs are not in this file");
      return;
    }
    std::string far;
    std::size_t num_far = 0;
    for (const DiscoveredNic& nic : topology_.nics) {
      if (!nic.near_gpus.empty()) continue;
      far += (far.empty() ? "" : ", ") + nic.name;
      ++num_far;
    }
    if (num_far == 0) return;
    if (num_far == topology_.nics.size()) {
      topology_.add(Severity::warning,
                    "no NIC is nearer to one GPU than NODE or SYS: which NIC "
                    "belongs to which GPU is not in this file");
    } else {
      topology_.add(Severity::note, fmt::format("{}: behind no GPU's PCIe switch (storage or "
                                                "management)",
                                                far));
    }
  }

  const SmiMatrix& matrix_;
  DiscoveredTopology& topology_;
  std::vector<std::size_t> gpu_columns_;
  std::vector<std::size_t> nic_columns_;
};

}  // namespace

bool looks_like_smi_topology(std::string_view text) {
  const std::vector<SmiLine> lines = smi_lines(text);
  return find_smi_header(lines) < lines.size();
}

Result<DiscoveredTopology> read_smi_topology(std::string_view text, const std::string& where) {
  K3_TRY(const SmiMatrix matrix, read_smi_matrix(smi_lines(text), where));
  DiscoveredTopology topology;
  topology.kind = DumpKind::smi_matrix;
  topology.file = where;
  MatrixMeaning(matrix, topology).read();
  judge_nvlinks(topology);
  return topology;
}

}  // namespace k3
