#include "sim/network/all_to_all.h"

#include <numeric>

#include <gtest/gtest.h>

#include "tests/support/broken_machine.h"
#include "tests/support/shared_data.h"
#include "tests/support/tiny_machine.h"

namespace k3::sim {
namespace {

std::vector<int> first_gpus(int count) {
  std::vector<int> gpus(static_cast<std::size_t>(count));
  std::iota(gpus.begin(), gpus.end(), 0);
  return gpus;
}

Topology with(Machine machine, std::initializer_list<const char*> faults) {
  return build_topology(test::broken(std::move(machine), faults));
}

Result<AllToAllResult> exchange(const Topology& topology,
                                const std::vector<double>& bytes,
                                Striping striping,
                                double latency_s = 0) {
  int ranks = 1;
  while (static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks) < bytes.size())
    ++ranks;
  return all_to_all({.topology = topology,
                     .gpus = first_gpus(ranks),
                     .bytes = bytes,
                     .striping = striping,
                     .latency_s = latency_s});
}

// tiny_machine: two planes, one 5 GB/s line to each.

TEST(AllToAll, StripesOverAllPlanes) {
  const auto result = exchange(with(test::tiny_machine(2), {}), {7, 10e9, 5e9, 7}, Striping::equal);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->completion_s, (std::vector<double>{0, 1, 0.5, 0}));
  EXPECT_EQ(result->makespan_s, 1);
  EXPECT_EQ(result->bound_s, 1);
  EXPECT_EQ(result->flows, 2);
  EXPECT_EQ(result->subflows, 4);
  ASSERT_EQ(result->links.size(), 8U);
  EXPECT_EQ(result->links[0].bytes, 5e9);
  EXPECT_EQ(result->links[0].busy_s, 1);
}

TEST(AllToAll, LatencyComesOncePerPair) {
  const auto result =
      exchange(with(test::tiny_machine(2), {}), {0, 10e9, 0, 0}, Striping::equal, 0.25);
  EXPECT_EQ(result->completion_s, (std::vector<double>{0, 1.25, 0, 0}));
  EXPECT_EQ(result->makespan_s, 1.25);
  EXPECT_EQ(result->bound_s, 1);
}

TEST(AllToAll, SlowLinkHoldsOnlyItsShareUnderEqual) {
  // Half of the pair on plane 0 at 2.5 GB/s: 2 s; the rest in 1 s.
  const Topology topology = with(test::tiny_machine(3), {"gpu1:plane0=0.5"});
  const auto result = exchange(topology, {0, 10e9, 0, 0, 0, 0, 0, 0, 0}, Striping::equal);
  EXPECT_EQ(result->completion_s[1], 2);
  EXPECT_EQ(result->bound_s, 2);
  EXPECT_EQ(result->subflows, 2);
}

TEST(AllToAll, LivePlanesCarryWhatTheDeadOneCannot) {
  const Topology topology = with(test::tiny_machine(3), {"gpu1:plane0=0"});
  const auto result = exchange(topology, {0, 10e9, 0, 0, 0, 0, 10e9, 0, 0}, Striping::live);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->completion_s[1], 2) << "all on plane 1";
  EXPECT_EQ(result->completion_s[6], 1) << "both planes";
  EXPECT_EQ(result->subflows, 3);
}

TEST(AllToAll, DeadLinkUnderEqualIsNamed) {
  const Topology topology = with(test::tiny_machine(3), {"gpu1:plane0=0"});
  const auto result = exchange(topology, {0, 10e9, 0, 0, 0, 0, 0, 0, 0}, Striping::equal);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text(),
            "equal striping needs the link plane0 -> gpu1, which is dead; use live striping");
  // A dead link that nobody uses harms nobody.
  EXPECT_TRUE(exchange(topology, {0, 0, 1, 0, 0, 0, 1, 0, 0}, Striping::equal));
}

TEST(AllToAll, NoCommonPlaneIsAnError) {
  const Topology topology = with(test::tiny_machine(2), {"gpu0:plane0=0", "gpu1:plane1=0"});
  const auto result = exchange(topology, {0, 1, 0, 0}, Striping::live);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text(), "gpu0 and gpu1 share no plane to which both have a live link");
}

TEST(AllToAll, GoneGpuIsAnError) {
  const Topology topology = with(test::tiny_machine(2), {"gpu1=gone"});
  const auto result = exchange(topology, {0, 0, 0, 0}, Striping::live);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text(), "gpu1 is gone; rank 1 needs another GPU");
}

TEST(AllToAll, HashTakesOnePlane) {
  // (0 + 1) mod 2 = plane 1, (0 + 2) mod 2 = plane 0: they do not share.
  const auto result =
      exchange(with(test::tiny_machine(3), {}), {0, 10e9, 5e9, 0, 0, 0, 0, 0, 0}, Striping::hash);
  EXPECT_EQ(result->completion_s[1], 2);
  EXPECT_EQ(result->completion_s[2], 1);
  EXPECT_EQ(result->subflows, 2);
}

TEST(AllToAll, UnevenPlanesShareByTheirLines) {
  // Three lines against one: 3/4 and 1/4 of the bytes, so that the pair has all 20 GB/s.
  Machine machine = test::tiny_machine(2);
  machine.plane_links = {3, 1};
  const auto result = exchange(build_topology(machine), {0, 20e9, 0, 0}, Striping::equal);
  EXPECT_EQ(result->makespan_s, 1);
  EXPECT_EQ(result->links[0].bytes, 15e9);
  EXPECT_EQ(result->subflows, 2);
}

TEST(AllToAll, EqualPlanesAreSolvedOnce) {
  const auto machine = load_machine(test::source_dir() / "data/hardware/gb300-nvl72.toml");
  std::vector<double> bytes(72 * 72, 65536);
  const auto result = exchange(build_topology(*machine), bytes, Striping::equal);
  EXPECT_EQ(result->events, 1);
  EXPECT_EQ(result->subflows, 92'016);
  EXPECT_DOUBLE_EQ(result->makespan_s, 71 * 65536 / 900e9);
}

}  // namespace
}  // namespace k3::sim
