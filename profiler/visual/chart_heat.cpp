#include "profiler/visual/chart_heat.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "profiler/visual/frame_internal.h"

namespace k3::visual {
namespace {

constexpr double kLeft = 44;
constexpr double kTop = 24;
constexpr double kRight = 12;
constexpr double kBottom = 40;
constexpr double kLegendHeight = 46;

double merge_two(double a, double b, Aggregate aggregate) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (aggregate == Aggregate::sum) return a + b;
  return std::abs(b) > std::abs(a) ? b : a;  // of differences the larger deviation
}

/// What is drawn: the matrix itself, or blocks of `block` × `block` cells of it.
struct Shown {
  HeatMap map;
  int block = 1;
  int rows = 0;  ///< of the matrix itself
  int columns = 0;
};

HeatMap merged(const HeatMap& map, int block) {
  HeatMap out = map;
  out.rows = (map.rows + block - 1) / block;
  out.columns = (map.columns + block - 1) / block;
  out.values.assign(static_cast<std::size_t>(out.rows) * static_cast<std::size_t>(out.columns),
                    std::numeric_limits<double>::quiet_NaN());
  for (int row = 0; row < map.rows; ++row) {
    for (int column = 0; column < map.columns; ++column) {
      double& cell =
          out.values[static_cast<std::size_t>(row / block) * static_cast<std::size_t>(out.columns) +
                     static_cast<std::size_t>(column / block)];
      cell = merge_two(
          cell,
          map.values[static_cast<std::size_t>(row) * static_cast<std::size_t>(map.columns) +
                     static_cast<std::size_t>(column)],
          map.aggregate);
    }
  }
  if (map.aggregate == Aggregate::sum) out.high = largest_magnitude(out.values);
  return out;
}

/// Position of a value on the colour map; NaN: blank.
double level_of(const HeatMap& map, double value) {
  if (std::isnan(value)) return value;
  if (map.scale == HeatScale::log) {
    if (!(value > 0)) return std::numeric_limits<double>::quiet_NaN();
    const bool usable = map.low > 0 && map.high > map.low;
    return usable ? std::clamp(std::log(value / map.low) / std::log(map.high / map.low), 0.0, 1.0)
                  : 1;
  }
  if (!(map.high > 0)) return 0;
  const double low = map.scale == HeatScale::difference ? -1 : 0;
  return std::clamp(value / map.high, low, 1.0);
}

Paint paint_of(const HeatMap& map, double level) {
  if (std::isnan(level)) return Paint{};
  return map.scale == HeatScale::difference ? Paint::difference(level) : Paint::amount(level);
}

std::string block_name(int index, int block, int count) {
  const int first = index * block;
  const int last = std::min(first + block, count) - 1;
  return first == last ? std::to_string(first) : fmt::format("{}–{}", first, last);
}

void add_cells(DrawList& list, const Shown& shown, double cell) {
  const HeatMap& map = shown.map;
  const Unit unit = unit_for(map.quantity, map.high);
  list.items.reserve(list.items.size() + map.values.size());
  for (int row = 0; row < map.rows; ++row) {
    const std::string row_name = block_name(row, shown.block, shown.rows);
    for (int column = 0; column < map.columns; ++column) {
      const double value =
          map.values[static_cast<std::size_t>(row) * static_cast<std::size_t>(map.columns) +
                     static_cast<std::size_t>(column)];
      Box box;
      box.fill = paint_of(map, level_of(map, value));
      if (!box.fill.visible()) continue;
      box.x = kLeft + column * cell;
      box.y = kTop + row * cell;
      box.width = cell;
      box.height = cell;
      box.tip = row_name + " → " + block_name(column, shown.block, shown.columns) + ": " +
                text_in(value, unit);
      list.items.emplace_back(std::move(box));
    }
  }
}

void add_indices(DrawList& list, const PlotArea& area, const Shown& shown) {
  constexpr int kMaxTicks = 6;
  const auto middle = [&](double index, double pixels, int cells) {
    return pixels / cells * (std::floor(index / shown.block) + 0.5);
  };
  for (const Tick& tick : linear_ticks(0, shown.columns - 0.5, kMaxTicks, 1)) {
    if (std::floor(tick.value) != tick.value) continue;
    const double at = area.left + middle(tick.value, area.width(), shown.map.columns);
    list.items.emplace_back(tick_text({at, area.bottom + 14}, tick.label, Anchor::middle));
  }
  for (const Tick& tick : linear_ticks(0, shown.rows - 0.5, kMaxTicks, 1)) {
    if (std::floor(tick.value) != tick.value) continue;
    const double at = area.top + middle(tick.value, area.height(), shown.map.rows);
    list.items.emplace_back(tick_text({area.left - 5, at + 4}, tick.label, Anchor::end));
  }
  list.items.emplace_back(tick_text({(area.left + area.right) / 2, area.bottom + 29},
                                    shown.map.column_title, Anchor::middle));
  Text rows = tick_text({12, (area.top + area.bottom) / 2}, shown.map.row_title, Anchor::middle);
  rows.turn = Turn::left;
  list.items.emplace_back(std::move(rows));
}

bool has_outliers(const HeatMap& map) {
  const double low = map.scale == HeatScale::log ? map.low : -map.high;
  return std::any_of(map.values.begin(), map.values.end(), [&](double value) {
    return value > map.high || (value < low && (map.scale != HeatScale::log || value > 0));
  });
}

std::string legend_note(const HeatMap& map, int block) {
  std::string note = map.scale == HeatScale::log ? "log scale; zero is blank" : "linear scale";
  if (map.scale == HeatScale::difference) note += "; neutral is exactly 0";
  if (has_outliers(map)) note += "; beyond it: end colour";
  if (block > 1) {
    note += fmt::format("; cells of {0} × {0}: {1}", block,
                        map.aggregate == Aggregate::sum ? "sum, own scale" : "maximum");
  }
  return note;
}

void add_color_legend(DrawList& list, const PlotArea& area, const Shown& shown) {
  const HeatMap& map = shown.map;
  constexpr int kSteps = 48;
  const double top = area.bottom + kBottom + 2;
  const double slot = area.width() / kSteps;
  const bool difference = map.scale == HeatScale::difference;
  for (int i = 0; i < kSteps; ++i) {
    const double share = static_cast<double>(i) / (kSteps - 1);
    Box box;
    box.x = area.left + slot * i;
    box.y = top;
    box.width = slot;
    box.height = 9;
    box.fill = paint_of(map, difference ? 2 * share - 1 : share);
    list.items.emplace_back(std::move(box));
  }
  const Unit unit = unit_for(map.quantity, map.high);
  const double low = difference ? -map.high : map.scale == HeatScale::log ? map.low : 0;
  list.items.emplace_back(tick_text({area.left, top + 21}, text_in(low, unit), Anchor::start));
  if (difference) {
    list.items.emplace_back(
        tick_text({(area.left + area.right) / 2, top + 21}, "0", Anchor::middle));
  }
  list.items.emplace_back(tick_text({area.right, top + 21}, text_in(map.high, unit), Anchor::end));
  Text note = tick_text({area.left, top + 35}, legend_note(map, shown.block), Anchor::start);
  note.max_width = list.width - area.left;
  note.fit = Fit::elide;
  list.items.emplace_back(std::move(note));
}

}  // namespace

double largest_magnitude(const std::vector<double>& values) {
  double largest = 0;
  for (const double v : values) {
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  }
  return largest;
}

DrawList draw(const HeatMap& map) {
  const auto cells = static_cast<std::size_t>(std::max(0, map.rows)) *
                     static_cast<std::size_t>(std::max(0, map.columns));
  if (cells == 0 || map.values.size() != cells) {
    return empty_chart(map.width, map.width, "there is no matrix here.");
  }
  const double side = map.width - kLeft - kRight;
  const int longest = std::max(map.rows, map.columns);
  const int block = std::max(1, static_cast<int>(std::ceil(longest / side)));
  const Shown shown{block > 1 ? merged(map, block) : map, block, map.rows, map.columns};
  const double cell = side / std::max(shown.map.rows, shown.map.columns);

  DrawList list{map.width, 0, map.description, {}};
  const PlotArea area{kLeft, kTop, kLeft + cell * shown.map.columns, kTop + cell * shown.map.rows};
  list.height = area.bottom + kBottom + kLegendHeight;
  Text title;
  title.at = {area.left, kTop - 9};
  title.text = map.title;
  title.weight = Weight::bold;
  title.max_width = side;
  title.fit = Fit::elide;
  list.items.emplace_back(std::move(title));
  add_cells(list, shown, cell);
  Box frame;
  frame.x = area.left;
  frame.y = area.top;
  frame.width = area.width();
  frame.height = area.height();
  frame.outline = Paint::of(Role::axis);
  list.items.emplace_back(frame);
  add_indices(list, area, shown);
  add_color_legend(list, area, shown);
  return list;
}

}  // namespace k3::visual
