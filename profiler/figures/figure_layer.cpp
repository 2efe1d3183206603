#include <cstddef>
#include <utility>

#include <fmt/core.h>

#include "profiler/figures/figures.h"
#include "profiler/visual/chart_bars.h"
#include "profiler/visual/chart_stack.h"

namespace k3::figures {
namespace {

using visual::Paint;

std::string part_name(const query::LayerCost& cost) {
  std::string name(visual::title_of(cost.kind));
  if (cost.stage != Stage::whole) name += fmt::format(", {}", name_of(cost.stage));
  return name;
}

}  // namespace

Figure stage_figure(const RunsView& view, int layer, double width) {
  Figure figure;
  figure.id = "stages";
  figure.question = fmt::format("Where does layer {} go?", layer);
  visual::StackedBars chart;
  chart.width = width;
  chart.quantity = time_quantity(view);
  chart.value_title = time_title(view);
  for (const RunView& run : view.runs) {
    visual::StackRow row{run.name, run.provenance, {}};
    double wait_s = 0;
    double total_s = 0;
    const query::LayerCost* largest = nullptr;
    for (const query::LayerCost& cost : run.detail->layers) {
      if (cost.layer != layer || cost.phase != view.phase) continue;
      const double seconds = (cost.mean_us - cost.wait_us) * 1e-6;
      row.parts.push_back({part_name(cost), on_time_scale(view, run, seconds), Paint::of(cost.kind),
                           visual::Hatch::none});
      wait_s += cost.wait_us * 1e-6;
      total_s += cost.mean_us * 1e-6;
      if (largest == nullptr || cost.mean_us - cost.wait_us > largest->mean_us - largest->wait_us) {
        largest = &cost;
      }
    }
    row.parts.push_back({"waiting", on_time_scale(view, run, wait_s),
                         Paint::of(visual::Role::waiting), visual::Hatch::dense});
    if (largest != nullptr && total_s > 0) {
      figure.answer +=
          fmt::format("{}: layer {} takes {} per step, most of it {} ({}). ", capital(run), layer,
                      time_text(total_s), part_name(*largest),
                      share_text((largest->mean_us - largest->wait_us) * 1e-6 / total_s));
    }
    chart.rows.push_back(std::move(row));
  }
  chart.description = figure.question + " " + figure.answer;
  figure.pictures.push_back(draw(chart));
  return figure;
}

Figure steps_figure(const RunsView& view, double width) {
  Figure figure;
  figure.id = "steps";
  figure.question = "How long does each step take?";
  visual::GroupedBars chart;
  chart.width = width;
  chart.height = 190;
  chart.category_title = fmt::format("{} step, in order", name_of(view.phase));
  chart.value_title = "duration";
  chart.quantity = visual::Quantity::time;
  for (const RunView& run : view.runs) {
    visual::BarSeries series{run.name, run.provenance, {}};
    for (const query::StepSummary& step : run.detail->summary.steps) {
      if (step.phase != view.phase) continue;
      visual::BarValue bar;
      bar.value = static_cast<double>(step.duration_ns) * 1e-9;
      bar.paint = Paint::of(visual::Role::muted);
      bar.tip = fmt::format("step {}: {}, {}", step.step, time_text(bar.value), run.name);
      series.bars.push_back(std::move(bar));
    }
    chart.series.push_back(std::move(series));
  }
  number_categories(chart);
  chart.description = figure.question;
  figure.pictures.push_back(draw(chart));
  return figure;
}

}  // namespace k3::figures
