#include "sim/compute/table.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"

namespace k3::sim {
namespace {

/// Place of a coordinate on an axis: between `cell` and the next point, `share` of the way.
struct Place {
  std::size_t cell = 0;
  double share = 0;   ///< 0 .. 1 in the logarithm
  double beyond = 1;  ///< coordinate / last point where that is above 1
  bool inside = true;
};

Place place_on(const std::vector<double>& points, double at) {
  if (at <= points.front()) return {.inside = at == points.front()};
  if (at >= points.back()) {
    return {.cell = points.size() - 1, .beyond = at / points.back(), .inside = at == points.back()};
  }
  const auto next = std::upper_bound(points.begin(), points.end(), at);
  const double low = *(next - 1);
  return {.cell = static_cast<std::size_t>(next - points.begin()) - 1,
          .share = std::log(at / low) / std::log(*next / low)};
}

/// ln of the value within the block of axes `axis` and later ones that begins at `first`.
double interpolate(const Table& table,
                   std::span<const Place> places,
                   std::size_t axis,
                   std::size_t first) {
  if (axis == table.axes.size()) return std::log(table.values[first]);
  const std::size_t points = table.axes[axis].points.size();
  const std::size_t row = first * points + places[axis].cell;
  const double low = interpolate(table, places, axis + 1, row);
  if (places[axis].share == 0) return low;
  return low + places[axis].share * (interpolate(table, places, axis + 1, row + 1) - low);
}

}  // namespace

TableValue look_up(const Table& table, std::span<const double> point) {
  K3_CHECK(point.size() == table.axes.size(), "{} coordinates for table {} of {} axes",
           point.size(), table.name, table.axes.size());
  std::vector<Place> places;
  places.reserve(point.size());
  TableValue result;
  double beyond = 1;
  for (std::size_t i = 0; i < point.size(); ++i) {
    places.push_back(place_on(table.axes[i].points, point[i]));
    beyond *= places.back().beyond;
    result.inside = result.inside && places.back().inside;
  }
  result.value = std::exp(interpolate(table, places, 0, 0)) * beyond;
  return result;
}

const Table* TableSet::find(std::string_view name) const {
  const auto at = std::ranges::find(tables, name, &Table::name);
  return at == tables.end() ? nullptr : &*at;
}

}  // namespace k3::sim
