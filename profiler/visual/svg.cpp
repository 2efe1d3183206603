#include "profiler/visual/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>

namespace k3::visual {
namespace {

/// Steps of a colour map as variables; 64 cannot be told from a continuous map.
constexpr int kLevels = 64;

int level_index(float level) {
  return static_cast<int>(
      std::lround(static_cast<double>(std::clamp(level, 0.0F, 1.0F)) * (kLevels - 1)));
}

/// Differences have an own variable for exactly zero.
std::string difference_variable(float level) {
  if (level == 0) return "--k3-d0";
  const int index = 1 + level_index(std::abs(level)) / 2;
  return fmt::format("--k3-d{}{}", level < 0 ? "m" : "p", index);
}

std::string variable(const Paint& paint) {
  switch (paint.source) {
    case Paint::Source::role:
      return fmt::format("--k3-{}", name_of(paint.role));
    case Paint::Source::kind:
      return fmt::format("--k3-kind-{}", k3::name_of(paint.kind));
    case Paint::Source::sequential:
      return fmt::format("--k3-s{}", level_index(paint.level));
    case Paint::Source::diverging:
      return difference_variable(paint.level);
    case Paint::Source::fixed:
    case Paint::Source::none:
      break;
  }
  return {};
}

std::string variables_of(Theme theme) {
  std::string css;
  const auto add = [&css](const std::string& name, Color color) {
    css += fmt::format("{}:{};", name, hex(color));
  };
  for (int i = 0; i < kNumRoles; ++i) {
    const auto role = static_cast<Role>(i);
    add(variable(Paint::of(role)), color_of(role, theme));
  }
  for (int i = 0; i < kLevels; ++i) {
    const double level = static_cast<double>(i) / (kLevels - 1);
    add(variable(Paint::amount(level)), sequential(level, theme));
  }
  add("--k3-d0", diverging(0, theme));
  for (int i = 0; i < kLevels; i += 2) {
    // The middle of the two levels that share this variable.
    const double level = (i + 0.5) / (kLevels - 1);
    add(difference_variable(static_cast<float>(level)), diverging(level, theme));
    add(difference_variable(static_cast<float>(-level)), diverging(-level, theme));
  }
  return css;
}

/// Two decimals at most, no trailing zeros.
std::string num(double v) {
  if (!std::isfinite(v)) return "0";
  const double rounded = std::round(v * 100) / 100;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string points_text(const std::vector<Point>& points) {
  std::string out;
  for (const Point& p : points) {
    if (!out.empty()) out += ' ';
    out += num(p.x) + "," + num(p.y);
  }
  return out;
}

bool is_cell(const Box& box) {
  const bool on_map =
      box.fill.source == Paint::Source::sequential || box.fill.source == Paint::Source::diverging;
  return on_map && box.hatch == Hatch::none && !box.outline.visible();
}

struct HatchUse {
  Hatch hatch;
  Paint paint;

  friend bool operator==(const HatchUse&, const HatchUse&) = default;
};

class SvgWriter {
 public:
  SvgWriter(const DrawList& list, const SvgOptions& options) : list_(list), options_(options) {}

  std::string write() {
    open();
    write_patterns();
    bool crisp = false;
    for (const Item& item : list_.items) {
      // Without it, hairlines of the background shine through between the cells of a heat map.
      const Box* box = std::get_if<Box>(&item);
      if ((box != nullptr && is_cell(*box)) != crisp) {
        crisp = !crisp;
        out_ += crisp ? "<g shape-rendering=\"crispEdges\">\n" : "</g>\n";
      }
      std::visit(*this, item);
    }
    if (crisp) out_ += "</g>\n";
    return std::move(out_) + "</svg>\n";
  }

  void operator()(const Box& box) {
    if (is_cell(box)) {
      cell(box);
      return;
    }
    out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", num(box.x),
                        num(box.y), num(std::max(0.0, box.width)), num(std::max(0.0, box.height)));
    if (!box.fill.visible()) {
      out_ += " fill=\"none\"";
    } else if (box.hatch == Hatch::none) {
      attribute("fill", box.fill);
    } else {
      out_ += fmt::format(" fill=\"url(#{})\"", pattern_id({box.hatch, box.fill}));
    }
    if (box.opacity != 1) out_ += fmt::format(" fill-opacity=\"{}\"", num(box.opacity));
    attribute("stroke", box.outline);
    close("rect", box.tip);
  }

  void operator()(const Line& line) {
    if (line.points.size() < 2) return;
    constexpr double kBroad = 4.5;
    constexpr double kNormal = 2.2;
    constexpr double kThin = 1;
    const bool hollow = line.style == LineStyle::hollow;
    const double width = hollow ? kBroad : line.style == LineStyle::thin ? kThin : kNormal;
    stroke(line, line.stroke, width, hollow ? std::string() : line.tip);
    if (hollow) stroke(line, Paint::of(Role::background), kNormal, line.tip);
  }

  void operator()(const Polygon& polygon) {
    out_ += fmt::format("<polygon points=\"{}\"", points_text(polygon.points));
    attribute("fill", polygon.fill);
    if (polygon.opacity != 1) out_ += fmt::format(" fill-opacity=\"{}\"", num(polygon.opacity));
    close("polygon", polygon.tip);
  }

  void operator()(const Marker& marker) {
    out_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"", num(marker.at.x), num(marker.at.y),
                        num(marker.radius));
    attribute("fill", marker.fill);
    attribute("stroke", marker.outline);
    close("circle", marker.tip);
  }

  void operator()(const Text& text) {
    const std::string painted = painted_text(text);
    if (painted.empty()) return;
    constexpr std::array<std::string_view, 3> kAnchors{"", " text-anchor=\"middle\"",
                                                       " text-anchor=\"end\""};
    out_ +=
        fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{}", num(text.at.x), num(text.at.y),
                    num(text.size), kAnchors[static_cast<std::size_t>(text.anchor)]);
    attribute("fill", text.paint);
    if (text.weight == Weight::bold) out_ += " font-weight=\"600\"";
    if (text.turn == Turn::left) {
      out_ += fmt::format(" transform=\"rotate(-90 {} {})\"", num(text.at.x), num(text.at.y));
    }
    if (text.halo.visible()) {
      attribute("stroke", text.halo);
      out_ += " stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"";
    }
    out_ += ">" + escaped(painted);
    const std::string& tip = text.tip.empty() && painted != text.text ? text.text : text.tip;
    if (!tip.empty()) out_ += "<title>" + escaped(tip) + "</title>";
    out_ += "</text>\n";
  }

  /// One path per colour.
  void operator()(const Raster& raster) {
    const double width = raster.width / raster.columns;
    const double height = raster.height / raster.rows;
    std::map<std::string, std::string> paths;
    std::size_t cell = 0;
    for (int row = 0; row < raster.rows; ++row) {
      for (int column = 0; column < raster.columns; ++column, ++cell) {
        const double level = static_cast<double>(raster.levels[cell]);
        if (std::isnan(level)) continue;
        paths[color(raster.map == Raster::Map::amount ? Paint::amount(level)
                                                      : Paint::difference(level))] +=
            fmt::format("M{} {}h{}v{}h-{}z", num(raster.x + column * width),
                        num(raster.y + row * height), num(width), num(height), num(width));
      }
    }
    out_ += "<g shape-rendering=\"crispEdges\">\n";
    for (const auto& [fill, path] : paths)
      out_ += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", fill, path);
    out_ += "</g>\n";
  }

 private:
  void open() {
    const bool inside_page = options_.colors == SvgColors::variables;
    out_ = fmt::format(
        "<svg{0} viewBox=\"0 0 {1} {2}\" width=\"{1}\" height=\"{2}\" role=\"img\" "
        "aria-label=\"{3}\" font-family=\"{4}\">\n",
        inside_page ? "" : " xmlns=\"http://www.w3.org/2000/svg\"", num(list_.width),
        num(list_.height), escaped(list_.description),
        "system-ui, Segoe UI, Roboto, Helvetica, Arial, DejaVu Sans, sans-serif");
    if (inside_page) return;
    out_ += "<rect width=\"100%\" height=\"100%\"";
    attribute("fill", Paint::of(Role::background));
    out_ += "/>\n";
  }

  std::string color(const Paint& paint) const {
    if (options_.colors == SvgColors::variables) {
      const std::string name = variable(paint);
      return name.empty() ? hex(paint.fixed) : "var(" + name + ")";
    }
    return hex(resolve(paint, options_.colors == SvgColors::light ? Theme::light : Theme::dark));
  }

  void attribute(std::string_view name, const Paint& paint) {
    if (paint.visible()) out_ += fmt::format(" {}=\"{}\"", name, color(paint));
  }

  void close(std::string_view element, const std::string& tip) {
    if (tip.empty()) {
      out_ += "/>\n";
    } else {
      out_ += fmt::format("><title>{}</title></{}>\n", escaped(tip), element);
    }
  }

  /// The shortest element for the thousands of cells of a matrix.
  void cell(const Box& box) {
    out_ += fmt::format("<path d=\"M{} {}h{}v{}h-{}z\"", num(box.x), num(box.y), num(box.width),
                        num(box.height), num(box.width));
    attribute("fill", box.fill);
    close("path", box.tip);
  }

  void stroke(const Line& line, const Paint& paint, double width, const std::string& tip) {
    out_ += fmt::format("<polyline points=\"{}\" fill=\"none\"", points_text(line.points));
    attribute("stroke", paint);
    if (width != 1) out_ += fmt::format(" stroke-width=\"{}\"", num(width));
    if (line.style == LineStyle::dotted) {
      out_ += " stroke-dasharray=\"0.1 4.4\" stroke-linecap=\"round\"";
    }
    close("polyline", tip);
  }

  std::string pattern_id(const HatchUse& use) const {
    const auto at = std::find(patterns_.begin(), patterns_.end(), use);
    return fmt::format("{}-h{}", options_.id, std::distance(patterns_.begin(), at));
  }

  void write_patterns() {
    for (const Item& item : list_.items) {
      const Box* box = std::get_if<Box>(&item);
      if (box == nullptr || box->hatch == Hatch::none || !box->fill.visible()) continue;
      const HatchUse use{box->hatch, box->fill};
      if (std::find(patterns_.begin(), patterns_.end(), use) == patterns_.end()) {
        patterns_.push_back(use);
      }
    }
    if (patterns_.empty()) return;
    out_ += "<defs>\n";
    for (const HatchUse& use : patterns_) {
      const bool dense = use.hatch == Hatch::dense;
      out_ += fmt::format(
          "<pattern id=\"{}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate({})\"><rect width=\"5\" height=\"5\"",
          pattern_id(use), dense ? -45 : 45);
      attribute("fill", use.paint);
      out_ += fmt::format(" fill-opacity=\"{}\"/><rect width=\"{}\" height=\"5\"",
                          dense ? "0.25" : "0.12", dense ? "2" : "1.2");
      attribute("fill", use.paint);
      out_ += fmt::format(" fill-opacity=\"{}\"/></pattern>\n", dense ? "0.9" : "0.65");
    }
    out_ += "</defs>\n";
  }

  const DrawList& list_;
  const SvgOptions& options_;
  std::string out_;
  std::vector<HatchUse> patterns_;
};

/// Bytes of the UTF-8 character at the begin of `text`; 0: none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80U                    ? 1
                             : lead >= 0xc2U && lead < 0xe0U ? 2
                             : lead >= 0xe0U && lead < 0xf0U ? 3
                             : lead >= 0xf0U && lead < 0xf5U ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  }
  if (length < 3) return length;
  const unsigned second = byte(1);
  const bool overlong = (lead == 0xe0U && second < 0xa0U) || (lead == 0xf0U && second < 0x90U);
  const bool surrogate = lead == 0xedU && second > 0x9fU;
  const bool too_large = lead == 0xf4U && second > 0x8fU;
  const bool not_a_character =  // U+FFFE and U+FFFF may not stand in XML
      lead == 0xefU && second == 0xbfU && byte(2) >= 0xbeU;
  return overlong || surrogate || too_large || not_a_character ? 0 : length;
}

}  // namespace

std::string to_svg(const DrawList& list, const SvgOptions& options) {
  return SvgWriter(list, options).write();
}

std::string svg_style() {
  std::string kinds;
  for (int i = 0; i < kNumTaskKinds; ++i) {
    const auto kind = static_cast<TaskKind>(i);
    kinds += fmt::format("{}:{};", variable(Paint::of(kind)), hex(color_of(kind)));
  }
  return ":root{" + kinds + variables_of(Theme::light) +
         "}\n@media screen and (prefers-color-scheme:dark){:root{" + variables_of(Theme::dark) +
         "}}\n";
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_bytes(text);
    const char c = text.front();
    const bool control = static_cast<unsigned char>(c) < 0x20U && c != '\t' && c != '\n';
    if (length == 0 || control || c == '\x7f') {
      out += "\ufffd";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace k3::visual
