#pragma once

#include <cstdint>
#include <string>

#include "engine/base/units.h"
#include "engine/hardware/machine.h"
#include "engine/plan/work.h"

namespace k3::sim {

/// Which model a cost comes from.
enum class CostSource : std::uint8_t { roofline };

/// Time of one compute task and where the figure comes from.
struct Cost {
  Time time;
  Time lower;  ///< at datasheet peaks, without floor or launch: no kernel is faster
  CostSource source = CostSource::roofline;
};

/// Matrix rate of a format: the GPU multiplies float32, bf16 and 8-bit operands, so that 4-bit
/// weights with 8-bit activations (and every other narrow format) run at the fp8 rate. A format for
/// which the machine states no rate runs at the next wider one.
FlopRate matrix_rate(const GpuSpec& gpu, NumberFormat format);

/// Roofline of one kernel:
///
///   time  = max( F / (R · ε), D / (B · μ), floor )             kernels replayed from a graph
///   time  = max( F / (R · ε), D / (B · μ), floor, launch )     without a graph: the host cannot
///                                                              start kernels faster than that
///   lower = max( F / R, D / B )
///
/// F FLOPs, D bytes read and written, R the matrix rate of the task's format, B the memory
/// bandwidth; ε compute efficiency, μ memory efficiency, floor and launch are the machine's
/// constants. A task without work still is a kernel of the step.
Cost roofline_cost(const TaskWork& work, const Machine& machine, const ExecutionSpec& execution);

/// "roofline, constants of machine gb300-nvl72".
std::string describe(CostSource source, const Machine& machine);

}  // namespace k3::sim
