#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "profiler/figures/figures.h"
#include "profiler/visual/chart_dots.h"
#include "profiler/visual/chart_scatter.h"

namespace k3::figures {
namespace {

using visual::Paint;

/// How far a prediction may be off to count as agreeing; also the band drawn.
constexpr double kAgreement = 0.2;

/// One kind in one layer of both runs: seconds, or shares of each run's task time.
struct Pair {
  TaskKind kind = TaskKind::embed;
  int layer = -1;
  double a = 0;
  double b = 0;

  bool comparable() const { return a > 0 && b > 0; }
};

std::vector<Pair> pairs_of(const RunsView& view) {
  std::vector<Pair> pairs;
  if (view.comparison == nullptr || !view.pair()) return pairs;
  const bool prefill = view.phase == Phase::prefill && !view.comparison->prefill_rows.empty();
  for (const query::ComparisonRow& row :
       prefill ? view.comparison->prefill_rows : view.comparison->rows) {
    pairs.push_back({row.kind, row.layer, on_time_scale(view, view.runs[0], row.measured_us * 1e-6),
                     on_time_scale(view, view.runs[1], row.simulated_us * 1e-6)});
  }
  return pairs;
}

/// A kind over all layers, with the range of the ratio b / a over them.
struct KindTotal {
  Pair sum;
  double low = 0;
  double high = 0;
};

/// Largest in the first run first.
std::vector<KindTotal> totals_of(const std::vector<Pair>& pairs) {
  std::map<TaskKind, KindTotal> by_kind;
  for (const Pair& pair : pairs) {
    KindTotal& total = by_kind[pair.kind];
    total.sum.kind = pair.kind;
    total.sum.a += pair.a;
    total.sum.b += pair.b;
    if (!pair.comparable()) continue;
    const double ratio = pair.b / pair.a;
    total.low = total.low > 0 ? std::min(total.low, ratio) : ratio;
    total.high = std::max(total.high, ratio);
  }
  std::vector<KindTotal> totals;
  for (const auto& [kind, total] : by_kind) {
    if (total.sum.comparable()) totals.push_back(total);
  }
  std::stable_sort(totals.begin(), totals.end(),
                   [](const KindTotal& x, const KindTotal& y) { return x.sum.a > y.sum.a; });
  return totals;
}

std::vector<double> sorted_ratios(const std::vector<Pair>& pairs) {
  std::vector<double> ratios;
  for (const Pair& pair : pairs) {
    if (pair.comparable()) ratios.push_back(pair.b / pair.a);
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios;
}

std::string value_text(const RunsView& view, double value) {
  return visual::text_of(time_quantity(view), value);
}

visual::DrawList scatter(const RunsView& view,
                         const std::vector<Pair>& pairs,
                         double median,
                         double width) {
  constexpr double kWorthALine = 0.05;
  visual::ScatterChart chart;
  chart.width = width;
  const std::string what = view.times == TimeScale::seconds ? " time" : " share of task time";
  chart.quantity = time_quantity(view);
  chart.x_title = view.runs[0].name + what;
  chart.y_title = view.runs[1].name + what;
  for (const Pair& pair : pairs) {
    std::string name(visual::title_of(pair.kind));
    if (pair.layer >= 0) name += fmt::format(", layer {}", pair.layer);
    chart.points.push_back(
        {pair.a, pair.b, Paint::of(pair.kind),
         fmt::format("{}: {} {}, {} {}", name, view.runs[0].name, value_text(view, pair.a),
                     view.runs[1].name, value_text(view, pair.b))});
  }
  chart.band = kAgreement;
  if (std::abs(median - 1) > kWorthALine) chart.fitted_ratio = median;
  chart.description =
      fmt::format("{} over {}, one point per kind and layer.", chart.y_title, chart.x_title);
  return draw(chart);
}

visual::DrawList dots(const RunsView& view, const std::vector<KindTotal>& totals, double width) {
  visual::DotChart chart;
  chart.width = width;
  chart.value_title = view.runs[1].name + " / " + view.runs[0].name;
  if (view.times == TimeScale::shares) {
    chart.value_title += ", shares of task time";
    chart.reference.label = "same share";
  }
  for (const KindTotal& total : totals) {
    const std::string name(visual::title_of(total.sum.kind));
    const double ratio = total.sum.b / total.sum.a;
    chart.rows.push_back(
        {name, Paint::of(total.sum.kind), ratio, total.low, total.high,
         fmt::format("{}: {} over all layers, {} to {} per layer", name, ratio_text(ratio),
                     ratio_text(total.low), ratio_text(total.high))});
  }
  chart.description = "Ratio of both runs per kind of task, with its range over layers.";
  return draw(chart);
}

/// The kind whose difference weighs most.
std::string largest_gap(const RunsView& view, const std::vector<KindTotal>& totals) {
  const auto gap = [](const KindTotal& t) { return std::abs(t.sum.b - t.sum.a); };
  const auto largest =
      std::max_element(totals.begin(), totals.end(),
                       [&](const KindTotal& x, const KindTotal& y) { return gap(x) < gap(y); });
  if (largest == totals.end()) return {};
  return fmt::format("The largest gap is in {}: {} {}, {} {}.", visual::title_of(largest->sum.kind),
                     value_text(view, largest->sum.a), view.runs[0].name,
                     value_text(view, largest->sum.b), view.runs[1].name);
}

std::string answer_of(const RunsView& view,
                      const std::vector<KindTotal>& totals,
                      const std::vector<double>& ratios) {
  const auto within = std::count_if(ratios.begin(), ratios.end(),
                                    [](double ratio) { return std::abs(ratio - 1) <= kAgreement; });
  std::string out = fmt::format(
      "{} of {} pairs of kind and layer {} within {:.0f} %", within, ratios.size(),
      view.times == TimeScale::seconds ? "agree" : "take the same share", kAgreement * 100);
  out += fmt::format("; the median ratio is {}. ", ratio_text(ratios[ratios.size() / 2]));
  return out + largest_gap(view, totals);
}

Figure empty_figure(const RunsView& view, Figure figure, double width) {
  figure.answer = view.pair() ? "The two sessions have no task kind and layer in common."
                              : "One session alone has no prediction error.";
  const std::string fill =
      view.pair() ? "the runs share no steps of one phase. Simulate the scenario of the measured "
                    "run."
                  : "this needs a measured and a simulated session of one scenario: k3rack report "
                    "MEASURED.k3r SIMULATED.k3r";
  figure.pictures.push_back(visual::empty_chart(width, 90, fill));
  return figure;
}

}  // namespace

Figure error_figure(const RunsView& view, double width) {
  Figure figure;
  figure.id = "error";
  const bool prediction = view.measured_and_simulated && !view.machines_differ;
  figure.question = prediction ? "How well does the simulation predict the measurement?"
                               : "How do the two runs differ per kind of task?";
  const std::vector<Pair> pairs = pairs_of(view);
  const std::vector<double> ratios = sorted_ratios(pairs);
  if (ratios.empty()) return empty_figure(view, std::move(figure), width);
  const std::vector<KindTotal> totals = totals_of(pairs);
  figure.answer = answer_of(view, totals, ratios);
  const double half = (width - kPictureGap) / 2;
  figure.pictures.push_back(scatter(view, pairs, ratios[ratios.size() / 2], half));
  figure.pictures.push_back(dots(view, totals, half));
  figure.note = fmt::format(
      "Left: one point per kind and layer in the colours of the right, logarithmic axes with one "
      "scale. Right: sum over layers, thin line from the smallest to the largest ratio of a layer. "
      "Times per step and rank, waiting included; joined {}. {}",
      view.comparison->join == query::Join::by_task
          ? "task by task (equal plans)"
          : "by phase, kind, layer and stage (plans differ)",
      scale_note(view));
  return figure;
}

}  // namespace k3::figures
