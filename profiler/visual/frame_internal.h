#pragma once

#include <span>
#include <string>
#include <vector>

#include "profiler/visual/axis.h"
#include "profiler/visual/chart_bars.h"
#include "profiler/visual/draw_list.h"
#include "profiler/visual/numbers.h"

namespace k3::visual {

// What all charts have in common: sizes, axes, legends.

inline constexpr double kLabelSize = 12;
inline constexpr double kTickSize = 11;
inline constexpr double kLegendRow = 20;

/// The rectangle in which values are drawn.
struct PlotArea {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  double width() const { return right - left; }

  double height() const { return bottom - top; }
};

struct ValueAxis {
  Axis axis;
  Unit unit;
  std::string title;
};

/// "time per layer (µs)"; without a unit the title alone.
std::string axis_title(const std::string& title, const Unit& unit);

/// A label of tick size in the muted colour.
Text tick_text(Point at, std::string text, Anchor anchor);

/// Grid lines, tick labels left of the area, and the title over its upper left corner: nothing has
/// to be read sideways.
void add_y_axis(DrawList& list, const PlotArea& area, const ValueAxis& y);

/// Grid lines, tick labels under the area and the title under them.
void add_x_axis(DrawList& list, const PlotArea& area, const ValueAxis& x);

/// Names under `slots` equal parts of the area; every second, fifth, tenth … where they would
/// touch.
void add_category_labels(DrawList& list,
                         const PlotArea& area,
                         std::span<const std::string> names,
                         const std::string& title);

/// A thin line across the area; the legend carries its label.
void add_reference(DrawList& list, const PlotArea& area, const Axis& y, const ReferenceLine& line);

struct LegendEntry {
  std::string label;
  Provenance provenance = Provenance::measured;
  Paint paint;
  enum class Sample { box, line, marker } sample = Sample::box;
  Hatch hatch = Hatch::none;  ///< instead of what the provenance says, if not none
};

/// What a reference line is called in the legend.
LegendEntry legend_entry(const ReferenceLine& line);

/// Samples and labels from left to right in rows of kLegendRow; returns their height.
double add_legend(DrawList& list,
                  Point top_left,
                  double width,
                  std::span<const LegendEntry> entries);

}  // namespace k3::visual
