#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "engine/base/text_table.h"
#include "engine/hardware/max_flow.h"
#include "engine/text/printable.h"
#include "profiler/cli/topo_reports.h"
#include "profiler/visual/numbers.h"

namespace k3::cli {
namespace {

using visual::Quantity;
using visual::text_of;

constexpr std::string_view kNone = "–";

template <class T>
std::string or_none(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : std::string(kNone);
}

/// "400 Gb/s": how NICs are sold.
std::string nic_speed(const DiscoveredNic& nic) {
  if (!nic.speed) return std::string(kNone);
  return visual::number(nic.speed->bytes_per_second * 8e-9);
}

/// A table that leaves out columns without a value.
class Columns {
 public:
  explicit Columns(std::vector<std::string> header) : header_(std::move(header)) {}

  void add(std::vector<std::string> row) {
    for (std::string& cell : row)
      cell = cell.empty() ? std::string(kNone) : printable(cell);
    rows_.push_back(std::move(row));
  }

  std::string text() const {
    std::vector<bool> kept(header_.size());
    for (std::size_t i = 0; i < header_.size(); ++i) {
      kept[i] =
          i == 0 || std::ranges::any_of(rows_, [&](const auto& row) { return row[i] != kNone; });
    }
    const auto pick = [&](const std::vector<std::string>& row) {
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (kept[i]) cells.push_back(row[i]);
      }
      return cells;
    };
    TextTable table(pick(header_));
    for (const auto& row : rows_)
      table.add_row(pick(row));
    return table.text() + '\n';
  }

  bool empty() const { return rows_.empty(); }

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

/// "4 to switch2": how many links, where the file counts them, and where they lead.
std::string row_text(const DiscoveredTopology& dump, const NvlinkRow& row) {
  std::string what = "some";
  if (row.count) {
    what = fmt::format("{}", *row.count);
  } else if (row.bandwidth) {
    what = text_of(Quantity::bandwidth, row.bandwidth->bytes_per_second);
  }
  switch (row.end) {
    case LinkEnd::named_switch:
      return fmt::format("{} to switch{}", what, row.index);
    case LinkEnd::gpu:
      return what + " to " + dump.gpus[static_cast<std::size_t>(row.index)].name;
    case LinkEnd::unknown:
      return row.target.empty() ? what + ", other end not in the file" : what + " to " + row.target;
    case LinkEnd::outside:
      return what + " to " + row.target + " outside";
    case LinkEnd::dangling:
      return what + " to nothing (" + row.target + ")";
    default:
      return fmt::format("{} to {}", what, name_of(row.end));
  }
}

std::string links_text(const DiscoveredTopology& dump, const DiscoveredGpu& gpu) {
  std::vector<NvlinkRow> rows = gpu.nvlinks;
  std::ranges::stable_sort(rows, {}, &NvlinkRow::index);
  std::string text;
  for (const NvlinkRow& row : rows)
    text += (text.empty() ? "" : ", ") + row_text(dump, row);
  return text;
}

std::string gpu_table(const DiscoveredTopology& dump) {
  std::vector<std::string> header{"gpu",         "rank", "host",    "device",
                                  "sm",          "NUMA", "bus id",  "product",
                                  "PCIe switch", "C2C",  "NVLinks", "lead to"};
  std::set<std::string> names;
  for (const DiscoveredGpu& gpu : dump.gpus) {
    for (const auto& [name, value] : gpu.properties)
      names.insert(name);
  }
  // The links are long, so they stand last.
  header.insert(header.end() - 2, names.begin(), names.end());
  Columns table(header);
  for (const DiscoveredGpu& gpu : dump.gpus) {
    const std::map<std::string, std::string> properties(gpu.properties.begin(),
                                                        gpu.properties.end());
    std::vector<std::string> row{
        gpu.name,
        or_none(gpu.rank),
        dump.hosts.size() > 1 ? fmt::format("{}", gpu.host) : std::string(),
        or_none(gpu.device),
        or_none(gpu.sm),
        or_none(gpu.numa),
        gpu.bus_id,
        gpu.product,
        gpu.pci_switch < 0 ? std::string()
                           : dump.pci_switches[static_cast<std::size_t>(gpu.pci_switch)].bus_id,
        gpu.c2c_links ? visual::counted(*gpu.c2c_links, "link") : std::string()};
    for (const std::string& name : names) {
      const auto found = properties.find(name);
      row.push_back(found == properties.end() ? std::string() : found->second);
    }
    row.push_back(or_none(dump.num_nvlinks(gpu)));
    row.push_back(links_text(dump, gpu));
    table.add(std::move(row));
  }
  return table.empty() ? std::string() : table.text();
}

std::string switch_table(const DiscoveredTopology& dump) {
  Columns table({"NVSwitch", "name", "host", "GPUs", "links"});
  for (std::size_t i = 0; i < dump.switches.size(); ++i) {
    const DiscoveredSwitch& given = dump.switches[i];
    int gpus = 0;
    std::int64_t links = 0;
    bool counted = true;
    for (const DiscoveredGpu& gpu : dump.gpus) {
      bool reached = false;
      for (const NvlinkRow& row : gpu.nvlinks) {
        const bool to_switch =
            row.end == LinkEnd::named_switch || row.end == LinkEnd::hidden_switch;
        if (!gpu.is_whole() || !to_switch || !row.is_link()) continue;
        if (row.index != static_cast<int>(i)) continue;
        reached = true;
        counted = counted && row.count.has_value();
        links += row.count.value_or(0);
      }
      gpus += reached ? 1 : 0;
    }
    table.add({fmt::format("switch{}", i), given.hidden ? "unnamed domain" : given.bus_id,
               dump.hosts.size() > 1 && given.host >= 0 ? fmt::format("{}", given.host) : "",
               fmt::format("{}", gpus), counted ? fmt::format("{}", links) : ""});
  }
  return table.empty() ? std::string() : table.text();
}

std::string nic_table(const DiscoveredTopology& dump) {
  Columns table({"NIC", "kind", "host", "NUMA", "bus id", "speed/(Gb/s)", "near"});
  for (const DiscoveredNic& nic : dump.nics) {
    std::string near;
    for (const int gpu : nic.near_gpus)
      near += (near.empty() ? "" : " ") + dump.gpus[static_cast<std::size_t>(gpu)].name;
    table.add({nic.name, std::string(name_of(nic.kind)),
               dump.hosts.size() > 1 ? fmt::format("{}", nic.host) : "", or_none(nic.numa),
               nic.bus_id, nic_speed(nic), near});
  }
  return table.empty() ? std::string() : table.text();
}

std::string graph_table(const DiscoveredTopology& dump) {
  Columns table(
      {"graph", "pattern", "channels", "inside/(GB/s)", "between/(GB/s)", "over", "GPUs", "hosts"});
  const auto speed = [](const std::optional<Bandwidth>& value) {
    return value ? visual::number(value->bytes_per_second * 1e-9) : std::string(kNone);
  };
  for (const DiscoveredGraph& graph : dump.graphs) {
    const std::string over =
        graph.intra_type.empty() ? "" : graph.intra_type + ", " + graph.inter_type;
    table.add({graph.name, fmt::format("{}", graph.pattern), fmt::format("{}", graph.channels),
               speed(graph.intra_speed), speed(graph.inter_speed), over,
               fmt::format("{}", graph.gpus), fmt::format("{}", graph.hosts)});
  }
  return table.empty() ? std::string() : table.text();
}

std::string head(const DiscoveredTopology& dump) {
  std::string text = fmt::format("{}: {}\n", printable(dump.file), name_of(dump.kind));
  const auto line = [&](const std::string& value) { text += "  " + value + '\n'; };
  if (!dump.product.empty()) line(printable(dump.product));
  const int whole = dump.num_whole_gpus();
  std::string devices = visual::counted(whole, "GPU");
  if (whole != std::ssize(dump.gpus)) {
    devices += " as " + visual::counted(std::ssize(dump.gpus), "rank");
  }
  devices += " on " + visual::counted(std::ssize(dump.hosts), "host");
  if (!dump.nics.empty()) devices += ", " + visual::counted(std::ssize(dump.nics), "NIC");
  if (!dump.cpus.empty()) devices += ", " + visual::counted(std::ssize(dump.cpus), "CPU");
  const auto used = std::ranges::count_if(
      dump.pci_switches, [](const DiscoveredPciSwitch& part) { return part.gpus + part.nics > 0; });
  if (used > 0) devices += ", " + visual::counted(used, "PCIe switch");
  line(devices);
  if (!dump.unknown_devices.empty()) {
    line(visual::counted(std::ssize(dump.unknown_devices), "PCI device") + " of unknown kind");
  }
  return text + '\n';
}

std::string network_text(const DiscoveredTopology& dump, const DumpNetwork& network) {
  if (network.topology.num_gpus < 2) return {};
  if (!dump.network_gap.empty()) {
    return "NVLink bisection is not in this file: " + dump.network_gap + "\n\n";
  }
  if (network.topology.links.empty()) return {};
  const Bandwidth bisection = bisection_bandwidth(network.topology);
  if (network.speed_source.empty()) {
    return fmt::format(
        "NVLink bisection, one direction: {} links (their speed is not in this "
        "file)\n\n",
        visual::count_text(static_cast<std::int64_t>(bisection.bytes_per_second)));
  }
  const std::string each =
      network.line.bytes_per_second > 0
          ? text_of(Quantity::bandwidth, network.line.bytes_per_second) + " per link, "
          : "speeds ";
  return fmt::format("NVLink bisection, one direction: {} ({}{})\n\n",
                     text_of(Quantity::bandwidth, bisection.bytes_per_second), each,
                     network.speed_source);
}

std::string finding_text(const DiscoveredTopology& dump) {
  std::string text;
  for (const Severity severity : {Severity::fault, Severity::warning, Severity::note}) {
    for (const Finding& finding : dump.findings) {
      if (finding.severity != severity) continue;
      text += fmt::format("{:<7}  {}\n", name_of(severity), finding.text);
    }
  }
  return text;
}

}  // namespace

std::string dump_topology_text(const DiscoveredTopology& dump,
                               const std::optional<DumpNetwork>& network) {
  std::string text = head(dump);
  // A graph dump knows its GPUs by number only.
  if (dump.kind != DumpKind::nccl_graph) text += gpu_table(dump);
  text += graph_table(dump) + switch_table(dump) + nic_table(dump);
  if (network) text += network_text(dump, *network);
  return text + finding_text(dump);
}

}  // namespace k3::cli
