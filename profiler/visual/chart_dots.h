#pragma once

#include <string>
#include <vector>

#include "profiler/visual/chart_bars.h"
#include "profiler/visual/draw_list.h"
#include "profiler/visual/numbers.h"

namespace k3::visual {

/// One value with its spread: a dot on a thin line from `low` to `high`.
struct DotRow {
  std::string label;
  Paint paint;
  double value = 0;
  double low = 0;
  double high = 0;
  std::string tip;
};

/// Ratios on one logarithmic axis, a row each, beside the value a perfect match has: twice and half
/// are equally far from it.
struct DotChart {
  std::string description;
  Quantity quantity = Quantity::ratio;
  std::string value_title;
  std::vector<DotRow> rows;
  ReferenceLine reference{1, "equal"};
  double width = 470;
  double row_height = 24;
};

DrawList draw(const DotChart& chart);

}  // namespace k3::visual
