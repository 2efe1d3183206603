#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/visual/axis.h"
#include "profiler/visual/chart_bars.h"
#include "profiler/visual/draw_list.h"
#include "profiler/visual/numbers.h"

namespace k3::visual {

struct Curve {
  std::string name;
  Provenance provenance = Provenance::measured;
  Paint paint;
  std::vector<Point> points;  ///< x ascending
  std::string tip;
};

/// What lies between two curves, translucent; the name says what the band means ("5–95 % of
/// layers").
struct Band {
  std::string name;
  Paint paint;
  std::vector<Point> low;
  std::vector<Point> high;
};

/// Curves and bands over a linear x axis that begins at `first_x`; y begins at zero unless it is
/// logarithmic.
struct CurveChart {
  std::string description;
  std::string x_title;
  Quantity x_quantity = Quantity::count;
  std::string y_title;
  Quantity y_quantity = Quantity::ratio;
  Scale y_scale = Scale::linear;
  double first_x = 0;
  std::vector<Band> bands;
  std::vector<Curve> curves;
  std::optional<ReferenceLine> reference;
  double width = 960;
  double height = 260;
};

DrawList draw(const CurveChart& chart);

}  // namespace k3::visual
