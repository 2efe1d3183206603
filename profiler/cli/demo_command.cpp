#include <filesystem>
#include <system_error>

#include <fmt/core.h>

#include "profiler/calibrate/calibrate_local.h"
#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/load_setup.h"
#include "profiler/cli/pdf_writer.h"
#include "profiler/export/export.h"
#include "profiler/figures/collect.h"
#include "profiler/report/html.h"
#include "profiler/session/execute.h"
#include "profiler/session/simulate.h"
#include "profiler/visual/numbers.h"
#include "sim/calibration/calibration.h"

namespace k3::cli {
namespace {

namespace fs = std::filesystem;

std::string time_text(double ms) {
  return visual::text_of(visual::Quantity::time, ms * 1e-3);
}

/// The files of the tour. They belong to the demo, so it may replace them.
struct DemoFiles {
  fs::path folder;
  fs::path calibration = folder / "local.toml";
  fs::path measured = folder / "measured.k3r";
  fs::path simulated = folder / "simulated-local.k3r";
  fs::path full = folder / "simulated-gb300.k3r";
  fs::path trace = folder / "measured.pftrace";
  fs::path report = folder / "report.html";
  fs::path full_report = folder / "report-k3-gb300.html";
};

/// Step times of the mini model, milliseconds.
struct StepTimes {
  double prefill_ms = 0;
  double decode_ms = 0;
};

Result<void> calibrate(const DemoFiles& files, Console& console) {
  console.print("1/5  Measuring this computer: operators, memory, threads (no step of a model)\n");
  Progress progress;
  const auto measure = [&] {
    const ProgressDisplay display("     calibrating", "points", progress);
    return calibrate::calibrate_local({}, progress);
  };
  K3_TRY(const sim::Calibration calibration, measure());
  console.print(fmt::format("     {}, {}\n", calibration.host.cpu,
                            visual::counted(calibration.host.cores, "core")));
  return write_file_atomically(files.calibration, sim::calibration_toml(calibration),
                               Overwrite::yes);
}

Result<StepTimes> execute_mini(const DemoFiles& files, Console& console) {
  K3_TRY(const Setup setup, load_named_setup("scenarios/demo/mini-8.toml", {}, console));
  session::ExecuteRequest request;
  request.setup = setup;
  request.output = files.measured;
  request.overwrite = Overwrite::yes;
  K3_TRY(request, session::with_workload(std::move(request)));
  console.print(
      fmt::format("2/5  Executing {} on {} ranks of this computer: {} sequences, {} prompt tokens "
                  "and {} decode steps each\n",
                  setup.title, setup.parallel.ranks, request.prompts.size(),
                  request.prompts[0].size(), setup.workload.steps));
  Progress progress;
  const auto execute = [&] {
    const ProgressDisplay display("     executing", "tasks", progress);
    return session::execute(request, progress);
  };
  K3_TRY(const session::ExecuteResult result, execute());
  console.print(fmt::format("     measured: prefill {}, decode step {}\n",
                            time_text(result.prefill_ms), time_text(result.decode_ms)));
  return StepTimes{.prefill_ms = result.prefill_ms, .decode_ms = result.decode_ms};
}

/// "3.10 s (predicted / measured = 0.95)".
std::string against(double predicted_ms, double measured_ms) {
  return fmt::format("{} (predicted / measured = {:.2f})", time_text(predicted_ms),
                     predicted_ms / measured_ms);
}

Result<void> simulate_mini(const DemoFiles& files, const StepTimes& measured, Console& console) {
  const std::vector<std::string> local{
      "machine.preset=local", fmt::format("machine.calibration={}", files.calibration.string())};
  session::SimulateRequest request;
  K3_TRY(request.setup, load_named_setup("scenarios/demo/mini-8.toml", local, console));
  request.routing_from = files.measured;
  request.output = files.simulated;
  request.overwrite = Overwrite::yes;
  Progress progress;
  K3_TRY(const session::SimulateResult result, session::simulate(request, progress));
  console.print(fmt::format(
      "3/5  The same plan with the same expert choices, simulated from those measurements\n"
      "     predicted: prefill {}, decode step {}\n",
      against(result.prefill_ms, measured.prefill_ms),
      against(result.step_ms, measured.decode_ms)));
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
      "4/5  Full Kimi K3 on {} GPUs of {}, {} sequences: decode step {} (simulated in {})\n",
      request.setup.parallel.ranks, result.machine, visual::count_text(result.sequences),
      time_text(result.step_ms), time_text(result.wall_s * 1e3)));
  return {};
}

Result<void> write_report(const fs::path& first,
                          const std::optional<fs::path>& second,
                          const fs::path& output) {
  K3_TRY(const figures::Input input, figures::collect(first, second));
  K3_TRY(const report::Document document, report::make_document(input));
  return write_file_atomically(output, report::to_html(document), Overwrite::yes);
}

Result<void> write_trace(const DemoFiles& files) {
  K3_TRY(const store::SessionReader session, store::SessionReader::open(files.measured));
  Progress progress;
  const auto write = [&] {
    const ProgressDisplay display("     exporting", "spans", progress);
    return exporter::export_session(
        session,
        {.format = exporter::Format::perfetto, .output = files.trace, .overwrite = Overwrite::yes},
        progress);
  };
  K3_TRY_VOID(write());
  return {};
}

/// Where Qt was there for PDF, the desktop was built too.
std::string desktop_line(const DemoFiles& files) {
  if (pdf_writer() == nullptr) return {};
  return fmt::format("  k3rack-gui {} {}\n", files.measured.string(), files.simulated.string());
}

Result<int> run_demo(const Arguments& arguments, Console& console) {
  const DemoFiles files{.folder = arguments.value("output").value_or("k3rack-demo")};
  std::error_code error;
  fs::create_directories(files.folder, error);
  if (error) return fail(Code::invalid_input, error.message(), files.folder.string());
  K3_TRY_VOID(calibrate(files, console));
  K3_TRY(const StepTimes measured, execute_mini(files, console));
  K3_TRY_VOID(simulate_mini(files, measured, console));
  K3_TRY_VOID(simulate_full(files, console));
  K3_TRY_VOID(write_report(files.measured, files.simulated, files.report));
  K3_TRY_VOID(write_report(files.full, std::nullopt, files.full_report));
  K3_TRY_VOID(write_trace(files));
  console.print(fmt::format(
      "5/5  Reports and trace written.\n\nOpen next:\n"
      "  {}   measured beside simulated\n  {}   full K3 on the rack\n"
      "  {}   every span of the measured run, in ui.perfetto.dev\n\n"
      "{}"
      "  k3rack compare {} {}\n  k3rack inspect {}\n"
      "  k3rack simulate scenarios/nvl72/k3-decode-72.toml --set workload.sequences_per_rank=32\n",
      files.report.string(), files.full_report.string(), files.trace.string(), desktop_line(files),
      files.measured.string(), files.simulated.string(), files.full.string()));
  return 0;
}

}  // namespace

Command demo_command() {
  return {.name = "demo",
          .summary = "the tour: execute, simulate, compare, report; under a minute",
          .details =
              "Measures this computer, executes Mini K3 (K3's layer map, small widths, synthetic\n"
              "weights) on 8 ranks of it, predicts the same steps from the measurements, simulates "
              "the\n"
              "full K3 on 72 GPUs of a GB300 NVL72; writes sessions, reports and a trace.\n"
              "Files of an earlier demo in the folder are replaced.",
          .positionals = {},
          .options = {{"output", "DIR", "folder to write to (default k3rack-demo)"}},
          .run = run_demo};
}

}  // namespace k3::cli
