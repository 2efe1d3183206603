#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "profiler/calibrate/sampler.h"
#include "sim/compute/table.h"

namespace k3::calibrate {

/// Measures one point of a grid (one coordinate per axis) in about `budget` seconds. Tables in
/// "us": a time. Tables in another unit: `Sample::seconds` holds the value in that unit.
using SamplePoint = std::function<Sample(std::span<const double> point, double budget)>;

/// A table to measure.
struct GridSpec {
  std::string name;
  std::string about;
  std::vector<sim::TableAxis> axes = {};
  SamplePoint sample = {};
  std::string unit = "us";
  double weight = 1;  ///< time per point, relative to other tables
};

/// Collects what is to be measured, then measures it: so the number of points is known before, and
/// the time that each may take.
class Recorder {
 public:
  struct Settings {
    double seconds = 0;  ///< for all points together
    std::string source;
    std::string date;
  };

  explicit Recorder(Settings settings) : settings_(std::move(settings)) {}

  void add(GridSpec spec) { specs_.push_back(std::move(spec)); }

  /// Errors: cancelled
  Result<sim::TableSet> run(Progress& progress) const;

 private:
  Result<sim::Table> measure_table(const GridSpec& spec, double budget, Progress& progress) const;

  Settings settings_;
  std::vector<GridSpec> specs_;
};

}  // namespace k3::calibrate
