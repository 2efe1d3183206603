#include "sim/compute/roofline.h"

#include <gtest/gtest.h>

#include "tests/support/tiny_machine.h"

namespace k3::sim {
namespace {

const ExecutionSpec kGraph{.graph = true};
const ExecutionSpec kEager{.graph = false};

TEST(Roofline, ComputeBound) {
  // 1e9 FLOPs at 1 TFLOP/s · 50 % = 2 ms; 1e6 bytes take far less.
  const TaskWork work{.flops = 1e9, .bytes_read = 1e6, .rate = NumberFormat::bf16};
  const Cost cost = roofline_cost(work, test::tiny_machine(1), kGraph);
  EXPECT_EQ(cost.time, 2_ms);
  EXPECT_EQ(cost.lower, 1_ms);
}

TEST(Roofline, MemoryBoundCountsReadsAndWrites) {
  // 8e6 bytes at 100 GB/s · 80 % = 100 us.
  const TaskWork work{.flops = 1e6, .bytes_read = 5e6, .bytes_written = 3e6};
  const Cost cost = roofline_cost(work, test::tiny_machine(1), kGraph);
  EXPECT_EQ(cost.time, 100_us);
  EXPECT_EQ(cost.lower, 80_us);
}

TEST(Roofline, SmallKernelsTakeTheFloorOrTheLaunch) {
  const Machine machine = test::tiny_machine(1);
  EXPECT_EQ(roofline_cost({}, machine, kGraph).time, 2_us);
  EXPECT_EQ(roofline_cost({}, machine, kEager).time, 5_us);
  const TaskWork large{.flops = 1e9};
  EXPECT_EQ(roofline_cost(large, machine, kEager).time, 2_ms);  // launches hide behind it
}

TEST(Roofline, FormatDecidesTheRate) {
  GpuSpec gpu = test::tiny_machine(1).gpu;
  EXPECT_EQ(matrix_rate(gpu, NumberFormat::float32).per_second, 1e11);
  EXPECT_EQ(matrix_rate(gpu, NumberFormat::bf16).per_second, 1e12);
  for (const NumberFormat format :
       {NumberFormat::fp8, NumberFormat::mxfp8, NumberFormat::mxfp4, NumberFormat::nvfp4}) {
    EXPECT_EQ(matrix_rate(gpu, format).per_second, 2e12);
  }
  gpu.fp8 = {};
  EXPECT_EQ(matrix_rate(gpu, NumberFormat::mxfp8).per_second, 1e12);
  gpu.bf16 = {};
  EXPECT_EQ(matrix_rate(gpu, NumberFormat::mxfp8).per_second, 1e11);
}

TEST(Roofline, TimeScalesWithWorkOnceAboveTheFloor) {
  const Machine machine = test::tiny_machine(1);
  TaskWork work{.flops = 1e9, .bytes_read = 1e9};
  const Time one = roofline_cost(work, machine, kGraph).time;
  work.flops *= 3;
  work.bytes_read *= 3;
  EXPECT_EQ(roofline_cost(work, machine, kGraph).time, one * 3);
}

TEST(Roofline, SaysWhereTheFigureComesFrom) {
  const Machine machine = test::tiny_machine(1);
  EXPECT_EQ(describe(roofline_cost({}, machine, kGraph).source, machine),
            "roofline, constants of machine tiny");
}

}  // namespace
}  // namespace k3::sim
