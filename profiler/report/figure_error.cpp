#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include <fmt/core.h>

#include "profiler/report/view_internal.h"
#include "profiler/visual/chart_dots.h"
#include "profiler/visual/chart_scatter.h"

namespace k3::report {
namespace {

using visual::Paint;

std::vector<double> positive_ratios(const std::vector<query::ComparisonRow>& rows) {
  std::vector<double> ratios;
  for (const query::ComparisonRow& row : rows) {
    if (row.measured_us > 0 && row.simulated_us > 0) {
      ratios.push_back(row.simulated_us / row.measured_us);
    }
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios;
}

visual::DrawList scatter(const ReportView& view,
                         const std::vector<query::ComparisonRow>& rows,
                         double median) {
  visual::ScatterChart chart;
  chart.x_title = view.runs[0].name + " time";
  chart.y_title = view.runs[1].name + " time";
  for (const query::ComparisonRow& row : rows) {
    std::string what(visual::title_of(row.kind));
    if (row.layer >= 0) what += fmt::format(", layer {}", row.layer);
    chart.points.push_back(
        {row.measured_us * 1e-6, row.simulated_us * 1e-6, Paint::of(row.kind),
         fmt::format("{}: {} {}, {} {}", what, view.runs[0].name, time_text(row.measured_us * 1e-6),
                     view.runs[1].name, time_text(row.simulated_us * 1e-6))});
  }
  for (const KindTotal& total : kind_totals(rows)) {
    chart.colors.push_back({std::string(visual::title_of(total.kind)), Paint::of(total.kind)});
  }
  chart.band = view.times == TimeScale::seconds ? 0.2 : 0;
  if (view.times == TimeScale::shares) chart.fitted_ratio = median;
  chart.description = fmt::format("{} over {} time of each kind in each layer.", view.runs[1].name,
                                  view.runs[0].name);
  return draw(chart);
}

visual::DrawList dots(const ReportView& view, const std::vector<KindTotal>& totals) {
  visual::DotChart chart;
  chart.value_title = view.runs[1].name + " / " + view.runs[0].name;
  for (const KindTotal& total : totals) {
    if (!(total.measured_us > 0)) continue;
    const double ratio = total.simulated_us / total.measured_us;
    chart.rows.push_back({std::string(visual::title_of(total.kind)), Paint::of(total.kind), ratio,
                          total.low_ratio, total.high_ratio,
                          fmt::format("{}: {} over all layers, {} to {} per layer",
                                      visual::title_of(total.kind), ratio_text(ratio),
                                      ratio_text(total.low_ratio), ratio_text(total.high_ratio))});
  }
  chart.description = "Ratio of both runs per kind of task, with its range over layers.";
  return draw(chart);
}

/// The kind that contributes most to the difference of the steps.
std::string largest_gap(const std::vector<KindTotal>& totals) {
  const auto gap = [](const KindTotal& t) { return std::abs(t.simulated_us - t.measured_us); };
  const auto largest =
      std::max_element(totals.begin(), totals.end(),
                       [&](const KindTotal& a, const KindTotal& b) { return gap(a) < gap(b); });
  if (largest == totals.end()) return {};
  return fmt::format("{} differs most in time: {} against {}.", visual::title_of(largest->kind),
                     time_text(largest->simulated_us * 1e-6),
                     time_text(largest->measured_us * 1e-6));
}

std::string answer_of(const ReportView& view,
                      const std::vector<KindTotal>& totals,
                      const std::vector<double>& ratios) {
  const double median = ratios[ratios.size() / 2];
  if (view.times == TimeScale::shares) {
    return fmt::format(
        "The median ratio is {}; how far points lie from the dotted line shows where "
        "the two differ in shape. {}",
        ratio_text(median), largest_gap(totals));
  }
  const auto within =
      std::count_if(ratios.begin(), ratios.end(), [](double r) { return r >= 0.8 && r <= 1.2; });
  return fmt::format(
      "{} of {} pairs of kind and layer agree within 20 %; the median ratio is {}. {}", within,
      ratios.size(), ratio_text(median), largest_gap(totals));
}

}  // namespace

Figure error_figure(const ReportView& view) {
  Figure figure;
  figure.id = "error";
  const bool prediction = view.measured_and_simulated && !view.machines_differ;
  figure.question = prediction ? "How well does the simulation predict the measurement?"
                               : "How do the two runs differ per kind of task?";
  const std::vector<double> ratios =
      view.comparison != nullptr ? positive_ratios(view.comparison->rows) : std::vector<double>{};
  if (ratios.empty()) {
    figure.answer = view.pair() ? "The two sessions have no task kind and layer in common."
                                : "One session alone has no prediction error.";
    figure.pictures.push_back(visual::empty_chart(
        960, 90,
        view.pair()
            ? "the runs share no steps of one phase. Simulate the scenario of the measured "
              "run."
            : "this needs a measured and a simulated session of one scenario: k3rack report "
              "MEASURED.k3r SIMULATED.k3r"));
    return figure;
  }
  const std::vector<query::ComparisonRow>& rows = view.comparison->rows;
  const std::vector<KindTotal> totals = kind_totals(rows);
  figure.answer = answer_of(view, totals, ratios);
  figure.pictures.push_back(scatter(view, rows, ratios[ratios.size() / 2]));
  figure.pictures.push_back(dots(view, totals));
  figure.note = fmt::format(
      "Left: one point per kind and layer, logarithmic axes with one scale. Right: sum over "
      "layers, "
      "thin line from the smallest to the largest ratio of a layer. Times per step and rank, "
      "waiting included. Joined {}.",
      view.comparison->join == query::Join::by_task
          ? "task by task (equal plans)"
          : "by phase, kind, layer and stage (plans differ)");
  return figure;
}

}  // namespace k3::report
