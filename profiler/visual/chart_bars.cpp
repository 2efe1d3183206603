#include "profiler/visual/chart_bars.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/core.h>

#include "profiler/visual/frame_internal.h"

namespace k3::visual {
namespace {

constexpr double kMinSeriesPixels = 3;

double largest_of(const GroupedBars& chart) {
  double largest = std::max(0.0, chart.shared_largest);
  for (const BarSeries& series : chart.series) {
    for (const BarValue& bar : series.bars) {
      if (std::isfinite(bar.value)) largest = std::max(largest, bar.value);
      if (std::isfinite(bar.high)) largest = std::max(largest, bar.high);
    }
  }
  if (chart.reference) largest = std::max(largest, chart.reference->value);
  return largest;
}

bool has_values(const GroupedBars& chart) {
  for (const BarSeries& series : chart.series) {
    for (const BarValue& bar : series.bars) {
      if (!std::isnan(bar.value)) return true;
    }
  }
  return false;
}

/// The same chart with every `merge` neighbouring categories replaced by their largest bar.
GroupedBars merged(const GroupedBars& chart, std::size_t merge) {
  GroupedBars out = chart;
  out.categories.clear();
  for (std::size_t i = 0; i < chart.categories.size(); i += merge) {
    out.categories.push_back(chart.categories[i]);
  }
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const std::vector<BarValue>& bars = chart.series[s].bars;
    std::vector<BarValue>& kept = out.series[s].bars;
    kept.clear();
    for (std::size_t i = 0; i < bars.size(); i += merge) {
      const BarValue* largest = &bars[i];
      for (std::size_t j = i; j < std::min(i + merge, bars.size()); ++j) {
        if (std::isnan(largest->value) || bars[j].value > largest->value) largest = &bars[j];
      }
      kept.push_back(*largest);
    }
  }
  out.category_title += fmt::format(", each bar the largest of {}", merge);
  return out;
}

std::vector<LegendEntry> legend_of(const GroupedBars& chart) {
  std::vector<LegendEntry> entries;
  for (const BarSeries& series : chart.series) {
    entries.push_back({series.name, series.provenance, Paint::of(Role::muted)});
  }
  for (const ColorMeaning& color : chart.colors) {
    entries.push_back({color.label, Provenance::measured, color.paint});
  }
  if (!chart.band.empty()) {
    entries.push_back({chart.band, Provenance::fitted, Paint::of(Role::text)});
  }
  if (chart.reference) entries.push_back(legend_entry(*chart.reference));
  return entries;
}

/// Translucent, over the end of the bar.
void add_band(DrawList& list, const BarValue& bar, const Box& solid, const Axis& y) {
  if (!std::isfinite(bar.low) || !std::isfinite(bar.high)) return;
  constexpr double kOpacity = 0.35;
  Box band;
  band.x = solid.x;
  band.width = solid.width;
  band.y = y.at(bar.high);
  band.height = std::max(1.0, y.at(bar.low) - band.y);
  band.fill = Paint::of(Role::text);
  band.opacity = kOpacity;
  band.tip = bar.tip;
  list.items.emplace_back(std::move(band));
}

void add_bars(DrawList& list, const GroupedBars& chart, const PlotArea& area, const Axis& y) {
  const double slot = area.width() / static_cast<double>(chart.categories.size());
  const double gap = std::min(slot * 0.25, 10.0);
  const double bar_width = (slot - gap) / static_cast<double>(chart.series.size());
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const BarSeries& series = chart.series[s];
    const std::size_t count = std::min(series.bars.size(), chart.categories.size());
    for (std::size_t i = 0; i < count; ++i) {
      const BarValue& bar = series.bars[i];
      if (std::isnan(bar.value)) continue;
      Box box = marked_box(series.provenance, bar.paint);
      const double inset = bar_width > 4 ? 0.5 : 0;
      box.x = area.left + slot * static_cast<double>(i) + gap / 2 +
              bar_width * static_cast<double>(s) + inset;
      box.width = bar_width - 2 * inset;
      box.y = y.at(bar.value);
      box.height = area.bottom - box.y;
      box.tip = bar.tip;
      const Box solid = box;
      list.items.emplace_back(std::move(box));
      add_band(list, bar, solid, y);
    }
  }
}

}  // namespace

void number_categories(GroupedBars& chart) {
  std::size_t count = 0;
  for (const BarSeries& series : chart.series)
    count = std::max(count, series.bars.size());
  chart.categories.clear();
  for (std::size_t i = 0; i < count; ++i)
    chart.categories.push_back(std::to_string(i));
  for (BarSeries& series : chart.series)
    series.bars.resize(count);
}

DrawList draw(const GroupedBars& chart) {
  if (chart.categories.empty() || !has_values(chart)) {
    return empty_chart(chart.width, chart.height / 2, "there are no values for this chart.");
  }
  constexpr double kLeft = 52;
  constexpr double kRight = 8;
  const double categories = static_cast<double>(chart.categories.size());
  const double per_category = kMinSeriesPixels * static_cast<double>(chart.series.size());
  const double merge = std::ceil(per_category * categories / (chart.width - kLeft - kRight));
  if (merge > 1) {
    DrawList list = draw(merged(chart, static_cast<std::size_t>(merge)));
    if (list.grid) list.grid->column_step = static_cast<int>(merge);
    return list;
  }

  DrawList list{chart.width, chart.height, chart.description, {}};
  const double legend = add_legend(list, {4, 0}, chart.width - 8, legend_of(chart));
  const PlotArea area{kLeft, legend + 24, chart.width - kRight, chart.height - 42};
  const double high = bar_limit(largest_of(chart));
  const ValueAxis y{{Scale::linear, 0, high, area.bottom, area.top},
                    unit_for(chart.quantity, high / bar_limit(1)),
                    chart.value_title};
  list.grid = CellGrid{area.left,     area.top, area.width() / categories,
                       area.height(), 1,        static_cast<int>(chart.categories.size())};
  add_y_axis(list, area, y);
  add_bars(list, chart, area, y.axis);
  if (chart.reference) add_reference(list, area, y.axis, *chart.reference);
  add_category_labels(list, area, chart.categories, chart.category_title);
  return list;
}

}  // namespace k3::visual
