#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/core.h>

#include "profiler/query/private_data.h"
#include "profiler/report/page_internal.h"
#include "profiler/visual/svg.h"

namespace k3::report {
namespace {

using figures::capital;
using figures::counted;
using figures::ratio_text;
using figures::RunsView;
using figures::RunView;
using figures::time_text;
using figures::TimeScale;
using visual::escaped;

/// Colours come from the variables of visual::svg_style(), so that text and pictures agree.
constexpr std::string_view kStyle = R"css(
*{box-sizing:border-box}
html{background:var(--k3-background);color:var(--k3-text);color-scheme:light dark;
  font:16px/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif}
body{max-width:1040px;margin:0 auto;padding:28px 32px 64px}
h1{font-size:1.65rem;line-height:1.25;margin:.2em 0 .5em}
h2{font-size:1.2rem;margin:0 0 .3em}
.kicker,.source,figcaption .note{color:var(--k3-muted);font-size:.85rem}
.kicker{margin:0}
.warning{border:2px solid var(--k3-fault);border-radius:6px;padding:.6em .9em;margin:1em 0}
.warning strong{color:var(--k3-fault)}
.provenance{margin:.3em 0}
ul.verdicts{padding-left:1.2em}
figure{margin:2.6em 0;padding-top:1.4em;border-top:1px solid var(--k3-grid)}
.answer{margin:.1em 0 .8em;font-size:1.02rem}
.pictures{display:flex;flex-wrap:wrap;gap:14px;align-items:flex-start}
svg{max-width:100%;height:auto;display:block}
figcaption .note,figcaption .source{margin:.5em 0 0}
.scroll{overflow-x:auto;margin:1.6em 0}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding-bottom:.5em}
th,td{padding:.22em .8em;text-align:right;border-bottom:1px solid var(--k3-grid)}
thead th{border-bottom:2px solid var(--k3-axis);vertical-align:bottom;max-width:11em}
tbody th,thead th:first-child{text-align:left;font-weight:400}
tbody tr:hover{background:var(--k3-panel)}
#table-runs td,#table-runs thead th{text-align:left;overflow-wrap:anywhere}
pre{background:var(--k3-panel);padding:1em;overflow-x:auto;font-size:.8rem}
@page{margin:14mm}
@media print{body{padding:0;max-width:none}html{font-size:11pt}h2,.answer{break-after:avoid}
  figure,tr{break-inside:avoid}.scroll{overflow:visible}details{display:none}}
)css";

std::string paragraph(std::string_view css_class, const std::string& text) {
  if (text.empty()) return {};
  return fmt::format("<p class=\"{}\">{}</p>\n", css_class, escaped(text));
}

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

std::string warning(const std::string& title, const std::string& text) {
  return fmt::format("<div class=\"warning\" role=\"note\"><strong>⚠ {}</strong> {}</div>\n",
                     escaped(title), escaped(text));
}

std::string machine_warning(const RunsView& view) {
  const RunView& a = view.runs.front();
  const RunView& b = view.runs.back();
  if (view.machines_differ && view.measured_and_simulated) {
    return warning(
        "Not a prediction of this host.",
        fmt::format("The {} run is of {}, the {} one of {}. Ratios of time compare two machines "
                    "under one plan; "
                    "they are no prediction error. Traffic and expert load do not depend on the "
                    "machine and compare directly.",
                    a.name, a.machine, b.name, b.machine));
  }
  if (view.measured_and_simulated && view.times == TimeScale::shares) {
    return warning("Perhaps not a prediction of this host.",
                   fmt::format("The two runs are so far apart that the measured one may not have "
                               "executed on the machine simulated ({}).",
                               b.machine.empty() ? "not recorded" : b.machine));
  }
  return {};
}

std::string warnings(const RunsView& view) {
  std::string out;
  if (view.pair()) {
    out += machine_warning(view);
    const query::SessionSummary& a = view.runs[0].detail->summary;
    const query::SessionSummary& b = view.runs[1].detail->summary;
    if (a.model != b.model) {
      out += warning("Different models.",
                     fmt::format("{} is compared with {}.", query::without_folders(a.model),
                                 query::without_folders(b.model)));
    }
    if (a.num_ranks != b.num_ranks) {
      out += warning(
          "Different numbers of ranks.",
          fmt::format("{} and {}: times per rank are of unequal work.", a.num_ranks, b.num_ranks));
    }
  }
  for (const RunView& run : view.runs) {
    const query::SessionSummary& summary = run.detail->summary;
    if (!summary.complete) {
      out += warning(
          "Interrupted run.",
          fmt::format("{} ({}) did not finish; its complete steps are shown.", run.name, run.file));
    }
    if (!summary.warning.empty()) {
      out += warning("About the file.", run.file + ": " + query::without_folders(summary.warning));
    }
  }
  return out;
}

std::string verdicts(const RunsView& view) {
  if (view.comparison == nullptr || view.comparison->verdicts.empty()) return {};
  std::string out = "<ul class=\"verdicts\">\n";
  for (const std::string& verdict : view.comparison->verdicts) {
    out += "<li>" + escaped(query::without_folders(verdict)) + "</li>\n";
  }
  return out + "</ul>\n";
}

std::string figure_html(const figures::Figure& figure, int number, const std::string& source) {
  std::string out = fmt::format(
      "<figure id=\"figure-{0}\" aria-labelledby=\"question-{0}\">\n"
      "<h2 id=\"question-{0}\">{1}. {2}</h2>\n",
      figure.id, number, escaped(figure.question));
  out += paragraph("answer", figure.answer);
  out += "<div class=\"pictures\">\n";
  for (std::size_t i = 0; i < figure.pictures.size(); ++i) {
    out += to_svg(figure.pictures[i],
                  {visual::SvgColors::variables, fmt::format("{}{}", figure.id, i)});
  }
  out += "</div>\n<figcaption>\n";
  out += paragraph("note", figure.note);
  out += paragraph("source", fmt::format("Figure {}. Source: {}.", number, source));
  return out + "</figcaption>\n</figure>\n";
}

std::string scenarios(const RunsView& view) {
  std::string out;
  for (const RunView& run : view.runs) {
    const std::string& scenario = run.detail->summary.scenario;
    if (scenario.empty()) continue;
    out += fmt::format(
        "<details><summary>Resolved scenario, {} (without folders)</summary>\n"
        "<pre>{}</pre></details>\n",
        escaped(run.name), escaped(query::public_scenario(scenario)));
  }
  return out;
}

std::string tables(const RunsView& view) {
  std::string out = "<section>\n<h2>Tables</h2>\n";
  for (const std::string& table :
       {kind_table(view), layer_table(view), memory_table(view), run_table(view)}) {
    if (!table.empty()) out += "<div class=\"scroll\">\n" + table + "</div>\n";
  }
  return out + "</section>\n";
}

}  // namespace

std::string page(const RunsView& view, const std::vector<figures::Figure>& figures) {
  const std::string title = query::without_folders(view.runs.front().detail->summary.title);
  const std::string head = headline(view);
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += fmt::format("<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<main>\n",
                     escaped(title.empty() ? head : title), visual::svg_style(), kStyle);
  out += paragraph("kicker", title.empty() ? "K3Rack report" : "K3Rack report: " + title);
  out += "<h1>" + escaped(head) + "</h1>\n";
  out += warnings(view);
  for (const RunView& run : view.runs) {
    out += paragraph("provenance", run_sentence(run, view.phase));
  }
  const std::string legend =
      "Measured is drawn solid, simulated as outline with light hatch or hollow line, fitted "
      "dotted, "
      "bounds as thin lines. Ranks, layers and experts count from 0. Hover over a mark for its "
      "value.";
  out += paragraph("source", legend);
  out += verdicts(view);
  const std::string source = provenance_line(view);
  int number = 0;
  for (const figures::Figure& figure : figures)
    out += figure_html(figure, ++number, source);
  out += tables(view);
  out += scenarios(view);
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace k3::report
