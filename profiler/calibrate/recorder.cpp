#include "profiler/calibrate/recorder.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

namespace k3::calibrate {
namespace {

/// Four significant digits: repeats differ in the second.
double rounded(double value) {
  const std::string text = fmt::format("{:.4g}", value);
  double result = value;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

/// Coordinates of point `index`, the last axis fastest.
std::vector<double> coordinates(const std::vector<sim::TableAxis>& axes, std::size_t index) {
  std::vector<double> point(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    point[i] = axes[i].points[index % axes[i].points.size()];
    index /= axes[i].points.size();
  }
  return point;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::size_t num_points(const GridSpec& spec) {
  std::size_t points = 1;
  for (const sim::TableAxis& axis : spec.axes)
    points *= axis.points.size();
  return points;
}

}  // namespace

Result<sim::TableSet> Recorder::run(Progress& progress) const {
  double weight = 0;
  for (const GridSpec& spec : specs_) {
    progress.total += static_cast<std::int64_t>(num_points(spec));
    weight += spec.weight * static_cast<double>(num_points(spec));
  }
  sim::TableSet set;
  for (const GridSpec& spec : specs_) {
    K3_TRY(sim::Table table,
           measure_table(spec, settings_.seconds * spec.weight / weight, progress));
    set.tables.push_back(std::move(table));
  }
  return set;
}

Result<sim::Table> Recorder::measure_table(const GridSpec& spec,
                                           double budget,
                                           Progress& progress) const {
  constexpr double kLeast = 1e-6;  // values are positive: a picosecond where nothing was seen
  const double factor = spec.unit == "us" ? 1e6 : 1;
  sim::Table table{.name = spec.name,
                   .about = spec.about,
                   .unit = spec.unit,
                   .source = settings_.source,
                   .date = settings_.date,
                   .axes = spec.axes,
                   .values = {}};
  std::vector<double> spreads;
  for (std::size_t i = 0; i < num_points(spec); ++i) {
    if (progress.cancelled) return fail(Code::cancelled, "stopped");
    const Sample measured = spec.sample(coordinates(spec.axes, i), budget);
    table.values.push_back(rounded(std::max(measured.seconds * factor, kLeast)));
    spreads.push_back(measured.spread);
    ++progress.done;
  }
  table.spread = rounded(median(std::move(spreads)));
  return table;
}

}  // namespace k3::calibrate
