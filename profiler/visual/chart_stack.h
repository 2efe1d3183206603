#pragma once

#include <string>
#include <vector>

#include "profiler/visual/draw_list.h"
#include "profiler/visual/numbers.h"

namespace k3::visual {

struct StackPart {
  std::string name;
  double value = 0;
  Paint paint;
  Hatch hatch = Hatch::none;  ///< dense: waiting, whatever the row's provenance
};

struct StackRow {
  std::string label;
  Provenance provenance = Provenance::measured;
  std::vector<StackPart> parts;
};

/// One bar per row, its parts end to end on one scale: where does the step go? Parts are named
/// inside where the name fits; the legend names them all.
struct StackedBars {
  std::string description;
  Quantity quantity = Quantity::time;
  std::string value_title;
  std::vector<StackRow> rows;
  double width = 960;
  double row_height = 46;
};

DrawList draw(const StackedBars& chart);

}  // namespace k3::visual
