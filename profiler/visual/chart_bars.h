#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "profiler/visual/draw_list.h"
#include "profiler/visual/numbers.h"

namespace k3::visual {

struct BarValue {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN: no bar here
  Paint paint;
  std::string tip;
  double low = std::numeric_limits<double>::quiet_NaN();  ///< spread around the value, if known
  double high = std::numeric_limits<double>::quiet_NaN();
};

struct BarSeries {
  std::string name;
  Provenance provenance = Provenance::measured;
  std::vector<BarValue> bars;  ///< one per category
};

/// A value every mark may be compared with: a thin line across, named in the legend.
struct ReferenceLine {
  double value = 0;
  std::string label;
};

/// One entry of a legend that explains colours, not series.
struct ColorMeaning {
  std::string label;
  Paint paint;
};

/// Bars side by side per category, from a common zero: measured beside simulated. Where a category
/// gets less than three pixels per series, neighbours are merged by maximum, and the picture says
/// so.
struct GroupedBars {
  std::string description;
  std::vector<std::string> categories;
  std::string category_title;
  Quantity quantity = Quantity::time;
  std::string value_title;
  std::vector<BarSeries> series;
  std::vector<ColorMeaning> colors;
  std::optional<ReferenceLine> reference;
  std::string band;           ///< what low and high of bars mean: "5–95 % of ranks and steps"
  double shared_largest = 0;  ///< upper end of the scale shared with other panels; 0: own values
  double width = 960;
  double height = 230;
};

/// Names the categories 0, 1, … as far as the longest series goes, and gives the others as many
/// bars.
void number_categories(GroupedBars& chart);

DrawList draw(const GroupedBars& chart);

}  // namespace k3::visual
