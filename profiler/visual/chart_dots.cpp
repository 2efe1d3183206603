#include "profiler/visual/chart_dots.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiler/visual/frame_internal.h"
#include "profiler/visual/text_fit.h"

namespace k3::visual {
namespace {

bool drawable(double value) {
  return value > 0 && std::isfinite(value);
}

void add_row(DrawList& list, const DotRow& row, double y, const ValueAxis& x) {
  if (drawable(row.low) && drawable(row.high)) {
    list.items.emplace_back(Line{{{x.axis.at(row.low), y}, {x.axis.at(row.high), y}},
                                 Paint::of(Role::axis),
                                 LineStyle::thin,
                                 row.tip});
  }
  Marker marker;
  marker.at = {x.axis.at(row.value), y};
  marker.radius = 5;
  marker.fill = row.paint;
  marker.outline = Paint::of(Role::background);
  marker.tip = row.tip;
  list.items.emplace_back(std::move(marker));
}

}  // namespace

DrawList draw(const DotChart& chart) {
  constexpr double kRight = 64;  // the value as text
  constexpr double kTop = 22;
  constexpr double kBottom = 44;
  std::vector<const DotRow*> rows;
  std::vector<double> values{chart.reference.value};
  double widest = 0;
  for (const DotRow& row : chart.rows) {
    if (!drawable(row.value)) continue;
    rows.push_back(&row);
    values.insert(values.end(), {row.value, row.low, row.high});
    widest = std::max(widest, text_width(row.label, kLabelSize));
  }
  if (rows.empty()) {
    return empty_chart(chart.width, 100, "no kind of task has a time above zero in both runs.");
  }
  DrawList list{chart.width, 0, chart.description, {}};
  const double left = std::min(widest + 14, chart.width / 2);
  const PlotArea area{left, kTop, chart.width - kRight,
                      kTop + chart.row_height * static_cast<double>(rows.size())};
  list.height = area.bottom + kBottom;
  const Range range = log_range(values);
  const ValueAxis x{{Scale::log, range.low, range.high, area.left, area.right},
                    unit_for(chart.quantity, range.high),
                    chart.value_title};
  add_x_axis(list, area, x);
  const double reference = x.axis.at(chart.reference.value);
  list.items.emplace_back(Line{{{reference, area.top - 4}, {reference, area.bottom}},
                               Paint::of(Role::bound),
                               LineStyle::thin,
                               chart.reference.label});
  list.items.emplace_back(
      tick_text({reference, area.top - 8}, chart.reference.label, Anchor::middle));
  double y = area.top + chart.row_height / 2;
  for (const DotRow* row : rows) {
    add_row(list, *row, y, x);
    Text label = tick_text({left - 8, y + 4}, row->label, Anchor::end);
    label.size = kLabelSize;
    label.paint = Paint::of(Role::text);
    label.max_width = left - 8;
    label.fit = Fit::elide;
    list.items.emplace_back(std::move(label));
    list.items.emplace_back(
        tick_text({area.right + 8, y + 4}, text_in(row->value, x.unit), Anchor::start));
    y += chart.row_height;
  }
  return list;
}

}  // namespace k3::visual
