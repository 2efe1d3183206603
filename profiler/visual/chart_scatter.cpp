#include "profiler/visual/chart_scatter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "profiler/visual/frame_internal.h"

namespace k3::visual {
namespace {

bool drawable(const ScatterPoint& p) {
  return p.x > 0 && p.y > 0 && std::isfinite(p.x) && std::isfinite(p.y);
}

std::string band_name(double band) {
  return fmt::format("±{:.0f} %", band * 100);
}

struct Axes {
  ValueAxis x;
  ValueAxis y;
  Range range;
};

/// y = ratio · x, clipped to the range.
std::vector<Point> straight(const Axes& axes, double ratio) {
  const double from = std::max(axes.range.low, axes.range.low / ratio);
  const double to = std::min(axes.range.high, axes.range.high / ratio);
  if (!(to > from)) return {};
  return {{axes.x.axis.at(from), axes.y.axis.at(from * ratio)},
          {axes.x.axis.at(to), axes.y.axis.at(to * ratio)}};
}

void add_band(DrawList& list, const Axes& axes, double band) {
  Polygon polygon;
  polygon.points = straight(axes, 1 + band);
  const std::vector<Point> below = straight(axes, 1 - band);
  if (polygon.points.empty() || below.empty()) return;
  polygon.points.push_back({axes.x.axis.high_pixel, axes.y.axis.high_pixel});
  polygon.points.insert(polygon.points.end(), below.rbegin(), below.rend());
  polygon.points.push_back({axes.x.axis.low_pixel, axes.y.axis.low_pixel});
  polygon.fill = Paint::of(Role::muted);
  polygon.opacity = 0.18;
  polygon.tip = "within " + band_name(band);
  list.items.emplace_back(std::move(polygon));
}

void add_straight(DrawList& list, const Axes& axes, double ratio, LineStyle style) {
  std::vector<Point> points = straight(axes, ratio);
  if (points.empty()) return;
  list.items.emplace_back(
      Line{std::move(points), Paint::of(Role::bound), style, text_of(Quantity::ratio, ratio)});
}

std::vector<LegendEntry> legend_of(const ScatterChart& chart) {
  std::vector<LegendEntry> entries;
  const Paint bound = Paint::of(Role::bound);
  entries.push_back({"equal", Provenance::datasheet, bound, LegendEntry::Sample::line});
  if (chart.band > 0) {
    entries.push_back({band_name(chart.band), Provenance::fitted, Paint::of(Role::muted)});
  }
  if (chart.fitted_ratio > 0) {
    entries.push_back({"median ratio " + text_of(Quantity::ratio, chart.fitted_ratio),
                       Provenance::fitted, bound, LegendEntry::Sample::line});
  }
  return entries;
}

void add_points(DrawList& list, const ScatterChart& chart, const Axes& axes) {
  for (const ScatterPoint& p : chart.points) {
    if (!drawable(p)) continue;
    Marker marker;
    marker.at = {axes.x.axis.at(p.x), axes.y.axis.at(p.y)};
    marker.radius = 3.5;
    marker.fill = p.paint;
    marker.outline = Paint::of(Role::background);
    marker.tip = p.tip;
    list.items.emplace_back(std::move(marker));
  }
}

}  // namespace

DrawList draw(const ScatterChart& chart) {
  std::vector<double> values;
  std::size_t left_out = 0;
  for (const ScatterPoint& p : chart.points) {
    if (!drawable(p)) {
      ++left_out;
      continue;
    }
    values.push_back(p.x);
    values.push_back(p.y);
  }
  if (values.empty()) {
    return empty_chart(chart.width, chart.height / 3,
                       "no task has a time above zero in both runs.");
  }
  DrawList list{chart.width, chart.height, chart.description, {}};
  const double legend = add_legend(list, {4, 0}, chart.width - 8, legend_of(chart));
  const PlotArea area{56, legend + 24, chart.width - 14, chart.height - 42};
  const Range range = log_range(values);
  const Unit unit = unit_for(chart.quantity, std::sqrt(range.low) * std::sqrt(range.high));
  const Axes axes{{{Scale::log, range.low, range.high, area.left, area.right}, unit, chart.x_title},
                  {{Scale::log, range.low, range.high, area.bottom, area.top}, unit, chart.y_title},
                  range};
  add_y_axis(list, area, axes.y);
  add_x_axis(list, area, axes.x);
  if (chart.band > 0) add_band(list, axes, chart.band);
  add_straight(list, axes, 1, LineStyle::thin);
  if (chart.fitted_ratio > 0) add_straight(list, axes, chart.fitted_ratio, LineStyle::dotted);
  add_points(list, chart, axes);
  if (left_out > 0) {
    list.items.emplace_back(
        tick_text({area.right - 4, area.bottom - 6},
                  fmt::format("{} without a time above zero not drawn", left_out), Anchor::end));
  }
  return list;
}

}  // namespace k3::visual
