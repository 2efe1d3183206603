#include "sim/compute/roofline.h"

#include <algorithm>

#include "sim/core/virtual_time.h"

namespace k3::sim {
namespace {

double quotient(double amount, double rate) {
  return amount > 0 ? amount / rate : 0;
}

}  // namespace

FlopRate matrix_rate(const GpuSpec& gpu, NumberFormat format) {
  switch (format) {
    case NumberFormat::fp8:
    case NumberFormat::mxfp8:
    case NumberFormat::mxfp4:
    case NumberFormat::nvfp4:
      if (gpu.fp8.per_second > 0) return gpu.fp8;
      [[fallthrough]];
    case NumberFormat::bf16:
      if (gpu.bf16.per_second > 0) return gpu.bf16;
      [[fallthrough]];
    case NumberFormat::float32:
      return gpu.fp32;
  }
  return gpu.fp32;
}

Cost roofline_cost(const TaskWork& work, const Machine& machine, const ExecutionSpec& execution) {
  const RooflineConstants& constants = machine.roofline;
  const double compute = quotient(work.flops, matrix_rate(machine.gpu, work.rate).per_second);
  const double memory = quotient(work.bytes(), machine.gpu.memory_bandwidth.bytes_per_second);
  const double busy =
      std::max(compute / constants.compute_efficiency, memory / constants.memory_efficiency);
  Cost cost;
  cost.lower = virtual_time(std::max(compute, memory));
  cost.time = std::max(virtual_time(busy), constants.kernel_floor);
  if (!execution.graph) cost.time = std::max(cost.time, constants.launch);
  return cost;
}

std::string describe(CostSource source, const Machine& machine) {
  switch (source) {
    case CostSource::roofline:
      return "roofline, constants of machine " + machine.name;
  }
  return {};
}

}  // namespace k3::sim
