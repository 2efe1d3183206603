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
/// range, so that matrices to be compared share it. Cells smaller than a pixel are merged, and the
/// legend says so. Sums need a scale of sums: with Aggregate::sum a merged matrix takes its own
/// range.
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
  double width = 320;
  double height = 0;  ///< of the cells; 0: cells are square and the height follows
  int first_row = 0;  ///< what row 0 is called
  int group = 0;      ///< a line after every so many rows and columns: trays; 0: none
  /// Of the whole matrix beside it as bars on one scale, if not empty.
  std::vector<double> row_sums;
  std::vector<double> column_sums;
  double largest_sum = 0;         ///< end of that scale; 0: no room is kept for bars
  std::vector<std::string> tips;  ///< per cell, instead of "row → column: value"
};

DrawList draw(const HeatMap& map);

/// The largest finite |value|; 0 if there is none: what matrices on one scale pass as `high`.
double largest_magnitude(const std::vector<double>& values);

}  // namespace k3::visual
