#include <algorithm>

#include <fmt/core.h>

#include "engine/base/text_table.h"
#include "engine/hardware/max_flow.h"
#include "engine/hardware/topology_summary.h"
#include "engine/text/printable.h"
#include "profiler/cli/topo_reports.h"
#include "profiler/visual/numbers.h"

namespace k3::cli {
namespace {

using visual::count_text;
using visual::Quantity;
using visual::text_of;

Topology healthy(Machine machine) {
  machine.faults.clear();
  return build_topology(machine);
}

std::string bandwidth_text(Bandwidth rate) {
  return text_of(Quantity::bandwidth, rate.bytes_per_second);
}

std::string gigabytes(Bandwidth rate) {
  constexpr visual::Unit kGigabytes{"GB/s", 1e-9, Quantity::bandwidth};
  return visual::number_in(rate.bytes_per_second, kGigabytes);
}

std::string node_table(const TopologySummary& summary) {
  TextTable table({"nodes", "count", "gone"});
  for (const NodeCount& count : summary.nodes) {
    table.add_row(
        {std::string(name_of(count.kind)), count_text(count.count), count_text(count.gone)});
  }
  return table.text();
}

std::string cable_table(const TopologySummary& summary) {
  TextTable table({"links", "count", "lines each", "each/(GB/s)", "latency/µs", "reduced", "dead"});
  for (const CableGroup& group : summary.cables) {
    table.add_row({fmt::format("{} – {}", name_of(group.a), name_of(group.b)),
                   count_text(group.count), count_text(group.lines), gigabytes(group.nominal),
                   visual::number(group.latency.us()), count_text(group.reduced),
                   count_text(group.dead)});
  }
  return table.text();
}

/// Least, median and greatest of what the GPUs have.
std::string capacity_row(std::string_view what, std::vector<double> values, TextTable& table) {
  std::ranges::sort(values);
  table.add_row({std::string(what), gigabytes({values.front()}),
                 gigabytes({values[values.size() / 2]}), gigabytes({values.back()})});
  return {};
}

std::string capacity_table(const TopologySummary& summary) {
  TextTable table({"per GPU and direction/(GB/s)", "least", "median", "most"});
  const auto values = [&](Bandwidth GpuCapacity::* part) {
    std::vector<double> all;
    for (const GpuCapacity& gpu : summary.gpus)
      all.push_back((gpu.*part).bytes_per_second);
    return all;
  };
  capacity_row("NVLink, healthy", values(&GpuCapacity::healthy), table);
  capacity_row("NVLink, sending", values(&GpuCapacity::send), table);
  capacity_row("NVLink, receiving", values(&GpuCapacity::receive), table);
  const std::vector<double> network = values(&GpuCapacity::network_send);
  if (std::ranges::any_of(network, [](double value) { return value > 0; })) {
    capacity_row("NIC", network, table);
  }
  return table.text();
}

std::string effect_text(const FaultEffect& effect) {
  std::string text;
  const auto add = [&](int count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many);
  };
  add(effect.gone, "GPU gone", "GPUs gone");
  add(effect.slower, "GPU slower", "GPUs slower");
  add(effect.dead, "link dead", "links dead");
  add(effect.reduced, "link reduced", "links reduced");
  return text.empty() ? "nothing" : text;
}

std::string fault_text(const Machine& machine) {
  if (machine.faults.empty()) return {};
  TextTable table({"fault", "what it changes"});
  for (const FaultEffect& effect : fault_effects(machine))
    table.add_row({printable(effect.fault), effect_text(effect)});
  return table.text() + '\n';
}

std::string dead_text(const TopologySummary& summary) {
  constexpr std::size_t kMostLines = 40;
  if (summary.dead.empty()) return {};
  std::string text = "dead links\n";
  for (std::size_t i = 0; i < std::min(summary.dead.size(), kMostLines); ++i)
    text += "  " + summary.dead[i] + '\n';
  if (summary.dead.size() > kMostLines) {
    text += fmt::format("  and {} more (--json has all)\n", summary.dead.size() - kMostLines);
  }
  return text + '\n';
}

std::string plane_text(const Machine& machine) {
  if (machine.plane_links.empty()) return "no planes";
  const auto [least, most] = std::ranges::minmax(machine.plane_links);
  if (least == most) {
    return fmt::format("{} per rack with {} of every GPU",
                       visual::counted(machine.planes(), "plane"), visual::counted(least, "link"));
  }
  std::string links;
  for (const int count : machine.plane_links)
    links += fmt::format("{}{}", links.empty() ? "" : " + ", count);
  return fmt::format("{} planes per rack with {} links of every GPU", machine.planes(), links);
}

}  // namespace

std::string machine_topology_text(const Machine& machine, const Topology& topology) {
  const TopologySummary summary = summarize(topology);
  std::string text = fmt::format("{}: {}\n  {} in {}, {} per tray; {}\n\n", printable(machine.name),
                                 printable(machine.title), visual::counted(machine.num_gpus, "GPU"),
                                 visual::counted(machine.racks, "rack"), machine.gpus_per_tray,
                                 plane_text(machine));
  text += node_table(summary) + '\n' + cable_table(summary) + '\n' + capacity_table(summary) + '\n';
  text +=
      fmt::format("bisection, one direction: {}", bandwidth_text(bisection_bandwidth(topology)));
  if (!machine.faults.empty()) {
    text += fmt::format(" (healthy: {})", bandwidth_text(bisection_bandwidth(healthy(machine))));
  }
  return text + "\n\n" + fault_text(machine) + dead_text(summary);
}

namespace {

Json links_json(const Topology& topology) {
  Json links = Json::array();
  for (const TopologyLink& link : topology.links) {
    links.push(Json::object()
                   .set("from", topology.nodes[static_cast<std::size_t>(link.from)].name)
                   .set("to", topology.nodes[static_cast<std::size_t>(link.to)].name)
                   .set("lines", link.lines)
                   .set("nominal_bytes_per_s", link.nominal.bytes_per_second)
                   .set("capacity_bytes_per_s", link.capacity.bytes_per_second)
                   .set("latency_ns", static_cast<double>(link.latency.ps) / 1000)
                   .set("alive", link.alive()));
  }
  return links;
}

Json gpus_json(const TopologySummary& summary, const Topology& topology) {
  Json gpus = Json::array();
  for (std::size_t i = 0; i < summary.gpus.size(); ++i) {
    const GpuCapacity& gpu = summary.gpus[i];
    gpus.push(Json::object()
                  .set("name", topology.nodes[i].name)
                  .set("rack", topology.nodes[i].rack)
                  .set("tray", topology.nodes[i].tray)
                  .set("send_bytes_per_s", gpu.send.bytes_per_second)
                  .set("receive_bytes_per_s", gpu.receive.bytes_per_second)
                  .set("healthy_bytes_per_s", gpu.healthy.bytes_per_second)
                  .set("nic_bytes_per_s", gpu.network_send.bytes_per_second)
                  .set("compute_speed", gpu.compute_speed));
  }
  return gpus;
}

Json faults_json(const Machine& machine) {
  Json faults = Json::array();
  for (const FaultEffect& effect : fault_effects(machine)) {
    faults.push(Json::object()
                    .set("fault", effect.fault)
                    .set("links_dead", effect.dead)
                    .set("links_reduced", effect.reduced)
                    .set("gpus_gone", effect.gone)
                    .set("gpus_slower", effect.slower));
  }
  return faults;
}

}  // namespace

Json machine_topology_json(const Machine& machine, const Topology& topology) {
  const TopologySummary summary = summarize(topology);
  Json nodes = Json::array();
  for (const NodeCount& count : summary.nodes) {
    nodes.push(Json::object()
                   .set("kind", name_of(count.kind))
                   .set("count", count.count)
                   .set("gone", count.gone));
  }
  Json dead = Json::array();
  for (const std::string& name : summary.dead)
    dead.push(name);
  Json plane_links = Json::array();
  for (const int count : machine.plane_links)
    plane_links.push(count);
  return Json::object()
      .set("kind", "machine")
      .set("machine", machine.name)
      .set("title", machine.title)
      .set("racks", machine.racks)
      .set("planes", machine.racks * machine.planes())
      .set("plane_links", plane_links)
      .set("nodes", nodes)
      .set("gpus", gpus_json(summary, topology))
      .set("bisection_bytes_per_s", bisection_bandwidth(topology).bytes_per_second)
      .set("healthy_bisection_bytes_per_s", bisection_bandwidth(healthy(machine)).bytes_per_second)
      .set("faults", faults_json(machine))
      .set("dead_links", dead)
      .set("links", links_json(topology));
}

}  // namespace k3::cli
