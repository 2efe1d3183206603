#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "profiler/visual/frame_internal.h"
#include "profiler/visual/text_fit.h"

namespace k3::visual {
namespace {

constexpr double kPixelsPerTickY = 24;
constexpr double kPixelsPerTickX = 70;

void add_line(DrawList& list, Point from, Point to, Role role) {
  list.items.emplace_back(Line{{from, to}, Paint::of(role), LineStyle::thin, {}});
}

std::vector<Tick> ticks_of(const ValueAxis& axis, double pixels_per_tick) {
  const double pixels = std::abs(axis.axis.high_pixel - axis.axis.low_pixel);
  const int limit = std::max(2, static_cast<int>(pixels / pixels_per_tick));
  return axis.axis.scale == Scale::log
             ? log_ticks(axis.axis.low, axis.axis.high, limit, axis.unit.scale)
             : linear_ticks(axis.axis.low, axis.axis.high, limit, axis.unit.scale);
}

Text title_text(Point at, std::string title, Anchor anchor) {
  Text text;
  text.at = at;
  text.text = std::move(title);
  text.anchor = anchor;
  text.size = kLabelSize;
  return text;
}

void add_sample(DrawList& list, Point at, const LegendEntry& entry) {
  constexpr double kSample = 14;
  if (entry.sample == LegendEntry::Sample::line) {
    list.items.emplace_back(Line{
        {{at.x, at.y}, {at.x + kSample, at.y}}, entry.paint, line_style(entry.provenance), {}});
    return;
  }
  if (entry.sample == LegendEntry::Sample::marker) {
    Marker marker;
    marker.at = {at.x + kSample / 2, at.y};
    marker.radius = 4.5;
    marker.fill =
        entry.provenance == Provenance::simulated ? Paint::of(Role::background) : entry.paint;
    marker.outline = entry.paint;
    list.items.emplace_back(std::move(marker));
    return;
  }
  Box box = marked_box(entry.provenance, entry.paint);
  if (entry.hatch != Hatch::none) box.hatch = entry.hatch;
  box.x = at.x;
  box.y = at.y - 5;
  box.width = kSample;
  box.height = 10;
  list.items.emplace_back(std::move(box));
}

}  // namespace

std::string axis_title(const std::string& title, const Unit& unit) {
  if (unit.symbol.empty()) return title;
  return title + " (" + std::string(unit.symbol) + ")";
}

Text tick_text(Point at, std::string text, Anchor anchor) {
  Text label = title_text(at, std::move(text), anchor);
  label.size = kTickSize;
  label.paint = Paint::of(Role::muted);
  return label;
}

void add_y_axis(DrawList& list, const PlotArea& area, const ValueAxis& y) {
  for (const Tick& tick : ticks_of(y, kPixelsPerTickY)) {
    const double at = y.axis.at(tick.value);
    add_line(list, {area.left, at}, {area.right, at}, Role::grid);
    if (tick.label.empty()) continue;
    list.items.emplace_back(tick_text({area.left - 6, at + 4}, tick.label, Anchor::end));
  }
  add_line(list, {area.left, area.top}, {area.left, area.bottom}, Role::axis);
  list.items.emplace_back(
      title_text({4, area.top - 9}, axis_title(y.title, y.unit), Anchor::start));
}

void add_x_axis(DrawList& list, const PlotArea& area, const ValueAxis& x) {
  for (const Tick& tick : ticks_of(x, kPixelsPerTickX)) {
    const double at = x.axis.at(tick.value);
    add_line(list, {at, area.top}, {at, area.bottom}, Role::grid);
    if (tick.label.empty()) continue;
    list.items.emplace_back(tick_text({at, area.bottom + 15}, tick.label, Anchor::middle));
  }
  add_line(list, {area.left, area.bottom}, {area.right, area.bottom}, Role::axis);
  list.items.emplace_back(title_text({(area.left + area.right) / 2, area.bottom + 33},
                                     axis_title(x.title, x.unit), Anchor::middle));
}

void add_category_labels(DrawList& list,
                         const PlotArea& area,
                         std::span<const std::string> names,
                         const std::string& title) {
  add_line(list, {area.left, area.bottom}, {area.right, area.bottom}, Role::axis);
  list.items.emplace_back(
      title_text({(area.left + area.right) / 2, area.bottom + 33}, title, Anchor::middle));
  if (names.empty()) return;
  double widest = 0;
  for (const std::string& name : names)
    widest = std::max(widest, text_width(name, kTickSize));
  const double slot = area.width() / static_cast<double>(names.size());
  std::size_t stride = 1;
  for (std::size_t power = 1; slot * static_cast<double>(stride) < widest + 8; power *= 10) {
    for (const std::size_t multiple : {1U, 2U, 5U}) {
      stride = multiple * power;
      if (slot * static_cast<double>(stride) >= widest + 8) break;
    }
    if (stride >= names.size()) break;
  }
  for (std::size_t i = 0; i < names.size(); i += stride) {
    const double x = area.left + slot * (static_cast<double>(i) + 0.5);
    list.items.emplace_back(tick_text({x, area.bottom + 15}, names[i], Anchor::middle));
  }
}

void add_reference(DrawList& list, const PlotArea& area, const Axis& y, const ReferenceLine& line) {
  const double at = y.at(line.value);
  list.items.emplace_back(Line{
      {{area.left, at}, {area.right, at}}, Paint::of(Role::bound), LineStyle::thin, line.label});
}

LegendEntry legend_entry(const ReferenceLine& line) {
  return {line.label, Provenance::datasheet, Paint::of(Role::bound), LegendEntry::Sample::line};
}

double add_legend(DrawList& list,
                  Point top_left,
                  double width,
                  std::span<const LegendEntry> entries) {
  constexpr double kSampleWidth = 20;
  constexpr double kGap = 18;
  double x = top_left.x;
  double y = top_left.y + kLegendRow / 2;
  for (const LegendEntry& entry : entries) {
    const double entry_width = kSampleWidth + text_width(entry.label, kLabelSize);
    if (x > top_left.x && x + entry_width > top_left.x + width) {
      x = top_left.x;
      y += kLegendRow;
    }
    add_sample(list, {x, y}, entry);
    Text label = title_text({x + kSampleWidth, y + 4}, entry.label, Anchor::start);
    label.max_width = width - kSampleWidth;
    label.fit = Fit::elide;
    list.items.emplace_back(std::move(label));
    x += entry_width + kGap;
  }
  return entries.empty() ? 0 : y + kLegendRow / 2 - top_left.y;
}

}  // namespace k3::visual
