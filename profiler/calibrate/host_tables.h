#pragma once

#include "engine/device/backend.h"
#include "profiler/calibrate/recorder.h"

namespace k3::calibrate {

/// Adds what one and all cores do to each other and to memory: read and copy bandwidth, extra time
/// of weights that come from memory, slowdown of a product beside busy cores, and the cost of
/// walking an empty task. `cache_bytes`: last level. `backend` outlives the measurement.
void add_core_tables(Backend& backend, int cores, double cache_bytes, Recorder& recorder);

/// Adds ranks as threads, up to twice as many as cores and at least 16: starting them, and the
/// calls of a thread communicator by bytes.
void add_transport_tables(Backend& backend, int cores, Recorder& recorder);

}  // namespace k3::calibrate
