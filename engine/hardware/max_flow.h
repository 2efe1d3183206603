#pragma once

#include "engine/base/units.h"
#include "engine/hardware/topology.h"

namespace k3 {

/// What flows at most from one GPU to another at once, over all ways that pass no third GPU.
/// Units: B/s, to 1 B/s
Bandwidth max_flow(const Topology& topology, int from, int to);

/// What flows at most from the GPUs that are left in the first half of the machine to those in the
/// second (of an odd number the second has one more), one direction. 0 where a half has none left.
Bandwidth bisection_bandwidth(const Topology& topology);

}  // namespace k3
