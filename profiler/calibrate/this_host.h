#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/device/backend.h"
#include "sim/calibration/calibration.h"

namespace k3::calibrate {

/// The computer this runs on, its CPU named as the backend names it.
sim::HostDescription describe_host(const Backend& backend);

/// What a calibration of this computer says before anything is measured: no tables yet.
/// Errors: no backend of that name, one that does not compute in host memory
Result<sim::Calibration> describe_local(const std::string& backend);

/// "YYYY-MM-DD", UTC.
std::string today();

}  // namespace k3::calibrate
