#pragma once

#include "engine/base/result.h"
#include "engine/device/backend.h"
#include "profiler/calibrate/recorder.h"

namespace k3::calibrate {

/// Adds every operator of sim/compute/operator_calls.h on one core, weights and activations in
/// the caches. `backend` outlives the measurement. Shapes reach from Mini K3 to K3's heads; grids
/// are walked, nothing is fitted. Errors: the backend makes no stream
Result<void> add_operator_tables(Backend& backend, Recorder& recorder);

}  // namespace k3::calibrate
