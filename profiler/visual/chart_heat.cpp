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
constexpr double kSums = 44;  ///< for the bars of row and column sums

double merge_two(double a, double b, Aggregate aggregate) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (aggregate == Aggregate::sum) return a + b;
  return std::abs(b) > std::abs(a) ? b : a;  // of differences the larger deviation
}

/// What is drawn: the matrix itself, or blocks of cells of it.
struct Shown {
  HeatMap map;
  int block_rows = 1;
  int block_columns = 1;
  int rows = 0;  ///< of the matrix itself
  int columns = 0;
  double cell_width = 0;
  double cell_height = 0;

  bool is_merged() const { return block_rows > 1 || block_columns > 1; }
};

HeatMap merged(const HeatMap& map, int block_rows, int block_columns) {
  HeatMap out = map;
  out.rows = (map.rows + block_rows - 1) / block_rows;
  out.columns = (map.columns + block_columns - 1) / block_columns;
  out.tips.clear();
  out.values.assign(static_cast<std::size_t>(out.rows) * static_cast<std::size_t>(out.columns),
                    std::numeric_limits<double>::quiet_NaN());
  for (int row = 0; row < map.rows; ++row) {
    for (int column = 0; column < map.columns; ++column) {
      double& cell = out.values[static_cast<std::size_t>(row / block_rows) *
                                    static_cast<std::size_t>(out.columns) +
                                static_cast<std::size_t>(column / block_columns)];
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

std::string block_name(int index, int block, int count, int offset) {
  const int first = index * block;
  const int last = std::min(first + block, count) - 1;
  return first == last ? std::to_string(first + offset)
                       : fmt::format("{}–{}", first + offset, last + offset);
}

/// More cells than this are painted as one image.
constexpr std::size_t kMaxBoxes = 10'000;

void add_raster(DrawList& list, const Shown& shown, const PlotArea& area) {
  const HeatMap& map = shown.map;
  Raster raster;
  raster.x = area.left;
  raster.y = area.top;
  raster.width = area.width();
  raster.height = area.height();
  raster.rows = map.rows;
  raster.columns = map.columns;
  raster.map = map.scale == HeatScale::difference ? Raster::Map::difference : Raster::Map::amount;
  raster.column_name = map.column_title;
  raster.column_step = shown.block_columns;
  raster.unit = unit_for(map.quantity, map.high);
  for (const double value : map.values) {
    const double level = level_of(map, value);
    raster.levels.push_back(static_cast<float>(level));
    raster.values.push_back(static_cast<float>(value));
  }
  for (int row = 0; row < map.rows; ++row) {
    raster.tips.push_back(map.row_title + " " +
                          block_name(row, shown.block_rows, shown.rows, map.first_row));
  }
  list.items.emplace_back(std::move(raster));
}

void add_cells(DrawList& list, const Shown& shown, const PlotArea& area) {
  const HeatMap& map = shown.map;
  if (map.values.size() > kMaxBoxes) {
    add_raster(list, shown, area);
    return;
  }
  const Unit unit = unit_for(map.quantity, map.high);
  list.items.reserve(list.items.size() + map.values.size());
  for (int row = 0; row < map.rows; ++row) {
    const std::string row_name = block_name(row, shown.block_rows, shown.rows, map.first_row);
    for (int column = 0; column < map.columns; ++column) {
      const auto cell = static_cast<std::size_t>(row) * static_cast<std::size_t>(map.columns) +
                        static_cast<std::size_t>(column);
      const double value = map.values[cell];
      Box box;
      box.fill = paint_of(map, level_of(map, value));
      if (!box.fill.visible()) continue;
      box.x = area.left + column * shown.cell_width;
      box.y = area.top + row * shown.cell_height;
      box.width = shown.cell_width;
      box.height = shown.cell_height;
      box.tip = cell < map.tips.size()
                    ? map.tips[cell]
                    : row_name + " → " + block_name(column, shown.block_columns, shown.columns, 0) +
                          ": " + text_in(value, unit);
      list.items.emplace_back(std::move(box));
    }
  }
}

void add_line(DrawList& list, Point from, Point to, Role role) {
  list.items.emplace_back(Line{{from, to}, Paint::of(role), LineStyle::thin, {}});
}

/// Groups of rows and columns: ranks of one tray.
void add_groups(DrawList& list, const Shown& shown, const PlotArea& area) {
  const int group = shown.map.group;
  if (group <= 1) return;
  for (int i = group; i < shown.columns; i += group) {
    const double x = area.left + shown.cell_width * i / shown.block_columns;
    add_line(list, {x, area.top}, {x, area.bottom}, Role::background);
  }
  for (int i = group; i < shown.rows; i += group) {
    const double y = area.top + shown.cell_height * i / shown.block_rows;
    add_line(list, {area.left, y}, {area.right, y}, Role::background);
  }
}

/// Sums of rows as bars to the right of the matrix, of columns above it.
void add_sums(DrawList& list, const Shown& shown, const PlotArea& area) {
  const HeatMap& map = shown.map;
  if (!(map.largest_sum > 0)) return;
  const Unit unit = unit_for(map.quantity, map.largest_sum);
  const auto add = [&](Box box, const std::string& tip) {
    box.fill = Paint::of(Role::muted);
    box.tip = tip;
    list.items.emplace_back(std::move(box));
  };
  constexpr double kLongest = kSums - 6;
  for (std::size_t i = 0; i < map.row_sums.size(); ++i) {
    const double row = area.height() / static_cast<double>(map.row_sums.size());
    Box box;
    box.x = area.right + 4;
    box.y = area.top + row * static_cast<double>(i);
    box.width = std::max(0.0, map.row_sums[i] / map.largest_sum) * kLongest;
    box.height = row > 3 ? row - 1 : row;
    add(box,
        fmt::format("{} {}: {} in all columns", map.row_title, i, text_in(map.row_sums[i], unit)));
  }
  for (std::size_t i = 0; i < map.column_sums.size(); ++i) {
    const double column = area.width() / static_cast<double>(map.column_sums.size());
    Box box;
    box.height = std::max(0.0, map.column_sums[i] / map.largest_sum) * kLongest;
    box.x = area.left + column * static_cast<double>(i);
    box.y = area.top - 4 - box.height;
    box.width = column > 3 ? column - 1 : column;
    add(box, fmt::format("{} {}: {} in all rows", map.column_title, i,
                         text_in(map.column_sums[i], unit)));
  }
}

void add_indices(DrawList& list, const PlotArea& area, const Shown& shown) {
  constexpr double kPixelsPerTick = 46;
  const auto limit = [](double pixels) {
    return std::max(2, static_cast<int>(pixels / kPixelsPerTick));
  };
  for (const Tick& tick : linear_ticks(0, shown.columns - 0.5, limit(area.width()), 1)) {
    if (std::floor(tick.value) != tick.value) continue;
    const double at =
        area.left + shown.cell_width * (std::floor(tick.value / shown.block_columns) + 0.5);
    list.items.emplace_back(tick_text({at, area.bottom + 14}, tick.label, Anchor::middle));
  }
  const double first = shown.map.first_row;
  for (const Tick& tick :
       linear_ticks(first, first + shown.rows - 0.5, limit(area.height()) + 1, 1)) {
    if (std::floor(tick.value) != tick.value || tick.value < first) continue;
    const double at =
        area.top + shown.cell_height * (std::floor((tick.value - first) / shown.block_rows) + 0.5);
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

std::string legend_note(const Shown& shown) {
  const HeatMap& map = shown.map;
  std::string note = map.scale == HeatScale::log ? "log scale; zero is blank" : "linear scale";
  if (map.scale == HeatScale::difference) note += "; neutral is exactly 0";
  if (has_outliers(map)) note += "; beyond it: end colour";
  if (shown.is_merged()) {
    note += fmt::format("; cells of {} × {}: {}", shown.block_rows, shown.block_columns,
                        map.aggregate == Aggregate::sum ? "sum, own scale" : "maximum");
  }
  return note;
}

void add_color_legend(DrawList& list, const PlotArea& area, const Shown& shown) {
  const HeatMap& map = shown.map;
  constexpr int kSteps = 48;
  const double top = area.bottom + kBottom + 2;
  const double width = std::min(area.width(), 400.0);
  const double slot = width / kSteps;
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
    list.items.emplace_back(tick_text({area.left + width / 2, top + 21}, "0", Anchor::middle));
  }
  list.items.emplace_back(
      tick_text({area.left + width, top + 21}, text_in(map.high, unit), Anchor::end));
  Text note = tick_text({area.left, top + 35}, legend_note(shown), Anchor::start);
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

namespace {

/// The matrix with blocks large enough to be seen, and the size of its cells.
Shown shown_of(const HeatMap& map, double room_x) {
  const auto block = [](int count, double pixels) {
    return std::max(1, static_cast<int>(std::ceil(count / std::max(1.0, pixels))));
  };
  const bool square = map.height <= 0;
  const int longest = std::max(map.rows, map.columns);
  const int block_columns = square ? block(longest, room_x) : block(map.columns, room_x);
  const int block_rows = square ? block_columns : block(map.rows, map.height);
  Shown shown{block_columns > 1 || block_rows > 1 ? merged(map, block_rows, block_columns) : map,
              block_rows, block_columns, map.rows, map.columns};
  shown.cell_width =
      room_x / (square ? std::max(shown.map.rows, shown.map.columns) : shown.map.columns);
  shown.cell_height = square ? shown.cell_width : map.height / shown.map.rows;
  return shown;
}

void add_title(DrawList& list, const HeatMap& map, const PlotArea& area) {
  Text title;
  title.at = {area.left, kTop - 9};
  title.text = map.title;
  title.weight = Weight::bold;
  title.max_width = area.width();
  title.fit = Fit::elide;
  list.items.emplace_back(std::move(title));
}

}  // namespace

DrawList draw(const HeatMap& map) {
  const auto cells = static_cast<std::size_t>(std::max(0, map.rows)) *
                     static_cast<std::size_t>(std::max(0, map.columns));
  if (cells == 0 || map.values.size() != cells) {
    return empty_chart(map.width, map.width, "there is no matrix here.");
  }
  const double sums = map.largest_sum > 0 ? kSums : 0;
  const Shown shown = shown_of(map, map.width - kLeft - kRight - sums);
  DrawList list{map.width, 0, map.description, {}};
  const PlotArea area{kLeft, kTop + sums, kLeft + shown.cell_width * shown.map.columns,
                      kTop + sums + shown.cell_height * shown.map.rows};
  list.height = area.bottom + kBottom + kLegendHeight;
  list.grid = CellGrid{area.left,      area.top,          shown.cell_width, shown.cell_height,
                       shown.map.rows, shown.map.columns, shown.block_rows, shown.block_columns};
  add_title(list, map, area);
  add_cells(list, shown, area);
  add_groups(list, shown, area);
  add_sums(list, shown, area);
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
