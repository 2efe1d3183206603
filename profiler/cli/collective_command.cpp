#include <optional>

#include <fmt/core.h>

#include "engine/base/parallel.h"
#include "engine/base/text_table.h"
#include "engine/text/json.h"
#include "engine/text/units.h"
#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/faulty_machine.h"
#include "profiler/cli/options.h"
#include "profiler/visual/numbers.h"
#include "sim/network/collective.h"

namespace k3::cli {
namespace {

using visual::Quantity;
using visual::text_of;

struct Asked {
  Machine machine;
  sim::Collective collective = sim::Collective::all_reduce;
  std::int64_t bytes = 0;
  int ranks = 0;
  std::optional<double> latency_s;  ///< absent: that of the links
  std::vector<sim::CollectiveCost> costs;
};

Result<sim::Collective> collective_named(const std::string& word) {
  std::string known;
  for (std::size_t i = 0; i < sim::kNumCollectives; ++i) {
    const auto collective = static_cast<sim::Collective>(i);
    if (word == name_of(collective)) return collective;
    known += fmt::format("{}{}", i == 0 ? "" : ", ", name_of(collective));
  }
  return fail(Code::invalid_input,
              fmt::format("`{:.40}` is no collective; known: {}", word, known));
}

Result<Asked> ask(const Arguments& arguments, const Console& console) {
  Asked asked;
  K3_TRY(asked.machine, faulty_machine(arguments, console));
  K3_TRY(asked.collective, collective_named(arguments.required(1)));
  auto bytes = parse_bytes(arguments.required(2));
  if (!bytes) return tl::unexpected(std::move(bytes.error()).at("BYTES"));
  if (bytes->count < 1) return fail(Code::invalid_input, "0 bytes; must be positive", "BYTES");
  asked.bytes = bytes->count;
  const Topology topology = build_topology(asked.machine);
  std::vector<int> gpus = topology.live_gpus();
  K3_TRY(const auto ranks, arguments.integer("ranks", 2));
  if (ranks && *ranks > std::ssize(gpus)) {
    return fail(Code::invalid_input,
                fmt::format("{} ranks; {} has {}", *ranks, asked.machine.name,
                            visual::counted(std::ssize(gpus), "live GPU")),
                "--ranks");
  }
  if (ranks) gpus.resize(static_cast<std::size_t>(*ranks));
  if (gpus.size() < 2) {
    return fail(Code::invalid_input,
                fmt::format("{} has {}; a collective needs at least 2", asked.machine.name,
                            visual::counted(std::ssize(gpus), "live GPU")),
                "MACHINE");
  }
  asked.ranks = static_cast<int>(gpus.size());
  if (const auto text = arguments.value("latency")) {
    auto latency = parse_time(*text);
    if (!latency) return tl::unexpected(std::move(latency.error()).at("--latency"));
    asked.latency_s = latency->seconds();
  }
  Progress progress;
  const auto run = [&] {
    const ProgressDisplay display("collective", "flows", progress);
    return sim::collective_costs({.topology = topology,
                                  .gpus = gpus,
                                  .collective = asked.collective,
                                  .bytes = static_cast<double>(asked.bytes),
                                  .latency_s = asked.latency_s,
                                  .threads = num_cores(),
                                  .progress = &progress});
  };
  K3_TRY(asked.costs, run());
  return asked;
}

Json to_json(const Asked& asked) {
  Json algorithms = Json::array();
  for (const sim::CollectiveCost& cost : asked.costs) {
    algorithms.push(Json::object()
                        .set("algorithm", name_of(cost.algorithm))
                        .set("chunks", cost.chunks)
                        .set("seconds", cost.seconds)
                        .set("bound_s", cost.bound_s)
                        .set("bus_bandwidth_bytes_per_s", cost.bus_bandwidth)
                        .set("flows", cost.flows));
  }
  Json faults = Json::array();
  for (const Fault& fault : asked.machine.faults)
    faults.push(fault.text);
  return Json::object()
      .set("machine", asked.machine.name)
      .set("collective", name_of(asked.collective))
      .set("bytes", asked.bytes)
      .set("ranks", asked.ranks)
      .set("latency_s", asked.latency_s ? Json(*asked.latency_s) : Json())
      .set("faults", faults)
      .set("chosen", name_of(asked.costs[0].algorithm))
      .set("algorithms", algorithms);
}

std::string to_text(const Asked& asked) {
  std::string text = fmt::format(
      "{} of {} on {} of {}{}: {} by {} (simulated, exact max-min, {})\n\n",
      name_of(asked.collective), text_of(Quantity::bytes, static_cast<double>(asked.bytes)),
      visual::counted(asked.ranks, "rank"), asked.machine.name, faults_text(asked.machine),
      text_of(Quantity::time, asked.costs[0].seconds), name_of(asked.costs[0].algorithm),
      asked.latency_s ? text_of(Quantity::time, *asked.latency_s) + " per message"
                      : "latency of the links");
  TextTable table({"algorithm", "time", "bound", "bus bandwidth", "chunks"});
  for (const sim::CollectiveCost& cost : asked.costs) {
    table.add_row({std::string(name_of(cost.algorithm)), text_of(Quantity::time, cost.seconds),
                   text_of(Quantity::time, cost.bound_s),
                   text_of(Quantity::bandwidth, cost.bus_bandwidth), std::to_string(cost.chunks)});
  }
  return text + table.text();
}

Result<int> run_collective(const Arguments& arguments, Console& console) {
  K3_TRY(const Asked asked, ask(arguments, console));
  if (arguments.has("json")) {
    console.print_json(to_json(asked));
  } else {
    console.print(to_text(asked));
  }
  return 0;
}

}  // namespace

Command collective_command() {
  return {
      .name = "collective",
      .summary = "one collective on the links of a machine, by every algorithm",
      .details =
          "COLLECTIVE: all-reduce, all-gather, reduce-scatter, broadcast, all-to-all, send-recv.\n"
          "BYTES as nccl-tests counts them, e.g. \"64 MiB\". The fastest algorithm comes first;\n"
          "link speeds are those of the datasheet, without an efficiency.",
      .positionals = {{"MACHINE", "preset (k3rack presets) or path of a TOML"},
                      {"COLLECTIVE", "what is moved"},
                      {"BYTES", "size of the buffer"}},
      .options = {{"ranks", "N", "the first N live GPUs (default all)"},
                  {"latency", "TIME", "of one message (default that of the machine's links)"},
                  fault_option(),
                  json_option()},
      .run = run_collective};
}

}  // namespace k3::cli
