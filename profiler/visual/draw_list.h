#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "profiler/visual/numbers.h"
#include "profiler/visual/palette.h"

namespace k3::visual {

/// Where the numbers behind a mark come from. The look follows from it everywhere: measured =
/// solid, simulated = outline with light hatch (lines: hollow), fitted = dotted, datasheet values
/// and bounds = thin line.
enum class Provenance : std::uint8_t { measured, simulated, fitted, datasheet };

std::string_view name_of(Provenance provenance);

struct Point {
  double x = 0;
  double y = 0;
};

enum class Hatch : std::uint8_t {
  none,
  light,  ///< thin strokes in the fill's colour over a faint tint of it: simulated
  dense,  ///< heavier strokes, other direction: waiting
};

/// A rectangle.
struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  Paint fill;
  Paint outline;
  Hatch hatch = Hatch::none;
  double opacity = 1;  ///< of the fill
  std::string tip;     ///< on hover: what, value, unit, source
};

enum class LineStyle : std::uint8_t { solid, hollow, dotted, thin };

/// A line through two or more points.
struct Line {
  std::vector<Point> points;
  Paint stroke;
  LineStyle style = LineStyle::solid;
  std::string tip;
};

/// A filled outline through three or more points: bands of uncertainty and spread.
struct Polygon {
  std::vector<Point> points;
  Paint fill;
  double opacity = 1;
  std::string tip;
};

/// A disc at a point.
struct Marker {
  Point at;
  double radius = 3;
  Paint fill;
  Paint outline;
  std::string tip;
};

enum class Anchor : std::uint8_t { start, middle, end };

/// What happens to a text wider than its `max_width`.
enum class Fit : std::uint8_t { keep, drop, elide };

enum class Weight : std::uint8_t { normal, bold };

enum class Turn : std::uint8_t { none, left };  ///< left: reads upwards

struct Text {
  Point at;  ///< on the baseline
  std::string text;
  Anchor anchor = Anchor::start;
  double size = 12;
  Paint paint = Paint::of(Role::text);
  Weight weight = Weight::normal;
  Turn turn = Turn::none;
  double max_width = 0;  ///< only for Fit::drop and Fit::elide
  Fit fit = Fit::keep;
  Paint halo;  ///< drawn behind the letters where they cross marks
  std::string tip;
};

/// A matrix of colours: more cells than boxes could be painted for. Rows lie from top to bottom.
struct Raster {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  int rows = 0;
  int columns = 0;
  enum class Map : std::uint8_t { amount, difference } map = Map::amount;
  std::vector<float> levels;      ///< row-major places on the colour map; NaN: blank
  std::vector<std::string> tips;  ///< per row, what a cell's tip begins with
  std::vector<float> values;      ///< beside levels: the numbers of the tips
  std::string column_name;        ///< "expert"
  int column_step = 1;            ///< columns of the data in one column of cells
  Unit unit;
};

/// "layer 12, expert 345: 1.31×" for the cell at a point; empty outside and where it is blank.
std::string tip_at(const Raster& raster, Point point);

using Item = std::variant<Box, Line, Polygon, Marker, Text, Raster>;

/// Where the cells of a chart lie, so that a click finds what it means and a mark its place: a cell
/// stands for `row_step` × `column_step` rows and columns of the data.
struct CellGrid {
  double x = 0;
  double y = 0;
  double cell_width = 0;
  double cell_height = 0;
  int rows = 0;
  int columns = 0;
  int row_step = 1;
  int column_step = 1;
};

/// A picture as plain values: painted from first item to last, origin top left, pixels. It knows no
/// toolkit and no theme; SVG, the desktop and print paint the same list. Colours whose look depends
/// on the theme are named by role. `description` says in words what the picture shows.
struct DrawList {
  double width = 0;
  double height = 0;
  std::string description;
  std::vector<Item> items;
  std::optional<CellGrid> grid = {};  ///< of charts made of cells, bars or rows
};

/// `text` as it will be painted: whole, elided or empty, following its fit.
std::string painted_text(const Text& text);

/// A box that carries `paint` the way `provenance` asks for.
Box marked_box(Provenance provenance, Paint paint);

LineStyle line_style(Provenance provenance);

/// One line per item with at most one decimal: what tests compare.
std::string to_text(const DrawList& list);

/// A picture that says why there is nothing to see and what would fill it.
DrawList empty_chart(double width, double height, const std::string& reason);

/// Appends the items of `part`, moved by `offset`.
void append(DrawList& list, const DrawList& part, Point offset);

}  // namespace k3::visual
