#include "profiler/visual/draw_list.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <fmt/core.h>

#include "profiler/visual/text_fit.h"

namespace k3::visual {
namespace {

/// At most one decimal, never "-0".
std::string coordinate(double v) {
  const double rounded = std::round(v * 10) / 10;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string point_text(Point p) {
  return coordinate(p.x) + "," + coordinate(p.y);
}

std::string points_text(const std::vector<Point>& points) {
  std::string out;
  for (const Point& p : points)
    out += " " + point_text(p);
  return out;
}

void add_paint(std::string& out, std::string_view key, const Paint& paint) {
  if (paint.visible()) out += fmt::format(" {}={}", key, text_of(paint));
}

void add_tip(std::string& out, const std::string& tip) {
  if (!tip.empty()) out += fmt::format(" tip=\"{}\"", tip);
}

/// The line of each item, without its line feed.
struct ToText {
  std::string operator()(const Box& box) const {
    constexpr std::array<std::string_view, 3> kHatchNames{"", " hatch=light", " hatch=dense"};
    std::string out = fmt::format("box {} {}x{}", point_text({box.x, box.y}), coordinate(box.width),
                                  coordinate(box.height));
    add_paint(out, "fill", box.fill);
    out += kHatchNames[static_cast<std::size_t>(box.hatch)];
    if (box.opacity != 1) out += fmt::format(" opacity={}", box.opacity);
    add_paint(out, "outline", box.outline);
    add_tip(out, box.tip);
    return out;
  }

  std::string operator()(const Line& line) const {
    constexpr std::array<std::string_view, 4> kStyleNames{"solid", "hollow", "dotted", "thin"};
    std::string out = fmt::format("line {}{}", kStyleNames[static_cast<std::size_t>(line.style)],
                                  points_text(line.points));
    add_paint(out, "stroke", line.stroke);
    add_tip(out, line.tip);
    return out;
  }

  std::string operator()(const Polygon& polygon) const {
    std::string out = "polygon" + points_text(polygon.points);
    add_paint(out, "fill", polygon.fill);
    if (polygon.opacity != 1) out += fmt::format(" opacity={}", polygon.opacity);
    add_tip(out, polygon.tip);
    return out;
  }

  std::string operator()(const Marker& marker) const {
    std::string out =
        fmt::format("marker {} r={}", point_text(marker.at), coordinate(marker.radius));
    add_paint(out, "fill", marker.fill);
    add_paint(out, "outline", marker.outline);
    add_tip(out, marker.tip);
    return out;
  }

  std::string operator()(const Text& text) const {
    constexpr std::array<std::string_view, 3> kAnchorNames{"start", "middle", "end"};
    const std::string painted = painted_text(text);
    if (painted.empty()) return {};
    std::string out =
        fmt::format("text {} {} size={}", point_text(text.at),
                    kAnchorNames[static_cast<std::size_t>(text.anchor)], coordinate(text.size));
    add_paint(out, "paint", text.paint);
    if (text.weight == Weight::bold) out += " bold";
    if (text.turn == Turn::left) out += " turned";
    out += fmt::format(" \"{}\"", painted);
    add_tip(out, text.tip);
    return out;
  }

  std::string operator()(const Raster& raster) const {
    return fmt::format("raster {} {} {} {} {} x {} {}", coordinate(raster.x), coordinate(raster.y),
                       coordinate(raster.width), coordinate(raster.height), raster.rows,
                       raster.columns,
                       raster.map == Raster::Map::amount ? "amounts" : "differences");
  }
};

struct Move {
  Point by;

  void operator()(Box& box) const {
    box.x += by.x;
    box.y += by.y;
  }

  void operator()(Line& line) const { all(line.points); }

  void operator()(Polygon& polygon) const { all(polygon.points); }

  void operator()(Marker& marker) const { one(marker.at); }

  void operator()(Text& text) const { one(text.at); }

  void operator()(Raster& raster) const {
    raster.x += by.x;
    raster.y += by.y;
  }

  void one(Point& p) const {
    p.x += by.x;
    p.y += by.y;
  }

  void all(std::vector<Point>& points) const {
    for (Point& p : points)
      one(p);
  }
};

}  // namespace

std::string_view name_of(Provenance provenance) {
  constexpr std::array<std::string_view, 4> kNames{"measured", "simulated", "fitted", "datasheet"};
  return kNames[static_cast<std::size_t>(provenance)];
}

std::string painted_text(const Text& text) {
  if (text.fit == Fit::keep) return text.text;
  if (text_width(text.text, text.size) <= text.max_width) return text.text;
  return text.fit == Fit::drop ? std::string() : elided(text.text, text.size, text.max_width);
}

Box marked_box(Provenance provenance, Paint paint) {
  Box box;
  box.fill = paint;
  box.outline = paint;
  if (provenance == Provenance::simulated) box.hatch = Hatch::light;
  if (provenance == Provenance::datasheet) box.fill = Paint{};
  if (provenance == Provenance::fitted) box.opacity = 0.35;
  return box;
}

LineStyle line_style(Provenance provenance) {
  switch (provenance) {
    case Provenance::measured:
      return LineStyle::solid;
    case Provenance::simulated:
      return LineStyle::hollow;
    case Provenance::fitted:
      return LineStyle::dotted;
    case Provenance::datasheet:
      break;
  }
  return LineStyle::thin;
}

std::string tip_at(const Raster& raster, Point point) {
  if (!(point.x >= raster.x && point.x < raster.x + raster.width && point.y >= raster.y &&
        point.y < raster.y + raster.height)) {
    return {};
  }
  const int row = std::min(raster.rows - 1,
                           static_cast<int>((point.y - raster.y) / raster.height * raster.rows));
  const int column = std::min(
      raster.columns - 1, static_cast<int>((point.x - raster.x) / raster.width * raster.columns));
  const auto cell = static_cast<std::size_t>(row) * static_cast<std::size_t>(raster.columns) +
                    static_cast<std::size_t>(column);
  if (cell >= raster.values.size() || std::isnan(raster.values[cell])) return {};
  const int first = column * raster.column_step;
  const std::string columns = raster.column_step == 1
                                  ? std::to_string(first)
                                  : fmt::format("{}–{}", first, first + raster.column_step - 1);
  return fmt::format("{}, {} {}: {}", raster.tips[static_cast<std::size_t>(row)],
                     raster.column_name, columns,
                     text_in(static_cast<double>(raster.values[cell]), raster.unit));
}

std::string to_text(const DrawList& list) {
  std::string out = fmt::format("{}x{} \"{}\"\n", coordinate(list.width), coordinate(list.height),
                                list.description);
  for (const Item& item : list.items) {
    const std::string line = std::visit(ToText{}, item);
    if (!line.empty()) out += line + "\n";
  }
  return out;
}

DrawList empty_chart(double width, double height, const std::string& reason) {
  constexpr double kSize = 13;
  constexpr double kLineHeight = 18;
  DrawList list{width, height, "Nothing to show: " + reason, {}};
  Box frame;
  frame.x = 0.5;
  frame.y = 0.5;
  frame.width = width - 1;
  frame.height = height - 1;
  frame.fill = Paint::of(Role::panel);
  frame.outline = Paint::of(Role::grid);
  list.items.emplace_back(frame);
  const std::vector<std::string> lines = wrapped(reason, kSize, width - 48);
  double y = (height - kLineHeight * static_cast<double>(lines.size())) / 2 + kSize;
  for (const std::string& line : lines) {
    Text text;
    text.at = {width / 2, y};
    text.text = line;
    text.anchor = Anchor::middle;
    text.size = kSize;
    text.paint = Paint::of(Role::muted);
    list.items.emplace_back(std::move(text));
    y += kLineHeight;
  }
  return list;
}

void append(DrawList& list, const DrawList& part, Point offset) {
  list.items.reserve(list.items.size() + part.items.size());
  for (const Item& item : part.items) {
    list.items.push_back(item);
    std::visit(Move{offset}, list.items.back());
  }
}

}  // namespace k3::visual
