#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/visual/draw_list.h"
#include "profiler/visual/numbers.h"

namespace k3::visual {

enum class HeatScale : std::uint8_t {
  linear,      ///< 0 … high
  log,         ///< low … high; what is not positive stays blank
  difference,  ///< −high … high, neutral at exactly 0
};

/// How cells smaller than a pixel are put together: the maximum of loads, the sum of amounts.
enum class Aggregate : std::uint8_t { maximum, sum };

/// A matrix as colours: rows from top to bottom, columns from left to right. The caller chooses the
/// range, so that matrices to be compared share it. Sums need a scale of sums: with
/// Aggregate::sum a merged matrix takes its own range, and says so.
struct HeatMap {
  std::string description;
  std::string title;
  int rows = 0;
  int columns = 0;
  std::vector<double> values;  ///< row-major
  std::string row_title;
  std::string column_title;
  Quantity quantity = Quantity::bytes;
  HeatScale scale = HeatScale::linear;
  double low = 0;  ///< of a log scale
  double high = 1;
  Aggregate aggregate = Aggregate::maximum;
  double width = 320;  ///< the height follows: cells are square
};

DrawList draw(const HeatMap& map);

/// The largest finite |value|; 0 if there is none: what matrices on one scale pass as `high`.
double largest_magnitude(const std::vector<double>& values);

}  // namespace k3::visual
