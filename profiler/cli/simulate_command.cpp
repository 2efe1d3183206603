#include <fmt/core.h>

#include "engine/base/text_table.h"
#include "engine/text/json.h"
#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/load_setup.h"
#include "profiler/cli/options.h"
#include "profiler/session/simulate.h"
#include "profiler/visual/numbers.h"

namespace k3::cli {
namespace {

using visual::Quantity;

Json to_json(const session::SimulateRequest& request, const session::SimulateResult& result) {
  Json breakdown = Json::object();
  for (const auto& [kind, ms] : result.breakdown_ms)
    breakdown.set(kind, ms);
  Json json = Json::object();
  json.set("machine", result.machine).set("phase", name_of(result.phase));
  json.set("ranks", request.setup.parallel.ranks).set("sequences", result.sequences);
  json.set("steps", result.steps).set("step_ms", result.step_ms).set("wall_s", result.wall_s);
  json.set("breakdown_ms", breakdown).set("tasks", result.tasks).set("flows", result.flows);
  json.set("network", result.network);
  if (!result.host_ms.empty()) {
    Json host = Json::object();
    for (const auto& [part, ms] : result.host_ms)
      host.set(part, ms);
    json.set("cores", result.cores).set("host_ms", host);
    json.set("step_factor",
             Json::object()
                 .set("value", result.step_factor ? result.step_factor->value : 1.0)
                 .set("points", result.step_factor ? result.step_factor->points : 0));
  }
  if (result.endpoint_error_max >= 0) {
    json.set("endpoint_error", Json::object()
                                   .set("mean", result.endpoint_error_mean)
                                   .set("max", result.endpoint_error_max));
  }
  if (request.output) json.set("session", request.output->string());
  return json;
}

/// "8 ranks on 2 cores: kernels 70 %, barriers and wake-ups 20 %, …".
std::string host_line(int ranks, const session::SimulateResult& r) {
  std::string parts;
  for (const auto& [part, ms] : r.host_ms) {
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", part,
                         visual::text_of(Quantity::share, ms / r.step_ms));
  }
  return fmt::format("\n{} on {}: {}\n{}\n", visual::counted(ranks, "thread rank"),
                     visual::counted(r.cores, "core"), parts, sim::describe(r.step_factor));
}

std::string summary(const session::SimulateRequest& request, const session::SimulateResult& r) {
  std::string text =
      fmt::format("{} step on {} of {}, {}: {} (simulated, {} network)\n\n", name_of(r.phase),
                  visual::counted(request.setup.parallel.ranks, "rank"), r.machine,
                  visual::counted(r.sequences, "sequence"),
                  visual::text_of(Quantity::time, r.step_ms * 1e-3), r.network);
  std::vector<double> seconds;
  for (const auto& [kind, ms] : r.breakdown_ms)
    seconds.push_back(ms * 1e-3);
  const visual::Unit unit = visual::unit_for(Quantity::time, seconds);
  TextTable table({"where the step goes", fmt::format("time/{}", unit.symbol), "share"});
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    table.add_row({r.breakdown_ms[i].first, visual::number_in(seconds[i], unit),
                   visual::text_of(Quantity::share, seconds[i] * 1e3 / r.step_ms)});
  }
  text += table.text();
  if (!r.host_ms.empty()) text += host_line(request.setup.parallel.ranks, r);
  text += fmt::format("\n{}, {} per step; simulated {} in {}\n", visual::counted(r.tasks, "task"),
                      visual::counted(r.flows, "flow"), visual::counted(r.steps, "step"),
                      visual::text_of(Quantity::time, r.wall_s));
  if (r.endpoint_error_max >= 0) {
    text += fmt::format(
        "the endpoint network ends the sampled exchanges {} too early on average, {} at most "
        "(against exact)\n",
        visual::text_of(Quantity::share, r.endpoint_error_mean),
        visual::text_of(Quantity::share, r.endpoint_error_max));
  }
  if (request.output) text += fmt::format("written: {}\n", request.output->string());
  return text;
}

Result<int> run_simulate(const Arguments& arguments, Console& console) {
  session::SimulateRequest request;
  K3_TRY(request.setup, load_setup(arguments, {{"network", "simulation.network"}}, console));
  if (const auto path = arguments.value("routing-from")) request.routing_from = *path;
  if (const auto path = arguments.value("output")) request.output = *path;
  request.overwrite = overwrite_of(arguments);
  Progress progress;
  const auto simulate = [&] {
    const ProgressDisplay display("simulate", "tasks", progress);
    return session::simulate(request, progress);
  };
  K3_TRY(const session::SimulateResult result, simulate());
  if (arguments.has("json")) {
    console.print_json(to_json(request, result));
  } else {
    console.print(summary(request, result));
  }
  return 0;
}

}  // namespace

Command simulate_command() {
  return {
      .name = "simulate",
      .summary = "execute a plan in virtual time on a machine",
      .details =
          "The breakdown follows the rank that ends last and sums to the step. wall_s is the\n"
          "time of the simulation itself, from built plan to last event.",
      .positionals = {{"SCENARIO", "scenario file with a [machine]"}},
      .options = {{"output", "S.k3r", "session file to write"},
                  {"routing-from", "S0.k3r",
                   "replay the steps and expert choices of an executed run"},
                  {"network",
                   "WORD",
                   "exact: max-min fair on every link (default); endpoint: own links only, faster",
                   {"exact", "endpoint"}},
                  set_option(),
                  force_option(),
                  json_option()},
      .run = run_simulate};
}

}  // namespace k3::cli
