#include "engine/hardware/max_flow.h"

#include <gtest/gtest.h>

#include "tests/unit/engine_hardware/two_racks.h"

namespace k3 {
namespace {

using test::broken;
using test::two_racks;

double flow(const Topology& topology, int from, int to) {
  return max_flow(topology, from, to).bytes_per_second;
}

TEST(MaxFlow, AddsUpThePlanesBetweenTwoGpus) {
  const Topology topology = build_topology(
      broken(test::tiny_machine(3), {"gpu0:plane0=0.5", "gpu1:plane1=0", "gpu2:plane1=0.25"}));
  EXPECT_EQ(flow(topology, 0, 1), 2.5e9);           // plane 0, half left at gpu 0
  EXPECT_EQ(flow(topology, 0, 2), 2.5e9 + 1.25e9);  // both planes
  EXPECT_EQ(flow(topology, 2, 0), 2.5e9 + 1.25e9);
}

TEST(MaxFlow, DoesNotRelayThroughAGpu) {
  const Topology topology =
      build_topology(broken(test::tiny_machine(3), {"gpu0:plane1=0", "gpu1:plane0=0"}));
  EXPECT_EQ(flow(topology, 0, 1), 0);
}

TEST(MaxFlow, UsesPlanesAndNicInsideARackAndTheNicBetweenRacks) {
  const Topology topology = build_topology(two_racks());
  EXPECT_EQ(flow(topology, 0, 2), 2 * 5e9 + 1e9);
  EXPECT_EQ(flow(topology, 0, 4), 1e9);
}

TEST(MaxFlow, FitsAnyBandwidthIntoItsUnits) {
  Machine machine = test::tiny_machine(2);
  machine.link_bandwidth = {1e18};
  machine.plane_links = {1000, 1000};
  EXPECT_DOUBLE_EQ(flow(build_topology(machine), 0, 1), 2e21);
}

TEST(Bisection, IsHalfOfTheGpusTimesTheirBandwidth) {
  // 4 GPUs of 10 GB/s; of 5, the smaller half is 2.
  EXPECT_EQ(bisection_bandwidth(build_topology(test::tiny_machine(8))).bytes_per_second, 40e9);
  EXPECT_EQ(bisection_bandwidth(build_topology(test::tiny_machine(5))).bytes_per_second, 20e9);
  EXPECT_EQ(bisection_bandwidth(build_topology(test::tiny_machine(1))).bytes_per_second, 0);
}

TEST(Bisection, CountsTheGpusThatAreLeft) {
  const Topology topology =
      build_topology(broken(test::tiny_machine(8), {"gpu0=gone", "gpu7=gone", "plane1=0.5"}));
  EXPECT_EQ(bisection_bandwidth(topology).bytes_per_second, 3 * (5e9 + 2.5e9));
}

TEST(Bisection, IsBoundBySpinesBetweenRacks) {
  // Rack 0 is behind two leaves with 3 × 2 × 0.4 GB/s up each: 4.8 GB/s, its four NICs have 4 GB/s.
  EXPECT_EQ(bisection_bandwidth(build_topology(two_racks())).bytes_per_second, 4e9);
  const Topology topology = build_topology(broken(two_racks(), {"spine0=0", "spine1=0.5"}));
  EXPECT_EQ(bisection_bandwidth(topology).bytes_per_second, 2 * (0.4e9 + 0.8e9));
}

}  // namespace
}  // namespace k3
