#include <chrono>

#include <fmt/core.h>

#include "engine/base/text_table.h"
#include "engine/text/json.h"
#include "engine/text/units.h"
#include "profiler/calibrate/calibrate_local.h"
#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/options.h"
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
      .set("wall_s", seconds);
}

std::string summary(const sim::Calibration& calibration, const std::string& path, double seconds) {
  const sim::HostDescription& host = calibration.host;
  TextTable table({"table", "points", "first", "last", "spread", "what"});
  for (const sim::Table& t : calibration.set.tables) {
    table.add_row({t.name, std::to_string(t.values.size()), value_text(t, t.values.front()),
                   value_text(t, t.values.back()), visual::text_of(Quantity::share, t.spread),
                   t.about});
  }
  return fmt::format("{}: {} cores, {}, last-level cache {}; backend {}, measured in {}\n\n",
                     host.cpu, host.cores, format_bytes(host.memory), format_bytes(host.cache),
                     calibration.backend, visual::text_of(Quantity::time, seconds)) +
         table.text() + fmt::format("\nwritten: {}\n", path);
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
  calibrate::LocalRequest request;
  request.backend = arguments.value("backend").value_or("auto");
  K3_TRY(const auto seconds, arguments.integer("seconds", 1));
  if (seconds) request.seconds = static_cast<double>(*seconds);
  Progress progress;
  const auto begin = std::chrono::steady_clock::now();
  const auto measure = [&] {
    const ProgressDisplay display("calibrate", "points", progress);
    return calibrate::calibrate_local(request, progress);
  };
  K3_TRY(const sim::Calibration calibration, measure());
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
              "meanwhile; --seconds trades time for less noise.",
          .positionals = {},
          .options = {{"local", "", "measure the computer this runs on"},
                      {"output", "T.toml", "calibration to write"},
                      {"backend", "NAME", "whose operators to measure (default auto)"},
                      {"seconds", "N", "time to spend on measurements, roughly (default 12)"},
                      force_option(),
                      json_option()},
          .run = run_calibrate};
}

}  // namespace k3::cli
