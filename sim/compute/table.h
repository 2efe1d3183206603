#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace k3::sim {

/// One axis of a table: what is varied and at which points, ascending and positive.
struct TableAxis {
  std::string name;
  std::vector<double> points;
};

/// A measured quantity over a grid of points. No axes: a single value. Values are positive, laid
/// out with the last axis fastest.
struct Table {
  std::string name;
  std::string about;   ///< a line for people
  std::string unit;    ///< "us", "GB/s" or "1"
  std::string source;  ///< where the values come from
  std::string date;    ///< "YYYY-MM-DD"
  double spread = 0;   ///< of repeated measurements of one point, as a share of the value
  std::vector<TableAxis> axes;
  std::vector<double> values;
};

struct TableValue {
  double value = 0;
  bool inside = true;  ///< whether the point lies within the measured range
};

/// Value at a point, one coordinate per axis.
///
/// Inside the grid: linear in the logarithms of coordinates and value, axis by axis, so that power
/// laws are met exactly and monotone values stay monotone. Beyond the last point of an axis the
/// value grows in proportion to the coordinate: the rate reached at the edge is kept, which is a
/// roofline with the efficiency measured there. Before the first point the value of that point is
/// kept: below it the fixed part of a cost rules.
TableValue look_up(const Table& table, std::span<const double> point);

/// The tables of one calibration, names distinct.
struct TableSet {
  std::vector<Table> tables;

  /// Null if there is none of that name.
  const Table* find(std::string_view name) const;
};

}  // namespace k3::sim
