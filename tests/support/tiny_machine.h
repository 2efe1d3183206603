#pragma once

#include "engine/hardware/machine.h"

namespace k3::test {

/// A machine with round numbers: two planes of one 5 GB/s link each, 1 us latency, rates of 0.1, 1
/// and 2 TFLOP/s, 100 GB/s memory.
inline Machine tiny_machine(int num_gpus) {
  Machine machine;
  machine.name = "tiny";
  machine.gpu = {.name = "T1",
                 .bf16 = {1e12},
                 .fp8 = {2e12},
                 .fp32 = {1e11},
                 .memory = {64 << 20},
                 .memory_bandwidth = {1e11}};
  machine.num_gpus = num_gpus;
  machine.plane_links = {1, 1};
  machine.link_bandwidth = {5e9};
  machine.link_latency = Time::from_ns(1000);
  machine.roofline = {.memory_efficiency = 0.8,
                      .compute_efficiency = 0.5,
                      .network_efficiency = 0.5,
                      .kernel_floor = Time::from_ns(2000),
                      .launch = Time::from_ns(5000),
                      .transfer_start = Time::from_ns(10'000)};
  return machine;
}

}  // namespace k3::test
