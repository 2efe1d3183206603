#include "profiler/visual/chart_curve.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiler/visual/frame_internal.h"

namespace k3::visual {
namespace {

constexpr double kLeft = 52;
constexpr double kRight = 12;

/// All points of the chart, the reference as one of them: what the axes must hold.
std::vector<Point> all_points(const CurveChart& chart) {
  std::vector<Point> points;
  const auto add = [&](const std::vector<Point>& more) {
    for (const Point& p : more) {
      if (std::isfinite(p.x) && std::isfinite(p.y)) points.push_back(p);
    }
  };
  for (const Curve& curve : chart.curves)
    add(curve.points);
  for (const Band& band : chart.bands) {
    add(band.low);
    add(band.high);
  }
  if (chart.reference && !points.empty()) points.push_back({0, chart.reference->value});
  return points;
}

ValueAxis y_axis(const CurveChart& chart, const std::vector<Point>& points, const PlotArea& area) {
  double largest = 0;
  std::vector<double> values;
  for (const Point& p : points) {
    largest = std::max(largest, p.y);
    values.push_back(p.y);
  }
  Axis axis{chart.y_scale, 0, bar_limit(largest), area.bottom, area.top};
  if (chart.y_scale == Scale::log) {
    const Range range = log_range(values);
    axis.low = range.low;
    axis.high = range.high;
  }
  return {axis, unit_for(chart.y_quantity, largest), chart.y_title};
}

std::vector<Point> placed(const std::vector<Point>& points, const Axis& x, const Axis& y) {
  std::vector<Point> out;
  out.reserve(points.size());
  for (const Point& p : points) {
    if (std::isfinite(p.x) && std::isfinite(p.y)) out.push_back({x.at(p.x), y.at(p.y)});
  }
  return out;
}

void add_bands(DrawList& list, const CurveChart& chart, const Axis& x, const Axis& y) {
  for (const Band& band : chart.bands) {
    Polygon polygon;
    polygon.points = placed(band.low, x, y);
    const std::vector<Point> upper = placed(band.high, x, y);
    polygon.points.insert(polygon.points.end(), upper.rbegin(), upper.rend());
    if (polygon.points.size() < 3) continue;
    polygon.fill = band.paint;
    polygon.opacity = 0.25;
    polygon.tip = band.name;
    list.items.emplace_back(std::move(polygon));
  }
}

void add_curves(DrawList& list, const CurveChart& chart, const Axis& x, const Axis& y) {
  std::vector<Line> over;
  for (const Curve& curve : chart.curves) {
    Line line;
    line.points = placed(curve.points, x, y);
    if (line.points.size() < 2) continue;
    line.stroke = curve.paint;
    line.style = line_style(curve.provenance);
    line.tip = curve.tip.empty() ? curve.name : curve.tip;
    // Hollow lines go below: where both agree, the solid one fills the hollow one.
    if (line.style == LineStyle::hollow) {
      list.items.emplace_back(std::move(line));
    } else {
      over.push_back(std::move(line));
    }
  }
  for (Line& line : over)
    list.items.emplace_back(std::move(line));
}

std::vector<LegendEntry> legend_of(const CurveChart& chart) {
  std::vector<LegendEntry> entries;
  for (const Curve& curve : chart.curves) {
    entries.push_back({curve.name, curve.provenance, curve.paint, LegendEntry::Sample::line});
  }
  for (const Band& band : chart.bands) {
    entries.push_back({band.name, Provenance::fitted, band.paint});
  }
  if (chart.reference) entries.push_back(legend_entry(*chart.reference));
  return entries;
}

}  // namespace

DrawList draw(const CurveChart& chart) {
  const std::vector<Point> points = all_points(chart);
  if (points.empty()) {
    return empty_chart(chart.width, chart.height / 2, "there are no values for this chart.");
  }
  DrawList list{chart.width, chart.height, chart.description, {}};
  const double legend = add_legend(list, {4, 0}, chart.width - 8, legend_of(chart));
  const PlotArea area{kLeft, legend + 24, chart.width - kRight, chart.height - 42};
  double last = 0;
  for (const Point& p : points)
    last = std::max(last, p.x);
  const ValueAxis x{{Scale::linear, chart.first_x, last > chart.first_x ? last : chart.first_x + 1,
                     area.left, area.right},
                    unit_for(chart.x_quantity, last),
                    chart.x_title};
  const ValueAxis y = y_axis(chart, points, area);
  add_y_axis(list, area, y);
  add_x_axis(list, area, x);
  add_bands(list, chart, x.axis, y.axis);
  add_curves(list, chart, x.axis, y.axis);
  if (chart.reference) add_reference(list, area, y.axis, *chart.reference);
  return list;
}

}  // namespace k3::visual
