#include "sim/network/collective.h"

#include <array>

#include <gtest/gtest.h>

#include "tests/support/broken_machine.h"
#include "tests/support/shared_data.h"
#include "tests/support/tiny_machine.h"

namespace k3::sim {
namespace {

/// Four ranks of 10 GB/s each way (two planes of 5 GB/s).
class CollectiveCosts : public testing::Test {
 protected:
  CollectiveCost cost(Collective collective, Algorithm algorithm, double bytes = 40e9) {
    const auto found = collective_cost({.topology = topology_,
                                        .gpus = gpus_,
                                        .collective = collective,
                                        .bytes = bytes,
                                        .latency_s = latency_s_},
                                       algorithm);
    EXPECT_TRUE(found) << found.error().text();
    return found.value_or(CollectiveCost{});
  }

  Topology topology_ = build_topology(test::tiny_machine(4));
  std::array<int, 4> gpus_{0, 1, 2, 3};
  double latency_s_ = 0;
};

TEST_F(CollectiveCosts, RingIsAlphaBeta) {
  // Parts of 10 GB take 1 s; all-reduce: 2 · 3 steps, the others 3, one latency each.
  latency_s_ = 0.125;
  EXPECT_DOUBLE_EQ(cost(Collective::all_reduce, Algorithm::ring).seconds, 6 * 1.125);
  EXPECT_DOUBLE_EQ(cost(Collective::all_gather, Algorithm::ring).seconds, 3 * 1.125);
  EXPECT_DOUBLE_EQ(cost(Collective::reduce_scatter, Algorithm::ring).seconds, 3 * 1.125);
}

TEST_F(CollectiveCosts, DirectHasOneLatencyPerStep) {
  latency_s_ = 0.125;
  EXPECT_DOUBLE_EQ(cost(Collective::all_reduce, Algorithm::direct).seconds, 2 * 3.125);
  EXPECT_DOUBLE_EQ(cost(Collective::all_gather, Algorithm::direct).seconds, 3.125);
  EXPECT_DOUBLE_EQ(cost(Collective::all_to_all, Algorithm::direct).seconds, 3.125);
  EXPECT_DOUBLE_EQ(cost(Collective::broadcast, Algorithm::direct).seconds, 12.125);
  EXPECT_DOUBLE_EQ(cost(Collective::send_recv, Algorithm::direct).seconds, 4.125);
}

TEST_F(CollectiveCosts, BusBandwidthIsThatOfNcclTests) {
  // An all-reduce moves 2 · 3/4 of the bytes per rank, an all-gather 3/4.
  EXPECT_DOUBLE_EQ(cost(Collective::all_reduce, Algorithm::ring).bus_bandwidth, 10e9);
  EXPECT_DOUBLE_EQ(cost(Collective::all_gather, Algorithm::direct).bus_bandwidth, 10e9);
  EXPECT_DOUBLE_EQ(cost(Collective::send_recv, Algorithm::direct).bus_bandwidth, 10e9);
}

TEST_F(CollectiveCosts, SwitchesMoveEveryPartOnce) {
  // Broadcast: the buffer once over every link, 4 s. All-gather: three parts come in.
  EXPECT_DOUBLE_EQ(cost(Collective::broadcast, Algorithm::nvls).seconds, 4);
  EXPECT_DOUBLE_EQ(cost(Collective::all_gather, Algorithm::nvls).seconds, 3);
  EXPECT_DOUBLE_EQ(cost(Collective::reduce_scatter, Algorithm::nvls).seconds, 3);
  // All-reduce: three parts out for others' sums and one of the own sum; in many chunks nearly 4 s.
  const CollectiveCost reduce = cost(Collective::all_reduce, Algorithm::nvls);
  EXPECT_DOUBLE_EQ(reduce.bound_s, 4);
  EXPECT_GT(reduce.chunks, 1);
  EXPECT_GE(reduce.seconds, 4);
  EXPECT_LT(reduce.seconds, 4.3);
}

TEST_F(CollectiveCosts, ChunksFillTheChain) {
  // Three hops: 4 s · (chunks + 2) / chunks.
  const CollectiveCost chain = cost(Collective::broadcast, Algorithm::ring);
  EXPECT_EQ(chain.chunks, 64);
  EXPECT_NEAR(chain.seconds, 4.0 * 66 / 64, 1e-9);
  latency_s_ = 10;
  EXPECT_EQ(cost(Collective::broadcast, Algorithm::ring).chunks, 1);
}

TEST_F(CollectiveCosts, TreeIsBoundByItsBusiestLink) {
  const CollectiveCost tree = cost(Collective::all_reduce, Algorithm::tree);
  EXPECT_GE(tree.seconds, tree.bound_s);
  EXPECT_LT(tree.seconds, 2 * tree.bound_s);
}

TEST_F(CollectiveCosts, FewBytesPreferFewSteps) {
  latency_s_ = 1e-6;
  CollectiveRequest request{.topology = topology_, .gpus = gpus_, .bytes = 8, .latency_s = 1e-6};
  EXPECT_EQ((*collective_costs(request))[0].algorithm, Algorithm::direct);
  request.bytes = 40e9;
  EXPECT_EQ((*collective_costs(request))[0].algorithm, Algorithm::nvls);
  EXPECT_EQ(collective_costs(request)->size(), kNumAlgorithms);
}

TEST_F(CollectiveCosts, SlowLinkSlowsTheRing) {
  topology_ = build_topology(test::broken(test::tiny_machine(4), {"gpu2:plane0=0.5"}));
  // Half of every part on plane 0, at half speed through rank 2: 2 s for each
  // of the three steps through it, since a rank sends in order.
  EXPECT_DOUBLE_EQ(cost(Collective::all_gather, Algorithm::ring).seconds, 3 * 2);
}

TEST_F(CollectiveCosts, WhatDoesNotExistIsSaid) {
  const auto cost = collective_cost(
      {.topology = topology_, .gpus = gpus_, .collective = Collective::all_to_all, .bytes = 1},
      Algorithm::ring);
  ASSERT_FALSE(cost);
  EXPECT_EQ(cost.error().code, Code::unsupported);
  EXPECT_EQ(cost.error().text(), "all-to-all has no ring algorithm");
}

TEST(CollectiveCostsOfRacks, RingGoesOverNicsBetweenRacks) {
  const auto machine = load_machine(test::source_dir() / "data/hardware/gb300-nvl72x2.toml");
  ASSERT_TRUE(machine) << machine.error().text();
  const Topology topology = build_topology(*machine);
  const std::array gpus{70, 71, 72, 73};
  const CollectiveRequest request{
      .topology = topology, .gpus = gpus, .collective = Collective::send_recv, .bytes = 1e9};
  const auto cost = collective_cost(request, Algorithm::direct);
  ASSERT_TRUE(cost) << cost.error().text();
  EXPECT_DOUBLE_EQ(cost->seconds, 1e9 / machine->scale_out->nic_bandwidth.bytes_per_second);
  const CollectiveRequest reduce{.topology = topology, .gpus = gpus, .bytes = 1e9};
  EXPECT_EQ(collective_cost(reduce, Algorithm::nvls).error().code, Code::unsupported);
}

}  // namespace
}  // namespace k3::sim
