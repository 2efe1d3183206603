#include "engine/hardware/max_flow.h"
#include "profiler/cli/topo_reports.h"

namespace k3::cli {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json or_null(const std::optional<Bandwidth>& value) {
  return value ? Json(value->bytes_per_second) : Json();
}

template <class T>
Json list_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values)
    list.push(value);
  return list;
}

Json gpu_json(const DiscoveredTopology& dump, const DiscoveredGpu& gpu) {
  Json links = Json::array();
  for (const NvlinkRow& row : gpu.nvlinks) {
    links.push(Json::object()
                   .set("end", name_of(row.end))
                   .set("index", row.index)
                   .set("target", row.target)
                   .set("count", or_null(row.count))
                   .set("bytes_per_s", or_null(row.bandwidth)));
  }
  Json properties = Json::object();
  for (const auto& [name, value] : gpu.properties)
    properties.set(name, value);
  return Json::object()
      .set("name", gpu.name)
      .set("rank", or_null(gpu.rank))
      .set("device", or_null(gpu.device))
      .set("sm", or_null(gpu.sm))
      .set("host", gpu.host)
      .set("numa", or_null(gpu.numa))
      .set("bus_id", gpu.bus_id)
      .set("product", gpu.product)
      .set("part_of", gpu.part_of < 0 ? Json() : Json(gpu.part_of))
      .set("pci_switch", gpu.pci_switch < 0 ? Json() : Json(gpu.pci_switch))
      .set("nvlinks", or_null(dump.num_nvlinks(gpu)))
      .set("links", links)
      .set("c2c_links", or_null(gpu.c2c_links))
      .set("c2c_link_bytes_per_s", or_null(gpu.c2c_link))
      .set("paths", list_of(gpu.paths))
      .set("properties", properties);
}

Json nic_json(const DiscoveredNic& nic) {
  return Json::object()
      .set("name", nic.name)
      .set("kind", name_of(nic.kind))
      .set("host", nic.host)
      .set("numa", or_null(nic.numa))
      .set("bus_id", nic.bus_id)
      .set("bytes_per_s", or_null(nic.speed))
      .set("near_gpus", list_of(nic.near_gpus))
      .set("paths", list_of(nic.paths));
}

Json graph_json(const DiscoveredGraph& graph) {
  return Json::object()
      .set("id", graph.id)
      .set("name", graph.name)
      .set("pattern", graph.pattern)
      .set("channels", graph.channels)
      .set("intra_bytes_per_s", or_null(graph.intra_speed))
      .set("inter_bytes_per_s", or_null(graph.inter_speed))
      .set("intra_type", graph.intra_type)
      .set("inter_type", graph.inter_type)
      .set("gpus", graph.gpus)
      .set("hosts", graph.hosts);
}

void add_places(Json& json, const DiscoveredTopology& dump) {
  Json switches = Json::array();
  for (const DiscoveredSwitch& part : dump.switches) {
    switches.push(Json::object()
                      .set("name", part.name)
                      .set("host", part.host < 0 ? Json() : Json(part.host))
                      .set("bus_id", part.bus_id)
                      .set("hidden", part.hidden));
  }
  Json cpus = Json::array();
  for (const DiscoveredCpu& cpu : dump.cpus) {
    cpus.push(Json::object()
                  .set("host", cpu.host)
                  .set("numa", or_null(cpu.numa))
                  .set("arch", cpu.arch)
                  .set("vendor", cpu.vendor));
  }
  Json bridges = Json::array();
  for (const DiscoveredPciSwitch& part : dump.pci_switches) {
    bridges.push(Json::object()
                     .set("host", part.host)
                     .set("bus_id", part.bus_id)
                     .set("gpus", part.gpus)
                     .set("nics", part.nics));
  }
  json.set("switches", switches).set("cpus", cpus).set("pci_switches", bridges);
}

Json network_json(const DiscoveredTopology& dump, const DumpNetwork& network) {
  const bool has_speed = !network.speed_source.empty();
  const bool whole = dump.network_gap.empty() && network.topology.num_gpus > 1;
  const double bisection = whole ? bisection_bandwidth(network.topology).bytes_per_second : 0;
  const bool same = has_speed && network.line.bytes_per_second > 0;
  return Json::object()
      .set("link_bytes_per_s", same ? Json(network.line.bytes_per_second) : Json())
      .set("link_speed_source", has_speed ? Json(network.speed_source) : Json())
      .set("gap", whole || dump.network_gap.empty() ? Json() : Json(dump.network_gap))
      .set("bisection_bytes_per_s", whole && has_speed ? Json(bisection) : Json())
      .set("bisection_links", whole && !has_speed ? Json(bisection) : Json());
}

}  // namespace

Json dump_topology_json(const DiscoveredTopology& dump, const std::optional<DumpNetwork>& network) {
  Json json = Json::object();
  json.set("kind", name_of(dump.kind)).set("file", dump.file).set("product", dump.product);
  json.set("hosts", list_of(dump.hosts)).set("physical_gpus", dump.num_whole_gpus());
  Json gpus = Json::array();
  for (const DiscoveredGpu& gpu : dump.gpus)
    gpus.push(gpu_json(dump, gpu));
  json.set("gpus", gpus);
  add_places(json, dump);
  Json nics = Json::array();
  for (const DiscoveredNic& nic : dump.nics)
    nics.push(nic_json(nic));
  Json graphs = Json::array();
  for (const DiscoveredGraph& graph : dump.graphs)
    graphs.push(graph_json(graph));
  json.set("nics", nics).set("unknown_devices", list_of(dump.unknown_devices));
  json.set("graphs", graphs);
  json.set("nvlink_absent", dump.nvlink_absent.empty() ? Json() : Json(dump.nvlink_absent));
  json.set("nvlink_rate_bytes_per_s", or_null(dump.nvlink_rate));
  json.set("network", network ? network_json(dump, *network) : Json());
  Json findings = Json::array();
  for (const Finding& finding : dump.findings) {
    findings.push(
        Json::object().set("severity", name_of(finding.severity)).set("text", finding.text));
  }
  return json.set("findings", findings).set("has_fault", dump.has_fault());
}

}  // namespace k3::cli
