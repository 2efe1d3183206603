#include <filesystem>
#include <system_error>

#include <fmt/core.h>

#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/load_setup.h"
#include "profiler/report/report.h"
#include "profiler/session/execute.h"
#include "profiler/session/report_data.h"
#include "profiler/session/simulate.h"
#include "profiler/visual/numbers.h"

namespace k3::cli {
namespace {

namespace fs = std::filesystem;

std::string time_text(double ms) {
  return visual::text_of(visual::Quantity::time, ms * 1e-3);
}

/// The files of the tour. They belong to the demo, so it may replace them.
struct DemoFiles {
  fs::path folder;
  fs::path measured = folder / "measured.k3r";
  fs::path simulated = folder / "simulated-mini-gb300.k3r";
  fs::path full = folder / "simulated-gb300.k3r";
  fs::path report = folder / "report.html";
  fs::path full_report = folder / "report-k3-gb300.html";
};

Result<void> execute_mini(const DemoFiles& files, Console& console) {
  K3_TRY(const Setup setup, load_named_setup("scenarios/demo/mini-8.toml", {}, console));
  session::ExecuteRequest request;
  request.setup = setup;
  request.output = files.measured;
  request.overwrite = Overwrite::yes;
  K3_TRY(request, session::with_workload(std::move(request)));
  console.print(
      fmt::format("1/4  Executing {} on {} ranks of this computer: {} sequences, {} prompt tokens "
                  "and {} decode steps each\n",
                  setup.title, setup.parallel.ranks, request.prompts.size(),
                  request.prompts[0].size(), setup.workload.steps));
  Progress progress;
  const auto execute = [&] {
    const ProgressDisplay display("     executing", "tasks", progress);
    return session::execute(request, progress);
  };
  K3_TRY(const session::ExecuteResult result, execute());
  console.print(fmt::format("     measured on {}: prefill {}, decode step {}\n", result.device,
                            time_text(result.prefill_ms), time_text(result.decode_ms)));
  return {};
}

Result<void> simulate_mini(const DemoFiles& files, Console& console) {
  session::SimulateRequest request;
  K3_TRY(request.setup, load_named_setup("scenarios/demo/mini-8.toml", {}, console));
  request.routing_from = files.measured;
  request.output = files.simulated;
  request.overwrite = Overwrite::yes;
  Progress progress;
  K3_TRY(const session::SimulateResult result, session::simulate(request, progress));
  console.print(fmt::format(
      "2/4  The same plan with the same expert choices on 8 GPUs of {}: decode step {} "
      "(simulated)\n     NOTE: that machine is not this computer; the times say what the "
      "rack would do,\n     they do not predict the run above. Traffic and load are "
      "comparable.\n",
      result.machine, time_text(result.step_ms)));
  return {};
}

Result<void> simulate_full(const DemoFiles& files, Console& console) {
  session::SimulateRequest request;
  K3_TRY(request.setup,
         load_named_setup("scenarios/nvl72/k3-decode-72.toml", {"workload.steps=1"}, console));
  request.output = files.full;
  request.overwrite = Overwrite::yes;
  Progress progress;
  K3_TRY(const session::SimulateResult result, session::simulate(request, progress));
  console.print(fmt::format(
      "3/4  Full Kimi K3 on {} GPUs of {}, {} sequences: decode step {} (simulated in {})\n",
      request.setup.parallel.ranks, result.machine, visual::count_text(result.sequences),
      time_text(result.step_ms), time_text(result.wall_s * 1e3)));
  return {};
}

Result<void> write_report(const fs::path& first,
                          const std::optional<fs::path>& second,
                          const fs::path& output) {
  K3_TRY(const report::ReportInput input, session::report_input(first, second));
  K3_TRY(const std::string page, report::render_report(input));
  return write_file_atomically(output, page, Overwrite::yes);
}

Result<int> run_demo(const Arguments& arguments, Console& console) {
  const DemoFiles files{.folder = arguments.value("output").value_or("k3rack-demo")};
  std::error_code error;
  fs::create_directories(files.folder, error);
  if (error) return fail(Code::invalid_input, error.message(), files.folder.string());
  K3_TRY_VOID(execute_mini(files, console));
  K3_TRY_VOID(simulate_mini(files, console));
  K3_TRY_VOID(simulate_full(files, console));
  K3_TRY_VOID(write_report(files.measured, files.simulated, files.report));
  K3_TRY_VOID(write_report(files.full, std::nullopt, files.full_report));
  console.print(fmt::format(
      "4/4  Reports written.\n\nOpen next:\n"
      "  {}   measured beside simulated\n  {}   full K3 on the rack\n\n"
      "  k3rack compare {} {}\n  k3rack inspect {}\n"
      "  k3rack simulate scenarios/nvl72/k3-decode-72.toml --set workload.sequences_per_rank=128\n",
      files.report.string(), files.full_report.string(), files.measured.string(),
      files.simulated.string(), files.full.string()));
  return 0;
}

}  // namespace

Command demo_command() {
  return {
      .name = "demo",
      .summary = "the tour: execute, simulate, compare, report; under a minute",
      .details =
          "Executes Mini K3 (K3's layer map, small widths, synthetic weights) on 8 ranks of this\n"
          "computer, simulates the same plan on 8 GPUs of a GB300 NVL72 and the full K3 on 72, "
          "and\n"
          "writes sessions and reports. Files of an earlier demo in the folder are replaced.",
      .positionals = {},
      .options = {{"output", "DIR", "folder to write to (default k3rack-demo)"}},
      .run = run_demo};
}

}  // namespace k3::cli
