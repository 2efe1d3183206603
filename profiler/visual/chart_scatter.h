#pragma once

#include <string>
#include <vector>

#include "profiler/visual/draw_list.h"
#include "profiler/visual/numbers.h"

namespace k3::visual {

struct ScatterPoint {
  double x = 0;
  double y = 0;
  Paint paint;
  std::string tip;
};

/// Predicted over measured, both on one logarithmic scale, with the diagonal on which a perfect
/// prediction lies and a band around it. Points that are not positive cannot be drawn on it; the
/// picture says how many.
struct ScatterChart {
  std::string description;
  Quantity quantity = Quantity::time;
  std::string x_title;
  std::string y_title;
  std::vector<ScatterPoint> points;
  double band = 0.2;        ///< ± this share around the diagonal; 0: none
  double fitted_ratio = 0;  ///< dotted line y = ratio · x; 0: none
  double width = 470;
  double height = 400;
};

DrawList draw(const ScatterChart& chart);

}  // namespace k3::visual
