#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/core.h>

#include "engine/hardware/discovered_network.h"
#include "engine/hardware/graphml.h"
#include "engine/hardware/topology_dump.h"
#include "engine/scenario/setup.h"
#include "engine/text/file.h"
#include "engine/text/units.h"
#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/data_search.h"
#include "profiler/cli/faulty_machine.h"
#include "profiler/cli/options.h"
#include "profiler/cli/topo_reports.h"

namespace k3::cli {
namespace {

namespace fs = std::filesystem;

Result<void> write_graph(const Arguments& arguments, const Topology& topology, Console& console) {
  const auto path = arguments.value("graphml");
  if (!path) return {};
  K3_TRY_VOID(write_file_atomically(*path, write_graphml(topology), overwrite_of(arguments)));
  console.note("wrote " + *path);
  return {};
}

Result<int> show_machine(const std::string& text,
                         const fs::path& path,
                         const Arguments& arguments,
                         Console& console) {
  if (arguments.has("link-bandwidth")) {
    return fail(Code::invalid_input, "is for dumps; a machine file has its own link_bandwidth",
                "--link-bandwidth");
  }
  K3_TRY(Machine machine, parse_machine(text, path.string()));
  K3_TRY(machine, with_given_faults(std::move(machine), arguments));
  const Topology topology = build_topology(machine);
  K3_TRY_VOID(write_graph(arguments, topology, console));
  if (arguments.has("json")) {
    console.print_json(machine_topology_json(machine, topology));
  } else {
    console.print(machine_topology_text(machine, topology));
  }
  return 0;
}

/// The network of a dump, where NVLink is in it: with the speed that the user gives, that is known,
/// or none.
Result<std::optional<DumpNetwork>> dump_network(const DiscoveredTopology& dump,
                                                const Arguments& arguments) {
  DumpNetwork network;
  if (const auto given = arguments.value("link-bandwidth")) {
    auto speed = parse_bandwidth(*given);
    if (!speed) return tl::unexpected(std::move(speed).error().at("--link-bandwidth"));
    network.line = *speed;
    network.speed_source = "--link-bandwidth";
  } else if (const auto known = link_speed(dump)) {
    network.line = known->speed;
    network.speed_source = known->source;
  } else {
    network.line = Bandwidth{1};
  }
  if (!dump.nvlink_absent.empty() || dump.gpus.empty()) return std::nullopt;
  K3_TRY(network.topology, network_of(dump, network.line));
  return network;
}

Result<int> show_dump(const std::string& text,
                      const fs::path& path,
                      const Arguments& arguments,
                      Console& console) {
  if (arguments.has("fault")) {
    return fail(Code::invalid_input, "faults are applied to machines; this file is a dump",
                "--fault");
  }
  K3_TRY(const DiscoveredTopology dump, parse_topology_dump(text, path.string()));
  K3_TRY(const std::optional<DumpNetwork> network, dump_network(dump, arguments));
  if (arguments.has("graphml")) {
    if (!network) {
      const std::string reason = dump.nvlink_absent.empty() ? "no GPU in it" : dump.nvlink_absent;
      return fail(Code::unsupported, "no network to write: NVLink is not in this file: " + reason,
                  path.string());
    }
    if (network->speed_source.empty()) {
      return fail(Code::invalid_input,
                  "the speed of a link is not in this file; give --link-bandwidth \"25 GB/s\"",
                  path.string());
    }
    K3_TRY_VOID(write_graph(arguments, network->topology, console));
    if (!dump.network_gap.empty()) console.note("the network is not whole: " + dump.network_gap);
  }
  if (arguments.has("json")) {
    console.print_json(dump_topology_json(dump, network));
  } else {
    console.print(dump_topology_text(dump, network));
  }
  return 0;
}

/// Whether the first line that is no comment is a table or a key of TOML.
bool begins_like_toml(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    const std::size_t equals = line.find('=');
    return line[first] == '[' || (equals != std::string_view::npos && equals > first);
  }
  return false;
}

Result<int> run_topo(const Arguments& arguments, Console& console) {
  const std::string name = arguments.required(0);
  if (name == kLocalMachine) return no_links(name);
  K3_TRY(const fs::path path, find_input(name, PresetKind::machine, console.folders()));
  if (std::error_code ignored; fs::is_directory(path, ignored)) {
    return fail(Code::invalid_input, "is a folder; name a machine or a file", path.string());
  }
  if (const auto graph = arguments.value("graphml")) {
    K3_TRY_VOID(check_output(*graph, overwrite_of(arguments)));
  }
  K3_TRY(const std::string text, read_text_file(path));
  const bool is_machine = !is_topology_dump(text) && begins_like_toml(text);
  return is_machine ? show_machine(text, path, arguments, console)
                    : show_dump(text, path, arguments, console);
}

}  // namespace

Command topo_command() {
  return {
      .name = "topo",
      .summary = "nodes, links, capacities and faults of a machine, or what a dump shows",
      .details =
          "FILE is a machine (TOML) or what a tool wrote about a real one: NCCL_TOPO_DUMP_FILE,\n"
          "a cloud's NCCL_TOPO_FILE, NCCL_GRAPH_DUMP_FILE, nvidia-smi topo -m, nvlink -s or -R,\n"
          "nvidia-smi -q -x, hwloc XML. The kind is told by the content. What a file does not\n"
          "say is said to be missing; the speed of a link comes from the file, the datasheet of\n"
          "its GPUs or --link-bandwidth, else links are counted.",
      .positionals = {{"MACHINE|FILE", "a machine of `presets`, or a file"}},
      .options = {fault_option(),
                  {"link-bandwidth", "RATE", "speed of one link of a dump, like \"25 GB/s\""},
                  {"graphml", "FILE", "write the network as GraphML"},
                  json_option(),
                  force_option()},
      .run = run_topo};
}

}  // namespace k3::cli
