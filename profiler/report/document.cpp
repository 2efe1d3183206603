#include "profiler/report/document.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "profiler/query/private_data.h"
#include "profiler/report/tables_internal.h"

namespace k3::report {
namespace {

using figures::capital;
using figures::ratio_text;
using figures::RunsView;
using figures::RunView;
using figures::time_text;
using figures::TimeScale;
using visual::counted;

/// The answer of the whole report.
std::string headline(const RunsView& view) {
  const RunView& a = view.runs.front();
  const std::string step = fmt::format("{} step", name_of(view.phase));
  if (a.step_s <= 0) return "The session holds no complete step";
  if (!view.pair() || view.runs.back().step_s <= 0) {
    return fmt::format("A {} takes {}, {}{}", step, time_text(a.step_s), a.name,
                       a.machine.empty() ? "" : " on " + a.machine);
  }
  const RunView& b = view.runs.back();
  const std::string ratio = ratio_text(b.step_s / a.step_s);
  if (view.measured_and_simulated && !view.machines_differ) {
    return fmt::format("A {} takes {} {} and {} {} ({})", step, time_text(a.step_s), a.name,
                       time_text(b.step_s), b.name, ratio);
  }
  const bool faster = b.step_s < a.step_s;
  return fmt::format("A {} takes {} {} on {} and {} {} on {}: {} {}", step, time_text(a.step_s),
                     a.name, a.machine.empty() ? a.file : a.machine, time_text(b.step_s), b.name,
                     b.machine.empty() ? b.file : b.machine,
                     ratio_text(faster ? a.step_s / b.step_s : b.step_s / a.step_s),
                     faster ? "shorter" : "longer");
}

std::string run_sentence(const RunView& run, Phase phase) {
  const query::SessionSummary& summary = run.detail->summary;
  std::string out = fmt::format("{}: {}", capital(run), counted(summary.num_ranks, "rank"));
  if (!summary.model.empty()) out += " of " + query::without_folders(summary.model);
  if (!run.machine.empty()) out += " on " + run.machine;
  out += fmt::format(", {}", counted(run.steps, fmt::format("{} step", name_of(phase))));
  if (!run.file.empty()) out += ", session file " + run.file;
  if (!summary.scenario.empty()) out += ", scenario hash " + query::fingerprint(summary.scenario);
  return out + ". ";
}

void add_machine_notice(const RunsView& view, std::vector<Notice>& notices) {
  const RunView& a = view.runs.front();
  const RunView& b = view.runs.back();
  if (view.machines_differ && view.measured_and_simulated) {
    notices.push_back(
        {"Not a prediction of this host.",
         fmt::format("The {} run is of {}, the {} one of {}. Ratios of time compare two machines "
                     "under one plan; "
                     "they are no prediction error. Traffic and expert load do not depend on the "
                     "machine and compare directly.",
                     a.name, a.machine, b.name, b.machine)});
    return;
  }
  if (view.measured_and_simulated && view.times == TimeScale::shares) {
    notices.push_back(
        {"Perhaps not a prediction of this host.",
         fmt::format("The two runs are so far apart that the measured one may not have "
                     "executed on the machine simulated ({}).",
                     b.machine.empty() ? "not recorded" : b.machine)});
  }
}

std::vector<Notice> notices_of(const RunsView& view) {
  std::vector<Notice> out;
  if (view.pair()) {
    add_machine_notice(view, out);
    const query::SessionSummary& a = view.runs[0].detail->summary;
    const query::SessionSummary& b = view.runs[1].detail->summary;
    if (a.model != b.model) {
      out.push_back({"Different models.",
                     fmt::format("{} is compared with {}.", query::without_folders(a.model),
                                 query::without_folders(b.model))});
    }
    if (a.num_ranks != b.num_ranks) {
      out.push_back({"Different numbers of ranks.",
                     fmt::format("{} and {}: times per rank are of unequal work.", a.num_ranks,
                                 b.num_ranks)});
    }
  }
  for (const RunView& run : view.runs) {
    const query::SessionSummary& summary = run.detail->summary;
    if (!summary.complete) {
      out.push_back(
          {"Interrupted run.", fmt::format("{} ({}) did not finish; its complete steps are shown.",
                                           run.name, run.file)});
    }
    if (!summary.warning.empty()) {
      out.push_back({"About the file.", run.file + ": " + query::without_folders(summary.warning)});
    }
  }
  return out;
}

std::vector<std::string> verdicts(const RunsView& view) {
  std::vector<std::string> out;
  if (view.comparison == nullptr) return out;
  for (const std::string& verdict : view.comparison->verdicts)
    out.push_back(query::without_folders(verdict));
  return out;
}

std::vector<ScenarioText> scenarios(const RunsView& view) {
  std::vector<ScenarioText> out;
  for (const RunView& run : view.runs) {
    const std::string& scenario = run.detail->summary.scenario;
    if (!scenario.empty()) out.push_back({run.name, query::public_scenario(scenario)});
  }
  return out;
}

/// Attention per layer and over context are one figure.
figures::Figure layers_and_context(const RunsView& view) {
  figures::Figure figure = layer_figure(view, kDocumentWidth);
  figures::Figure context = context_figure(view, kDocumentWidth);
  figure.answer += context.answer;
  figure.note += " Lowest panel: attention over context. " + context.note;
  std::move(context.pictures.begin(), context.pictures.end(), std::back_inserter(figure.pictures));
  return figure;
}

}  // namespace

Result<Document> make_document(const figures::Input& input) {
  K3_TRY_VOID(figures::check(input));
  const RunsView view = figures::view_of(input);
  Document document;
  document.title = query::without_folders(view.runs.front().detail->summary.title);
  document.headline = headline(view);
  document.notices = notices_of(view);
  for (const RunView& run : view.runs)
    document.runs.push_back(run_sentence(run, view.phase));
  document.legend =
      "Measured is drawn solid, simulated as outline with light hatch or hollow line, fitted "
      "dotted, bounds as thin lines. Ranks, layers and experts count from 0.";
  document.verdicts = verdicts(view);
  document.figures = {step_figure(view, kDocumentWidth), layers_and_context(view),
                      traffic_figure(view, kDocumentWidth), load_figure(view, kDocumentWidth),
                      error_figure(view, kDocumentWidth)};
  document.source = provenance_line(view);
  for (Table& table :
       std::vector{kind_table(view), layer_table(view), memory_table(view), run_table(view)}) {
    if (!table.rows.empty()) document.tables.push_back(std::move(table));
  }
  document.scenarios = scenarios(view);
  return document;
}

}  // namespace k3::report
