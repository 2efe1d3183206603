#pragma once

#include <string>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "sim/calibration/calibration.h"

namespace k3::calibrate {

struct LocalRequest {
  std::string backend = "auto";
  double seconds = 12;  ///< to spend on the measurements, roughly; few give noisy tables
};

/// Measures this host by micro-benchmarks: single operators of the backend, memory, threads and
/// their communicator. Never runs a step of a model. `progress` counts points of the tables.
/// Errors: no backend of that name, one that does not compute in host memory; cancelled
Result<sim::Calibration> calibrate_local(const LocalRequest& request, Progress& progress);

}  // namespace k3::calibrate
