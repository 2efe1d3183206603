#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>

#include <fmt/core.h>

#include "profiler/figures/figures.h"
#include "profiler/visual/chart_bars.h"
#include "profiler/visual/chart_heat.h"

namespace k3::figures {
namespace {

using visual::HeatMap;
using visual::Paint;

enum class Of { experts, ranks };

const std::vector<std::uint64_t>& tokens_of(const query::ExpertLoad& layer, Of of) {
  return of == Of::experts ? layer.expert_tokens : layer.rank_tokens;
}

double mean_of(const std::vector<std::uint64_t>& tokens) {
  double sum = 0;
  for (const std::uint64_t t : tokens)
    sum += static_cast<double>(t);
  return tokens.empty() ? 0 : sum / static_cast<double>(tokens.size());
}

/// Load over the layer's mean, layers × experts or ranks; NaN where a layer has none.
HeatMap load_map(const RunView& run, Of of) {
  HeatMap map;
  const std::vector<query::ExpertLoad>& load = run.detail->load;
  std::size_t columns = 0;
  int last = -1;
  for (const query::ExpertLoad& layer : load) {
    columns = std::max(columns, tokens_of(layer, of).size());
    last = std::max(last, layer.layer);
  }
  if (columns == 0) return map;
  map.first_row = load.front().layer;
  map.rows = last - map.first_row + 1;
  map.columns = static_cast<int>(columns);
  map.values.assign(static_cast<std::size_t>(map.rows) * columns,
                    std::numeric_limits<double>::quiet_NaN());
  for (const query::ExpertLoad& layer : load) {
    const std::vector<std::uint64_t>& tokens = tokens_of(layer, of);
    const double mean = mean_of(tokens);
    if (!(mean > 0)) continue;
    const std::size_t row = static_cast<std::size_t>(layer.layer - map.first_row) * columns;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      map.values[row + i] = static_cast<double>(tokens[i]) / mean;
  }
  map.title = fmt::format("{}, {}", run.name, of == Of::experts ? "experts" : "ranks");
  map.row_title = "layer";
  map.column_title = of == Of::experts ? "expert" : "rank";
  map.quantity = visual::Quantity::ratio;
  map.description =
      fmt::format("Tokens of each {} over the mean of its layer, {}.", map.column_title, run.name);
  return map;
}

/// One scale for all maps of a kind.
void draw_maps(Figure& figure, std::vector<HeatMap> maps, double width) {
  double high = 0;
  for (const HeatMap& map : maps)
    high = std::max(high, visual::largest_magnitude(map.values));
  constexpr double kPixelsPerLayer = 3;
  constexpr double kMinHeight = 60;
  for (HeatMap& map : maps) {
    map.high = high;
    map.width = width;
    map.height = std::max(kMinHeight, kPixelsPerLayer * map.rows);
    figure.pictures.push_back(draw(map));
  }
}

}  // namespace

Figure expert_maps(const RunsView& view, double width) {
  Figure figure;
  figure.id = "expert-maps";
  figure.question = "Which experts and ranks carry the load?";
  std::vector<HeatMap> experts;
  std::vector<HeatMap> ranks;
  for (const RunView& run : view.runs) {
    HeatMap of_experts = load_map(run, Of::experts);
    HeatMap of_ranks = load_map(run, Of::ranks);
    if (of_experts.rows > 0) experts.push_back(std::move(of_experts));
    if (of_ranks.rows > 0) ranks.push_back(std::move(of_ranks));
  }
  draw_maps(figure, std::move(experts), width);
  const double half = ranks.size() == 2 ? (width - kPictureGap) / 2 : width;
  draw_maps(figure, std::move(ranks), half);
  figure.note =
      "Colour: tokens over the layer's mean, summed over the steps in scope; maps of a kind share "
      "one scale.";
  return figure;
}

Figure expert_bars(const RunsView& view, int layer, double width) {
  Figure figure;
  figure.id = "expert-bars";
  figure.question = fmt::format("How many tokens has each expert of layer {}?", layer);
  visual::GroupedBars chart;
  chart.width = width;
  chart.category_title = fmt::format("expert of layer {}", layer);
  chart.value_title = "tokens";
  chart.quantity = visual::Quantity::count;
  for (const RunView& run : view.runs) {
    visual::BarSeries series{run.name, run.provenance, {}};
    for (const query::ExpertLoad& load : run.detail->load) {
      if (load.layer != layer) continue;
      for (std::size_t e = 0; e < load.expert_tokens.size(); ++e) {
        visual::BarValue bar;
        bar.value = static_cast<double>(load.expert_tokens[e]);
        bar.paint = Paint::of(TaskKind::experts);
        bar.tip = fmt::format(
            "layer {}, expert {}: {}, {}", layer, e,
            visual::counted(static_cast<std::int64_t>(load.expert_tokens[e]), "token"), run.name);
        series.bars.push_back(std::move(bar));
      }
      figure.answer += fmt::format("{}: the busiest expert of layer {} has {} the mean. ",
                                   capital(run), layer, ratio_text(load.expert_balance));
    }
    chart.series.push_back(std::move(series));
  }
  number_categories(chart);
  if (chart.categories.empty()) return figure;
  chart.description = figure.question;
  figure.pictures.push_back(draw(chart));
  return figure;
}

}  // namespace k3::figures
