#include <algorithm>
#include <chrono>
#include <numeric>

#include <fmt/core.h>

#include "engine/base/atomic_file.h"
#include "engine/base/parallel.h"
#include "engine/base/text_table.h"
#include "engine/hardware/topology.h"
#include "engine/text/json.h"
#include "engine/text/number_table.h"
#include "engine/text/units.h"
#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/faulty_machine.h"
#include "profiler/cli/options.h"
#include "profiler/visual/numbers.h"
#include "sim/network/all_to_all.h"

namespace k3::cli {
namespace {

using visual::Quantity;
using visual::text_of;

constexpr std::size_t kHottestLinks = 8;

struct Solved {
  Machine machine;
  Topology topology;
  NumberTable bytes;
  sim::Striping striping = sim::Striping::equal;
  double latency_s = 0;
  sim::AllToAllResult result;
  double wall_s = 0;

  std::size_t ranks() const { return static_cast<std::size_t>(bytes.rows); }
};

Result<NumberTable> read_bytes(const std::string& name, int num_gpus) {
  K3_TRY(NumberTable table, read_number_table(name));
  if (table.rows != table.columns) {
    return fail(Code::invalid_input,
                fmt::format("has {} rows of {} numbers; must be square, row = source, column = "
                            "destination",
                            table.rows, table.columns),
                name);
  }
  if (table.rows > num_gpus) {
    return fail(Code::invalid_input,
                fmt::format("has {} ranks; the machine has {} GPUs", table.rows, num_gpus), name);
  }
  for (int row = 0; row < table.rows; ++row) {
    for (int column = 0; column < table.columns; ++column) {
      if (table.at(row, column) < 0) {
        return fail(Code::invalid_input,
                    fmt::format("{} bytes from {} to {}; must not be negative",
                                table.at(row, column), row, column),
                    fmt::format("{}:{}", name, row + 1));
      }
    }
  }
  return table;
}

sim::Striping striping_of(const std::string& word) {
  for (const sim::Striping striping : {sim::Striping::live, sim::Striping::hash}) {
    if (word == name_of(striping)) return striping;
  }
  return sim::Striping::equal;
}

Result<Solved> solve(const Arguments& arguments, const Console& console) {
  Solved solved;
  K3_TRY(solved.machine, faulty_machine(arguments, console));
  solved.topology = build_topology(solved.machine);
  K3_TRY(solved.bytes, read_bytes(arguments.required(1), solved.machine.num_gpus));
  solved.striping = striping_of(arguments.value("striping").value_or("equal"));
  if (const auto text = arguments.value("latency")) {
    auto latency = parse_time(*text);
    if (!latency) return tl::unexpected(std::move(latency.error()).at("--latency"));
    solved.latency_s = latency->seconds();
  }
  std::vector<int> gpus(solved.ranks());
  std::iota(gpus.begin(), gpus.end(), 0);
  Progress progress;
  const auto begin = std::chrono::steady_clock::now();
  const auto run = [&] {
    const ProgressDisplay display("alltoall", "flows", progress);
    auto result = sim::all_to_all({.topology = solved.topology,
                                   .gpus = gpus,
                                   .bytes = solved.bytes.values,
                                   .striping = solved.striping,
                                   .latency_s = solved.latency_s,
                                   .threads = num_cores(),
                                   .progress = &progress});
    solved.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
  };
  K3_TRY(solved.result, run());
  return solved;
}

/// "src,dst,completion_s", one line per pair that sends something.
std::string completions_csv(const Solved& solved) {
  std::string csv = "src,dst,completion_s\n";
  for (std::size_t source = 0; source < solved.ranks(); ++source) {
    for (std::size_t destination = 0; destination < solved.ranks(); ++destination) {
      const std::size_t pair = source * solved.ranks() + destination;
      if (source == destination || solved.bytes.values[pair] <= 0) continue;
      csv += fmt::format("{},{},{:.17g}\n", source, destination, solved.result.completion_s[pair]);
    }
  }
  return csv;
}

/// What the endpoint model says of the same all-to-all: every rank waits for its own links only.
struct EndpointView {
  double makespan_s = 0;
  double worst_rank_error = 0;  ///< largest (exact − endpoint) / exact of a rank
};

EndpointView endpoint_view(const Solved& solved) {
  std::vector<double> own(static_cast<std::size_t>(solved.topology.num_gpus));
  for (const sim::LinkUse& use : solved.result.links) {
    const TopologyLink& link = solved.topology.links[static_cast<std::size_t>(use.link)];
    for (const int node : {link.from, link.to}) {
      if (node >= solved.topology.num_gpus) continue;
      double& time = own[static_cast<std::size_t>(node)];
      time = std::max(time, use.bytes / link.capacity.bytes_per_second + solved.latency_s);
    }
  }
  EndpointView view;
  for (std::size_t rank = 0; rank < solved.ranks(); ++rank) {
    double exact = 0;
    for (std::size_t other = 0; other < solved.ranks(); ++other) {
      exact = std::max({exact, solved.result.completion_s[rank * solved.ranks() + other],
                        solved.result.completion_s[other * solved.ranks() + rank]});
    }
    view.makespan_s = std::max(view.makespan_s, own[rank]);
    if (exact > 0) view.worst_rank_error = std::max(view.worst_rank_error, 1 - own[rank] / exact);
  }
  return view;
}

/// The links that take longest for their bytes, slowest first.
std::vector<sim::LinkUse> hottest_links(const Solved& solved) {
  std::vector<sim::LinkUse> links = solved.result.links;
  const std::size_t count = std::min(links.size(), kHottestLinks);
  std::partial_sort(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(count), links.end(),
                    [&](const sim::LinkUse& a, const sim::LinkUse& b) {
                      const auto time = [&](const sim::LinkUse& use) {
                        return use.bytes / solved.topology.links[static_cast<std::size_t>(use.link)]
                                               .capacity.bytes_per_second;
                      };
                      return time(a) != time(b) ? time(a) > time(b) : a.link < b.link;
                    });
  links.resize(count);
  return links;
}

const std::string& name_of_end(const Solved& solved, int node) {
  return solved.topology.nodes[static_cast<std::size_t>(node)].name;
}

Json to_json(const Solved& solved) {
  const EndpointView endpoint = endpoint_view(solved);
  Json faults = Json::array();
  for (const Fault& fault : solved.machine.faults)
    faults.push(fault.text);
  Json links = Json::array();
  for (const sim::LinkUse& use : hottest_links(solved)) {
    const TopologyLink& link = solved.topology.links[static_cast<std::size_t>(use.link)];
    links.push(Json::object()
                   .set("from", name_of_end(solved, link.from))
                   .set("to", name_of_end(solved, link.to))
                   .set("bytes", use.bytes)
                   .set("capacity_bytes_per_s", link.capacity.bytes_per_second)
                   .set("busy_s", use.busy_s));
  }
  return Json::object()
      .set("machine", solved.machine.name)
      .set("ranks", solved.bytes.rows)
      .set("striping", name_of(solved.striping))
      .set("latency_s", solved.latency_s)
      .set("faults", faults)
      .set("makespan_s", solved.result.makespan_s)
      .set("bound_s", solved.result.bound_s)
      .set("endpoint_makespan_s", endpoint.makespan_s)
      .set("endpoint_worst_rank_error", endpoint.worst_rank_error)
      .set("flows", solved.result.flows)
      .set("subflows", solved.result.subflows)
      .set("events", solved.result.events)
      .set("wall_s", solved.wall_s)
      .set("hottest_links", links);
}

std::string to_text(const Solved& solved) {
  const sim::AllToAllResult& result = solved.result;
  const EndpointView endpoint = endpoint_view(solved);
  std::string text = fmt::format(
      "all-to-all of {} on {}{}, {} striping (simulated, exact max-min)\n"
      "  makespan   {}\n"
      "  bound      {}   busiest link; makespan is {} of it\n"
      "  endpoint   {}   own links only: up to {} too early for a rank\n"
      "  flows      {}, {}, {}, solved in {}\n\n",
      visual::counted(solved.bytes.rows, "rank"), solved.machine.name,
      solved.machine.faults.empty()
          ? ""
          : " with " + visual::counted(std::ssize(solved.machine.faults), "fault"),
      name_of(solved.striping), text_of(Quantity::time, result.makespan_s),
      text_of(Quantity::time, result.bound_s),
      text_of(Quantity::ratio, result.bound_s > 0 ? result.makespan_s / result.bound_s : 1),
      text_of(Quantity::time, endpoint.makespan_s),
      text_of(Quantity::share, endpoint.worst_rank_error), visual::counted(result.flows, "pair"),
      visual::counted(result.subflows, "part"), visual::counted(result.events, "rate change"),
      text_of(Quantity::time, solved.wall_s));
  TextTable table({"hottest links", "bytes", "capacity", "busy"});
  for (const sim::LinkUse& use : hottest_links(solved)) {
    const TopologyLink& link = solved.topology.links[static_cast<std::size_t>(use.link)];
    table.add_row(
        {fmt::format("{} -> {}", name_of_end(solved, link.from), name_of_end(solved, link.to)),
         text_of(Quantity::bytes, use.bytes),
         text_of(Quantity::bandwidth, link.capacity.bytes_per_second),
         text_of(Quantity::time, use.busy_s)});
  }
  return text + table.text();
}

Result<int> run_alltoall(const Arguments& arguments, Console& console) {
  const auto output = arguments.value("output");
  const Overwrite overwrite = overwrite_of(arguments);
  if (output) K3_TRY_VOID(check_output(*output, overwrite));
  K3_TRY(const Solved solved, solve(arguments, console));
  if (output) K3_TRY_VOID(write_file_atomically(*output, completions_csv(solved), overwrite));
  double local = 0;
  for (int rank = 0; rank < solved.bytes.rows; ++rank)
    local += solved.bytes.at(rank, rank);
  if (local > 0) {
    console.note(fmt::format("{}: {} on the diagonal stay on their rank and are not sent",
                             arguments.required(1), text_of(Quantity::bytes, local)));
  }
  if (arguments.has("json")) {
    console.print_json(to_json(solved));
  } else {
    console.print(to_text(solved));
  }
  return 0;
}

}  // namespace

Command alltoall_command() {
  return {
      .name = "alltoall",
      .summary = "one all-to-all of a byte matrix on the links of a machine",
      .details =
          "BYTES.csv: no header, row = source, column = destination, square; the first GPUs of\n"
          "the machine take part. All pairs start at 0 and share every link max-min fairly.\n"
          "equal and live spread a pair over the links of all (or all live) planes, hash puts it\n"
          "on plane (source + destination) mod planes. OUT.csv: src,dst,completion_s.",
      .positionals = {{"MACHINE", "preset (k3rack presets) or path of a TOML"},
                      {"BYTES.csv", "bytes that each rank sends to each rank"}},
      .options = {{"striping",
                   "WORD",
                   "how a pair spreads over the planes (default equal)",
                   {"equal", "live", "hash"}},
                  {"latency", "TIME", "one way, once per pair, e.g. \"500 ns\" (default 0)"},
                  {"fault", "FAULT", "e.g. gpu3:plane7=0.5, plane4=0, gpu9=gone", {}, true},
                  {"output", "FILE", "completion of every pair as CSV"},
                  force_option(),
                  json_option()},
      .run = run_alltoall};
}

}  // namespace k3::cli
