#pragma once

#include "engine/base/result.h"
#include "engine/hardware/machine.h"
#include "sim/calibration/calibration.h"

namespace k3::sim {

/// The calibrated host as a machine of `ranks` GPUs, one thread rank each: rates of one core,
/// memory bandwidth of one core, the host's memory shared out equally, and the copy from rank to
/// rank as the link. For commands that look at machines and networks; the simulator of a step uses
/// the tables themselves.
/// Errors: a calibration of another machine, a missing table
Result<Machine> local_machine(const Calibration& calibration, int ranks);

}  // namespace k3::sim
