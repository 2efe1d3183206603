#include "engine/hardware/discovered_topology.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/core.h>

#include "engine/text/printable.h"

namespace k3 {

std::string_view name_of(DumpKind kind) {
  switch (kind) {
    case DumpKind::nccl_topology:
      return "NCCL topology dump";
    case DumpKind::nccl_template:
      return "NCCL topology template";
    case DumpKind::nccl_graph:
      return "NCCL graph dump";
    case DumpKind::smi_matrix:
      return "nvidia-smi topo -m";
    case DumpKind::smi_nvlink_status:
      return "nvidia-smi nvlink -s";
    case DumpKind::smi_nvlink_remote:
      return "nvidia-smi nvlink -R";
    case DumpKind::smi_query:
      return "nvidia-smi -q -x";
    case DumpKind::hwloc:
      return "hwloc XML";
  }
  return "?";
}

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::fault:
      return "fault";
  }
  return "?";
}

std::string_view name_of(LinkEnd end) {
  switch (end) {
    case LinkEnd::named_switch:
      return "switch";
    case LinkEnd::hidden_switch:
      return "unnamed switch";
    case LinkEnd::gpu:
      return "gpu";
    case LinkEnd::cpu:
      return "cpu";
    case LinkEnd::unknown:
      return "unknown";
    case LinkEnd::outside:
      return "outside";
    case LinkEnd::itself:
      return "itself";
    case LinkEnd::dangling:
      return "dangling";
  }
  return "?";
}

std::string_view name_of(NicKind kind) {
  switch (kind) {
    case NicKind::rdma:
      return "RDMA";
    case NicKind::socket:
      return "socket";
    case NicKind::unknown:
      return "unknown";
  }
  return "?";
}

int DiscoveredTopology::num_whole_gpus() const {
  return static_cast<int>(std::ranges::count_if(gpus, &DiscoveredGpu::is_whole));
}

std::optional<int> DiscoveredTopology::num_nvlinks(const DiscoveredGpu& gpu) const {
  if (!nvlink_absent.empty()) return std::nullopt;
  std::int64_t sum = 0;
  for (const NvlinkRow& row : gpu.nvlinks) {
    if (!row.is_link()) continue;
    if (!row.count) return std::nullopt;
    sum += *row.count;
  }
  return static_cast<int>(std::min<std::int64_t>(sum, std::numeric_limits<int>::max()));
}

std::optional<Bandwidth> DiscoveredTopology::nvlink_bandwidth(const DiscoveredGpu& gpu) const {
  if (!nvlink_absent.empty()) return std::nullopt;
  Bandwidth sum;
  for (const NvlinkRow& row : gpu.nvlinks) {
    if (!row.is_link()) continue;
    if (!row.bandwidth) return std::nullopt;
    sum.bytes_per_second += row.bandwidth->bytes_per_second;
  }
  if (sum.bytes_per_second == 0) return std::nullopt;
  return sum;
}

void DiscoveredTopology::add(Severity severity, std::string_view text) {
  findings.push_back({severity, printable(text)});
}

bool DiscoveredTopology::has_fault() const {
  return std::ranges::any_of(
      findings, [](const Finding& finding) { return finding.severity == Severity::fault; });
}

std::optional<Bandwidth> nvlink_speed_of(int sm) {
  switch (sm) {
    case 70:
    case 80:
    case 90:
      return Bandwidth{25e9};
    case 100:
    case 103:
    case 107:
      return Bandwidth{50e9};
    default:
      return std::nullopt;
  }
}

std::string normal_bus_id(std::string_view text) {
  std::string id(text);
  std::ranges::transform(id, id.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  // NOTE: one zero stays before the first colon, as in 0:3b:00.0.
  const std::size_t colon = id.find(':');
  if (colon == std::string::npos) return id;
  const std::size_t first = std::min(id.find_first_not_of('0'), colon);
  if (first > 0) id.erase(0, first == colon ? first - 1 : first);
  return id;
}

void name_gpus(DiscoveredTopology& topology) {
  std::set<int> ranks;
  for (const DiscoveredGpu& gpu : topology.gpus) {
    if (gpu.rank) ranks.insert(*gpu.rank);
  }
  const bool by_rank = ranks.size() == topology.gpus.size();
  for (std::size_t i = 0; i < topology.gpus.size(); ++i) {
    DiscoveredGpu& gpu = topology.gpus[i];
    gpu.name = fmt::format("gpu{}", by_rank ? *gpu.rank : static_cast<int>(i));
  }
}

namespace {

std::string links_text(int count) {
  return fmt::format("{} NVLink{}", count, count == 1 ? "" : "s");
}

bool is_connected(const DiscoveredGpu& gpu) {
  return std::ranges::any_of(gpu.nvlinks, &NvlinkRow::is_link);
}

/// Findings about rows that are no links.
void judge_rows(DiscoveredTopology& topology) {
  const bool any = std::ranges::any_of(topology.gpus, is_connected);
  int num_loops = 0;
  for (const DiscoveredGpu& gpu : topology.gpus) {
    for (const NvlinkRow& row : gpu.nvlinks) {
      if (row.end == LinkEnd::itself) ++num_loops;
      if (row.end == LinkEnd::outside && row.is_link()) {
        topology.add(Severity::warning,
                     fmt::format("{}: {} NVLinks lead to the GPU {}, which is not in this file",
                                 gpu.name, row.count.value_or(1), row.target));
      }
      // NOTE: a GPU that has nothing else is found by judge_counts.
      if (row.end != LinkEnd::dangling || (any && !is_connected(gpu))) continue;
      topology.add(Severity::fault,
                   fmt::format("{}: the NVLink target {} is nothing in this file: no link",
                               gpu.name, row.target));
    }
  }
  if (num_loops == 0) return;
  topology.add(Severity::warning, fmt::format("{} NVLink row{} the GPU itself: ignored", num_loops,
                                              num_loops == 1 ? " names" : "s name"));
}

/// Pairs of GPUs that count different links to each other.
void judge_pairs(DiscoveredTopology& topology) {
  std::map<std::pair<int, int>, std::int64_t> counts;
  for (std::size_t i = 0; i < topology.gpus.size(); ++i) {
    for (const NvlinkRow& row : topology.gpus[i].nvlinks) {
      if (row.end == LinkEnd::gpu && row.is_link()) {
        counts[{static_cast<int>(i), row.index}] += row.count.value_or(1);
      }
    }
  }
  for (const auto& [pair, count] : counts) {
    const auto back = counts.find({pair.second, pair.first});
    const std::int64_t other = back == counts.end() ? 0 : back->second;
    if (other == count || (other != 0 && pair.first > pair.second)) continue;
    const auto name = [&](int gpu) { return topology.gpus[static_cast<std::size_t>(gpu)].name; };
    topology.add(Severity::fault, fmt::format("{} lists {} NVLinks to {}, which lists {} back",
                                              name(pair.first), count, name(pair.second), other));
  }
}

std::string missing_text(const DiscoveredGpu& gpu) {
  if (gpu.nvlinks.empty()) return "no NVLink row";
  const auto dangling = std::ranges::find(gpu.nvlinks, LinkEnd::dangling, &NvlinkRow::end);
  if (dangling != gpu.nvlinks.end()) {
    return fmt::format("only an NVLink row whose target {} is nothing in this file",
                       dangling->target);
  }
  const bool zero = std::ranges::any_of(
      gpu.nvlinks, [](const NvlinkRow& row) { return row.count.value_or(1) == 0; });
  return zero ? "an NVLink row with count 0" : "no NVLink";
}

/// GPUs with fewer links than the best of them.
void judge_counts(DiscoveredTopology& topology) {
  int most = 0;
  bool switched = false;
  for (const DiscoveredGpu& gpu : topology.gpus) {
    most = std::max(most, topology.num_nvlinks(gpu).value_or(0));
    for (const NvlinkRow& row : gpu.nvlinks)
      switched =
          switched || (row.is_link() && row.end != LinkEnd::gpu && row.end != LinkEnd::outside);
  }
  // NOTE: behind switches every GPU has the same links; without, a machine may be built unevenly
  // (two of four GPUs bridged), and pairs that disagree are found by themselves.
  const Severity severity = switched ? Severity::fault : Severity::warning;
  const auto num_best = std::ranges::count_if(
      topology.gpus, [&](const DiscoveredGpu& gpu) { return topology.num_nvlinks(gpu) == most; });
  const std::string best = fmt::format("{} other GPU{} {} {}", num_best, num_best == 1 ? "" : "s",
                                       num_best == 1 ? "has" : "have", most);
  for (const DiscoveredGpu& gpu : topology.gpus) {
    const std::optional<int> count = topology.num_nvlinks(gpu);
    if (!count || *count == most) continue;
    if (*count == 0) {
      topology.add(severity, fmt::format("{} has {}, {}: its links are down or discovery skipped "
                                         "them; it is not on the NVLink network",
                                         gpu.name, missing_text(gpu), best));
    } else {
      topology.add(severity, fmt::format("{} has {}, {}", gpu.name, links_text(*count), best));
    }
  }
}

/// A GPU whose switch the file does not show, where it names those of the others.
void judge_hidden(DiscoveredTopology& topology) {
  const auto leads = [](const DiscoveredGpu& gpu, LinkEnd end) {
    return std::ranges::any_of(
        gpu.nvlinks, [&](const NvlinkRow& row) { return row.end == end && row.is_link(); });
  };
  const bool named = std::ranges::any_of(
      topology.gpus, [&](const DiscoveredGpu& gpu) { return leads(gpu, LinkEnd::named_switch); });
  if (!named) return;
  for (const DiscoveredGpu& gpu : topology.gpus) {
    if (!leads(gpu, LinkEnd::hidden_switch)) continue;
    topology.add(Severity::warning,
                 fmt::format("{} has links to a switch without a name, while the file names "
                             "switches elsewhere: their other end could not be read",
                             gpu.name));
  }
}

}  // namespace

void judge_nvlinks(DiscoveredTopology& topology) {
  if (!topology.nvlink_absent.empty()) {
    topology.add(Severity::note, "NVLink is not in this file: " + topology.nvlink_absent);
    return;
  }
  if (topology.gpus.empty()) return;
  judge_rows(topology);
  if (!std::ranges::any_of(topology.gpus, is_connected)) {
    const bool loops = std::ranges::any_of(topology.gpus, [](const DiscoveredGpu& gpu) {
      return std::ranges::any_of(gpu.nvlinks,
                                 [](const NvlinkRow& row) { return row.end == LinkEnd::itself; });
    });
    if (loops) {
      topology.nvlink_absent =
          "its rows name only the GPU itself, which GPUs are linked is unknown";
      topology.add(Severity::note, "NVLink is not in this file: " + topology.nvlink_absent);
    } else {
      topology.add(Severity::note, "no GPU has an NVLink in this file");
    }
    return;
  }
  judge_counts(topology);
  judge_pairs(topology);
  judge_hidden(topology);
}

}  // namespace k3
