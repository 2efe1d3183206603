#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "profiler/figures/figures.h"
#include "profiler/visual/chart_bars.h"
#include "profiler/visual/chart_curve.h"

namespace k3::figures {
namespace {

using visual::Paint;

/// Tokens of each expert over the layer's mean, busiest first; empty without load.
std::vector<double> sorted_load(const query::ExpertLoad& layer) {
  std::vector<double> load(layer.expert_tokens.begin(), layer.expert_tokens.end());
  const double mean = std::accumulate(load.begin(), load.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(load.size(), 1));
  if (!(mean > 0)) return {};
  std::sort(load.begin(), load.end(), std::greater<>());
  for (double& tokens : load)
    tokens /= mean;
  return load;
}

struct Spread {
  std::vector<visual::Point> low;
  std::vector<visual::Point> median;
  std::vector<visual::Point> high;
};

/// Over the layers of a run, at each position of the sorted experts.
Spread spread_of(const RunView& run) {
  std::vector<std::vector<double>> layers;
  std::size_t experts = 0;
  for (const query::ExpertLoad& layer : run.detail->load) {
    layers.push_back(sorted_load(layer));
    experts = std::max(experts, layers.back().size());
  }
  Spread spread;
  std::vector<double> column;
  for (std::size_t i = 0; i < experts; ++i) {
    column.clear();
    for (const std::vector<double>& layer : layers) {
      if (i < layer.size()) column.push_back(layer[i]);
    }
    std::sort(column.begin(), column.end());
    const double x = static_cast<double>(i);
    spread.low.push_back({x, column.front()});
    spread.median.push_back({x, column[column.size() / 2]});
    spread.high.push_back({x, column.back()});
  }
  return spread;
}

bool per_rank(const RunsView& view) {
  for (const RunView& run : view.runs) {
    for (const query::ExpertLoad& layer : run.detail->load) {
      if (layer.rank_tokens.empty()) return false;
    }
  }
  return true;
}

double balance_of(const query::ExpertLoad& layer, bool ranks) {
  return ranks ? layer.rank_balance : layer.expert_balance;
}

std::string balance_answer(const RunView& run, bool ranks) {
  const std::vector<query::ExpertLoad>& load = run.detail->load;
  if (load.empty()) return {};
  double sum = 0;
  const query::ExpertLoad* worst = &load.front();
  for (const query::ExpertLoad& layer : load) {
    sum += balance_of(layer, ranks);
    if (balance_of(layer, ranks) > balance_of(*worst, ranks)) worst = &layer;
  }
  return fmt::format(
      "{}: the busiest {} has {} the mean load on average over {}, {} in "
      "layer {}. ",
      capital(run), ranks ? "rank" : "expert", ratio_text(sum / static_cast<double>(load.size())),
      visual::counted(static_cast<std::int64_t>(load.size()), "layer"),
      ratio_text(balance_of(*worst, ranks)), worst->layer);
}

visual::DrawList load_curves(const RunsView& view, double width) {
  visual::CurveChart chart;
  chart.width = width;
  chart.x_title = "experts of a layer, busiest first";
  chart.y_title = "tokens over the layer's mean";
  chart.reference = visual::ReferenceLine{1, "1.00× = perfectly even"};
  for (const RunView& run : view.runs) {
    const Spread spread = spread_of(run);
    if (spread.median.empty()) continue;
    chart.curves.push_back({run.name + ", median layer",
                            run.provenance,
                            Paint::of(TaskKind::experts),
                            spread.median,
                            {}});
    const bool simulated = run.provenance == visual::Provenance::simulated;
    chart.bands.push_back(
        {run.name + ", all layers",
         simulated ? Paint::of(visual::Role::muted) : Paint::of(TaskKind::experts), spread.low,
         spread.high});
  }
  chart.description = "Tokens per expert over the mean, experts sorted by load.";
  return draw(chart);
}

visual::DrawList balance_bars(const RunsView& view, bool ranks, double width) {
  visual::GroupedBars chart;
  chart.width = width;
  int layers = 0;
  for (const RunView& run : view.runs) {
    for (const query::ExpertLoad& layer : run.detail->load) {
      layers = std::max(layers, layer.layer + 1);
    }
  }
  chart.category_title = "layer";
  chart.quantity = visual::Quantity::ratio;
  chart.value_title = ranks ? "busiest rank over mean rank" : "busiest expert over mean expert";
  chart.reference = visual::ReferenceLine{1, "1.00× = perfectly even"};
  for (const RunView& run : view.runs) {
    visual::BarSeries series{run.name, run.provenance, {}};
    series.bars.resize(static_cast<std::size_t>(layers));
    for (const query::ExpertLoad& layer : run.detail->load) {
      if (layer.layer < 0) continue;
      visual::BarValue& bar = series.bars[static_cast<std::size_t>(layer.layer)];
      bar.value = balance_of(layer, ranks);
      bar.paint = Paint::of(TaskKind::experts);
      bar.tip = fmt::format("layer {}: {}, {}", layer.layer, ratio_text(bar.value), run.name);
    }
    chart.series.push_back(std::move(series));
  }
  chart.description = "Balance per layer: " + chart.value_title + ".";
  number_categories(chart);
  return draw(chart);
}

}  // namespace

Figure load_figure(const RunsView& view, double width) {
  Figure figure;
  figure.id = "load";
  figure.question = "How evenly are the experts loaded?";
  const bool ranks = per_rank(view);
  bool any = false;
  for (const RunView& run : view.runs) {
    figure.answer += balance_answer(run, ranks);
    any = any || !run.detail->load.empty();
  }
  if (!any) {
    figure.answer = "The session holds no expert load.";
    figure.pictures.push_back(visual::empty_chart(
        width, 90,
        "no layer routed tokens to experts. A run of a model with MoE layers fills this."));
    return figure;
  }
  figure.pictures.push_back(load_curves(view, width));
  figure.pictures.push_back(balance_bars(view, ranks, width));
  figure.note = fmt::format(
      "Balance of a layer = max over {0}s of tokens / mean over {0}s of tokens, 1.00× is perfect; "
      "tokens are counted once per chosen expert, summed over all steps. Bands: smallest to "
      "largest "
      "layer.",
      ranks ? "rank" : "expert");
  return figure;
}

}  // namespace k3::figures
