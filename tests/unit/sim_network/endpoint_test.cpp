#include "sim/network/endpoint.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/broken_machine.h"
#include "tests/support/tiny_machine.h"

namespace k3::sim {
namespace {

TEST(ByteMatrix, RowsTimesRowBytes) {
  TrafficMatrix traffic(2);
  traffic.rows = {1, 2, 0, 4};
  const ByteMatrix matrix = byte_matrix(traffic, 3696);
  EXPECT_EQ(matrix.bytes, (std::vector<std::uint64_t>{3696, 7392, 0, 14784}));
  EXPECT_EQ(matrix.at(0, 1), 7392U);
  EXPECT_EQ(num_flows(matrix), 1);  // the diagonal is no flow
}

TEST(ByteMatrix, LargeCellsDoNotOverflow) {
  TrafficMatrix traffic(1);
  traffic.rows = {4'000'000'000U};
  EXPECT_EQ(byte_matrix(traffic, 14'336).bytes[0], 57'344'000'000'000U);
}

TEST(Endpoint, LoadsSeparateLocalFromLinks) {
  const ByteMatrix matrix{3,
                          {100, 1, 2,  //
                           4, 200, 8,  //
                           16, 32, 0}};
  const std::vector<EndpointLoad> loads = endpoint_loads(matrix);
  EXPECT_EQ(loads[0].sent, 3U);
  EXPECT_EQ(loads[0].received, 20U);
  EXPECT_EQ(loads[0].local, 100U);
  EXPECT_EQ(loads[1].sent, 12U);
  EXPECT_EQ(loads[1].received, 33U);
  EXPECT_EQ(loads[2].sent, 48U);
  EXPECT_EQ(loads[2].received, 10U);
  EXPECT_EQ(loads[2].local, 0U);
}

TEST(Endpoint, TimeIsTheBusiestDirectionOverAllPlanes) {
  // Start-up 10 us, latency 1 us, two planes of 5 GB/s at 50 %: 5 GB/s in all.
  const Machine machine = test::tiny_machine(2);
  const ByteMatrix matrix{2, {0, 50'000, 100'000, 0}};
  const std::vector<double> seconds = endpoint_seconds(matrix, machine);
  EXPECT_DOUBLE_EQ(seconds[0], 10e-6 + 1e-6 + 100'000 / 5e9);  // receives more than it sends
  EXPECT_DOUBLE_EQ(seconds[1], 10e-6 + 1e-6 + 100'000 / 5e9);
  EXPECT_DOUBLE_EQ(endpoint_bound_seconds(matrix, machine), 100'000 / 10e9);
}

TEST(Endpoint, SilentRankStillTakesPart) {
  const ByteMatrix matrix{3, {0, 5000, 0, 0, 0, 0, 0, 0, 0}};
  const std::vector<double> seconds = endpoint_seconds(matrix, test::tiny_machine(3));
  EXPECT_DOUBLE_EQ(seconds[0], 12e-6);
  EXPECT_DOUBLE_EQ(seconds[1], 12e-6);
  EXPECT_DOUBLE_EQ(seconds[2], 10e-6);
}

TEST(Endpoint, OneRankCopiesInItsMemory) {
  // Read and written at 80 GB/s; no link bytes, no latency, even without links.
  Machine machine = test::tiny_machine(1);
  machine.plane_links = {};
  const ByteMatrix matrix{1, {1'000'000}};
  EXPECT_DOUBLE_EQ(endpoint_seconds(matrix, machine)[0], 10e-6 + 2e6 / 80e9);
  EXPECT_EQ(endpoint_bound_seconds(matrix, machine), 0);
}

TEST(Endpoint, PermutingRanksPermutesTimes) {
  const ByteMatrix matrix{3, {7, 1000, 20'000, 40'000, 9, 8000, 100, 320'000, 0}};
  const int order[3] = {2, 0, 1};
  ByteMatrix permuted{3, std::vector<std::uint64_t>(9)};
  for (int s = 0; s < 3; ++s) {
    for (int d = 0; d < 3; ++d) {
      permuted.bytes[static_cast<std::size_t>(3 * order[s] + order[d])] = matrix.at(s, d);
    }
  }
  const Machine machine = test::tiny_machine(3);
  const std::vector<double> before = endpoint_seconds(matrix, machine);
  const std::vector<double> after = endpoint_seconds(permuted, machine);
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(after[static_cast<std::size_t>(order[r])], before[static_cast<std::size_t>(r)]);
  }
}

TEST(Endpoint, NeverBelowTheBound) {
  const Machine machine = test::tiny_machine(2);
  const ByteMatrix matrix{2, {0, 3'000'000, 1'000'000, 0}};
  const std::vector<double> seconds = endpoint_seconds(matrix, machine);
  EXPECT_GE(*std::max_element(seconds.begin(), seconds.end()),
            endpoint_bound_seconds(matrix, machine));
}

TEST(EndpointPorts, StripeOverThePlanesThatAreLeft) {
  const Machine machine = test::broken(
      test::tiny_machine(4), {"gpu0:plane0=0", "gpu1:plane0=0.5", "gpu2=gone", "gpu3.compute=0.5"});
  const std::vector<EndpointPort> ports = endpoint_ports(machine, 3);
  EXPECT_EQ(ports[0].planes.bytes_per_second, 5e9);   // plane 1 alone
  EXPECT_EQ(ports[1].planes.bytes_per_second, 5e9);   // both, the slower one ends last
  EXPECT_EQ(ports[2].planes.bytes_per_second, 10e9);  // gpu 3
}

TEST(EndpointPorts, SumUnevenLinesOfAHealthyGpu) {
  Machine machine = test::tiny_machine(2);
  machine.plane_links = {5, 4, 4, 5};
  const Topology topology = build_topology(machine);
  const std::vector<int> gpus{1};
  EXPECT_EQ(endpoint_ports(topology, gpus)[0].planes.bytes_per_second, 18 * 5e9);
  EXPECT_EQ(endpoint_ports(machine, 1)[0].planes.bytes_per_second, 18 * 5e9);
}

TEST(Endpoint, AFaultyLinkDelaysItsRankAlone) {
  const ByteMatrix matrix{3, {0, 50'000, 50'000, 50'000, 0, 50'000, 50'000, 50'000, 0}};
  const std::vector<double> healthy = endpoint_seconds(matrix, test::tiny_machine(3));
  const std::vector<double> faulty =
      endpoint_seconds(matrix, test::broken(test::tiny_machine(3), {"gpu1:plane0=0.25"}));
  EXPECT_EQ(faulty[0], healthy[0]);
  EXPECT_DOUBLE_EQ(faulty[1], 11e-6 + 100'000 / (0.5 * 2 * 1.25e9));
  EXPECT_EQ(faulty[2], healthy[2]);
}

TEST(Endpoint, RacksMeetOverTheirNics) {
  Machine machine = test::tiny_machine(4);
  machine.racks = 2;
  machine.gpus_per_tray = 2;
  machine.scale_out = ScaleOut{.nic_bandwidth = {1e9},
                               .latency = Time::from_ns(5000),
                               .leaf_down_links = 2,
                               .spines = 1,
                               .links_per_spine = 2,
                               .spine_bandwidth = {1e9}};
  // Rank 0 sends 100 kB inside its rack and 30 kB to the other, rank 3 nothing.
  const ByteMatrix matrix{4, {0, 100'000, 20'000, 10'000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
  const std::vector<double> seconds = endpoint_seconds(matrix, machine);
  EXPECT_DOUBLE_EQ(seconds[0], 10e-6 + 5e-6 + 30'000 / (0.5 * 1e9));
  EXPECT_DOUBLE_EQ(seconds[1], 10e-6 + 1e-6 + 100'000 / (0.5 * 10e9));
  EXPECT_DOUBLE_EQ(seconds[2], 10e-6 + 5e-6 + 20'000 / (0.5 * 1e9));
  EXPECT_DOUBLE_EQ(seconds[3], 10e-6 + 5e-6 + 10'000 / (0.5 * 1e9));
  // A leaf with half of its capacity left halves the NIC's way out.
  EXPECT_DOUBLE_EQ(endpoint_seconds(matrix, test::broken(machine, {"leaf0=0.5"}))[0],
                   10e-6 + 5e-6 + 30'000 / (0.5 * 0.5e9));
}

}  // namespace
}  // namespace k3::sim
