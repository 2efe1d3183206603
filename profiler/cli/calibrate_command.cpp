#include <chrono>

#include <fmt/core.h>

#include "engine/base/text_table.h"
#include "engine/text/json.h"
#include "engine/text/units.h"
#include "profiler/calibrate/calibrate_local.h"
#include "profiler/calibrate/this_host.h"
#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/options.h"
#include "profiler/session/fit_steps.h"
#include "profiler/visual/numbers.h"
#include "sim/calibration/calibration.h"

namespace k3::cli {
namespace {

using visual::Quantity;

/// One value for people of a table: at the first point, or at the last.
std::string value_text(const sim::Table& table, double value) {
  if (table.unit == "us") return visual::text_of(Quantity::time, value * 1e-6);
  return fmt::format("{:.3g}{}", value, table.unit == "1" ? "" : " " + table.unit);
}

Json factor_json(const std::optional<sim::StepFactor>& factor) {
  if (!factor) return {};
  return Json::object()
      .set("value", factor->value)
      .set("least", factor->least)
      .set("most", factor->most)
      .set("points", factor->points);
}

Json to_json(const sim::Calibration& calibration, const std::string& path, double seconds) {
  const sim::HostDescription& host = calibration.host;
  Json tables = Json::array();
  for (const sim::Table& table : calibration.set.tables) {
    tables.push(Json::object()
                    .set("name", table.name)
                    .set("unit", table.unit)
                    .set("points", table.values.size())
                    .set("spread", table.spread));
  }
  return Json::object()
      .set("calibration", path)
      .set("backend", calibration.backend)
      .set("cpu", host.cpu)
      .set("cores", host.cores)
      .set("memory_bytes", host.memory.count)
      .set("cache_bytes", host.cache.count)
      .set("tables", std::move(tables))
      .set("step_factor", factor_json(calibration.step_factor))
      .set("wall_s", seconds);
}

/// How much of the time of measured steps the tables explain.
std::string factor_text(const std::optional<sim::StepFactor>& factor) {
  std::string text = fmt::format("\nsteps: {}", sim::describe(factor));
  if (factor)
    text += fmt::format(" (measured / predicted {:.3g} to {:.3g})", factor->least, factor->most);
  return text + '\n';
}

std::string summary(const sim::Calibration& calibration, const std::string& path, double seconds) {
  const sim::HostDescription& host = calibration.host;
  TextTable table({"table", "points", "first", "last", "spread", "what"});
  for (const sim::Table& t : calibration.set.tables) {
    table.add_row({t.name, std::to_string(t.values.size()), value_text(t, t.values.front()),
                   value_text(t, t.values.back()), visual::text_of(Quantity::share, t.spread),
                   t.about});
  }
  return fmt::format("{}: {}, {}, last-level cache {}; backend {}, measured in {}\n\n", host.cpu,
                     visual::counted(host.cores, "core"), format_bytes(host.memory),
                     format_bytes(host.cache), calibration.backend,
                     visual::text_of(Quantity::time, seconds)) +
         table.text() + factor_text(calibration.step_factor) + fmt::format("written: {}\n", path);
}

/// The tables measured now, or those of an earlier calibration.
Result<sim::Calibration> tables_of(const Arguments& arguments,
                                   const session::FitRequest& fit,
                                   Progress& progress) {
  if (const auto earlier = arguments.value("tables-from")) {
    K3_TRY(sim::Calibration calibration, sim::load_calibration(*earlier));
    return calibration;
  }
  calibrate::LocalRequest request;
  request.backend = arguments.value("backend").value_or("auto");
  K3_TRY(const auto seconds, arguments.integer("seconds", 1));
  if (seconds) request.seconds = static_cast<double>(*seconds);
  // NOTE: measuring takes its time; a session that does not fit is refused before.
  K3_TRY(const sim::Calibration host, calibrate::describe_local(request.backend));
  K3_TRY_VOID(session::check_fit(fit, host));
  const ProgressDisplay display("calibrate", "points", progress);
  return calibrate::calibrate_local(request, progress);
}

/// Options that say how to measure mean nothing where nothing is measured.
Result<void> check_options(const Arguments& arguments) {
  if (!arguments.has("tables-from")) return {};
  for (const char* option : {"backend", "seconds"}) {
    if (!arguments.has(option)) continue;
    return fail(Code::invalid_input, "has no effect with --tables-from, which measures nothing",
                fmt::format("--{}", option));
  }
  if (arguments.has("steps-from")) return {};
  return fail(Code::invalid_input, "changes nothing by itself; add --steps-from S.k3r",
              "--tables-from");
}

Result<int> run_calibrate(const Arguments& arguments, Console& console) {
  if (!arguments.has("local")) {
    return fail(Code::invalid_input,
                "missing; this build measures the computer it runs on: k3rack calibrate --local "
                "-o T.toml",
                "--local");
  }
  const auto output = arguments.value("output");
  if (!output) return fail(Code::invalid_input, "missing; write -o T.toml", "--output");
  K3_TRY_VOID(check_output(*output, overwrite_of(arguments)));
  K3_TRY_VOID(check_options(arguments));
  session::FitRequest fit{.sessions = {}, .folders = console.folders()};
  for (const std::string& path : arguments.values("steps-from"))
    fit.sessions.emplace_back(path);
  Progress progress;
  const auto begin = std::chrono::steady_clock::now();
  K3_TRY(sim::Calibration calibration, tables_of(arguments, fit, progress));
  if (!fit.sessions.empty()) {
    Progress tasks;
    const auto fit_steps = [&] {
      const ProgressDisplay display("fit", "tasks", tasks);
      return session::fit_steps(fit, calibration, tasks);
    };
    K3_TRY(calibration.step_factor, fit_steps());
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  K3_TRY_VOID(
      write_file_atomically(*output, sim::calibration_toml(calibration), overwrite_of(arguments)));
  if (arguments.has("json")) {
    console.print_json(to_json(calibration, *output, taken.count()));
  } else {
    console.print(summary(calibration, *output, taken.count()));
  }
  return 0;
}

}  // namespace

Command calibrate_command() {
  return {.name = "calibrate",
          .summary = "measure this computer for machine `local`",
          .details =
              "Runs micro-benchmarks: operators at several shapes, memory, threads and their\n"
              "communicator; never a step of a model. The file is what simulate takes as\n"
              "machine.calibration with machine.preset = \"local\". Leave the computer alone\n"
              "meanwhile; --seconds trades time for less noise.\n"
              "With --steps-from the steps of these sessions are simulated on the tables, and the\n"
              "one factor between measured and predicted step is written too.",
          .positionals = {},
          .options = {{"local", "", "measure the computer this runs on"},
                      {"output", "T.toml", "calibration to write"},
                      {"backend", "NAME", "whose operators to measure (default auto)"},
                      {"seconds", "N", "time to spend on measurements, roughly (default 12)"},
                      {"steps-from",
                       "S.k3r",
                       "fit the step factor to this run of this computer (give several)",
                       {},
                       true},
                      {"tables-from", "T0.toml", "take the tables of an earlier calibration"},
                      force_option(),
                      json_option()},
          .run = run_calibrate};
}

}  // namespace k3::cli
