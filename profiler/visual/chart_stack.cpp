#include "profiler/visual/chart_stack.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "profiler/visual/frame_internal.h"
#include "profiler/visual/text_fit.h"

namespace k3::visual {
namespace {

double positive(double value) {
  return std::isfinite(value) && value > 0 ? value : 0;
}

double total_of(const StackRow& row) {
  double total = 0;
  for (const StackPart& part : row.parts)
    total += positive(part.value);
  return total;
}

/// Every part once, in the order of first appearance.
std::vector<LegendEntry> legend_of(const StackedBars& chart) {
  std::vector<LegendEntry> entries;
  for (const StackRow& row : chart.rows) {
    for (const StackPart& part : row.parts) {
      if (positive(part.value) == 0) continue;
      const auto known = [&](const LegendEntry& entry) { return entry.label == part.name; };
      if (std::any_of(entries.begin(), entries.end(), known)) continue;
      entries.push_back(
          {part.name, Provenance::measured, part.paint, LegendEntry::Sample::box, part.hatch});
    }
  }
  return entries;
}

Text part_label(const StackPart& part, const Box& box) {
  Text text;
  text.at = {box.x + box.width / 2, box.y + box.height / 2 + 4};
  text.text = part.name;
  text.anchor = Anchor::middle;
  text.size = kTickSize;
  text.max_width = box.width - 8;
  text.fit = Fit::drop;
  if (box.hatch == Hatch::none) {
    text.paint = Paint::of(ink_on(resolve(part.paint, Theme::light)));
  } else {
    text.halo = Paint::of(Role::background);
  }
  return text;
}

void add_row(DrawList& list, const StackRow& row, Box bar, const ValueAxis& x) {
  const double total = total_of(row);
  const Unit share = unit_for(Quantity::share, 1);
  double begin = 0;
  std::vector<Text> labels;
  for (const StackPart& part : row.parts) {
    const double value = positive(part.value);
    if (value == 0) continue;
    Box box = marked_box(row.provenance, part.paint);
    if (part.hatch != Hatch::none) box.hatch = part.hatch;
    box.x = x.axis.at(begin);
    box.width = x.axis.at(begin + value) - box.x;
    box.y = bar.y;
    box.height = bar.height;
    box.tip = fmt::format("{}: {}, {} of the bar, {}", part.name, text_in(value, x.unit),
                          text_in(value / total, share), name_of(row.provenance));
    labels.push_back(part_label(part, box));
    list.items.emplace_back(std::move(box));
    begin += value;
  }
  for (Text& label : labels)
    list.items.emplace_back(std::move(label));
  if (x.unit.quantity == Quantity::share) return;
  list.items.emplace_back(tick_text({x.axis.at(begin) + 6, bar.y + bar.height / 2 + 4},
                                    text_in(total, x.unit), Anchor::start));
}

}  // namespace

DrawList draw(const StackedBars& chart) {
  constexpr double kBottom = 44;
  constexpr double kRight = 76;  // the total behind the longest bar
  double largest = 0;
  double widest_label = 0;
  for (const StackRow& row : chart.rows) {
    largest = std::max(largest, total_of(row));
    widest_label = std::max(widest_label, text_width(row.label, kLabelSize));
  }
  if (largest == 0) {
    return empty_chart(chart.width, 80, "no time was recorded for any kind of task.");
  }
  DrawList list{chart.width, 0, chart.description, {}};
  const double legend = add_legend(list, {4, 0}, chart.width - 8, legend_of(chart));
  const double left = std::min(widest_label + 14, chart.width / 4);
  const double rows = static_cast<double>(chart.rows.size());
  const PlotArea area{left, legend + 8, chart.width - kRight, legend + 8 + rows * chart.row_height};
  list.height = area.bottom + kBottom;
  const ValueAxis x{{Scale::linear, 0, largest, area.left, area.right},
                    unit_for(chart.quantity, largest),
                    chart.value_title};
  add_x_axis(list, area, x);
  Box bar;
  bar.y = area.top + 6;
  bar.height = chart.row_height - 12;
  for (const StackRow& row : chart.rows) {
    Text label = tick_text({left - 8, bar.y + bar.height / 2 + 4}, row.label, Anchor::end);
    label.size = kLabelSize;
    label.paint = Paint::of(Role::text);
    label.max_width = left - 8;
    label.fit = Fit::elide;
    list.items.emplace_back(std::move(label));
    add_row(list, row, bar, x);
    bar.y += chart.row_height;
  }
  return list;
}

}  // namespace k3::visual
