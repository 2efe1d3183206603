#include "engine/hardware/routes.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/unit/engine_hardware/two_racks.h"

namespace k3 {
namespace {

using test::broken;
using test::two_racks;

std::string way_of(const Topology& topology, int from, int to) {
  Routes routes(topology);
  const auto route = routes.route(from, to);
  return route ? test::way(topology, *route) : route.error().text();
}

TEST(Routes, TakeOnePlaneInsideARack) {
  const Topology topology = build_topology(test::tiny_machine(4));
  std::set<std::string> planes;
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      if (from == to) continue;
      const std::string way = way_of(topology, from, to);
      const std::string begin = "gpu" + std::to_string(from) + " plane";
      ASSERT_TRUE(way.starts_with(begin)) << way;
      EXPECT_EQ(way.substr(begin.size() + 1), " gpu" + std::to_string(to));
      planes.insert(way.substr(begin.size() - 5, 6));
    }
  }
  EXPECT_EQ(planes, (std::set<std::string>{"plane0", "plane1"}));
  EXPECT_EQ(way_of(topology, 2, 2), "");
}

TEST(Routes, AvoidDeadLinks) {
  const Topology topology = build_topology(broken(test::tiny_machine(8), {"gpu1:plane0=0"}));
  Routes routes(topology);
  for (int other = 2; other < 8; ++other) {
    const std::string name = "gpu" + std::to_string(other);
    EXPECT_EQ(test::way(topology, *routes.route(1, other)), "gpu1 plane1 " + name);
    EXPECT_EQ(test::way(topology, *routes.route(other, 1)), name + " plane1 gpu1");
  }
}

TEST(Routes, NeverPassThroughAGpu) {
  // gpu0 has plane 0 only and gpu1 plane 1 only: they meet nowhere, though gpu2 is on both.
  const Topology topology =
      build_topology(broken(test::tiny_machine(3), {"gpu0:plane1=0", "gpu1:plane0=0"}));
  EXPECT_EQ(way_of(topology, 0, 1), "no link that is alive leads from gpu0 to gpu1");
  EXPECT_EQ(way_of(topology, 0, 2), "gpu0 plane0 gpu2");
  EXPECT_EQ(way_of(topology, 2, 1), "gpu2 plane1 gpu1");
}

TEST(Routes, StayOnTheLeafOfARailIfTheyCan) {
  Machine machine = two_racks();
  machine.scale_out->leaf_down_links = 4;  // one leaf for each of the two rails
  const Topology topology = build_topology(machine);
  EXPECT_EQ(way_of(topology, 0, 4), "gpu0 nic0 leaf0 nic4 gpu4");
  EXPECT_EQ(way_of(topology, 7, 1), "gpu7 nic7 leaf1 nic1 gpu1");
}

TEST(Routes, CrossASpineBetweenLeaves) {
  const Topology topology = build_topology(two_racks());
  std::map<std::string, int> spines;
  for (int from = 0; from < 4; ++from) {
    for (int to = 4; to < 8; ++to) {
      const std::string way = way_of(topology, from, to);
      const auto at = way.find("spine");
      ASSERT_NE(at, std::string::npos) << way;
      ++spines[way.substr(at, 6)];
    }
  }
  EXPECT_EQ(spines.size(), 3u);  // 16 pairs spread over all three
}

TEST(Routes, ChooseByThePairAlone) {
  const Topology topology = build_topology(two_racks());
  Routes one(topology);
  Routes two(topology);
  for (int to = 0; to < 8; ++to)
    (void)two.route(0, to);  // what was asked before does not matter
  for (int from = 7; from >= 0; --from) {
    for (int to = 0; to < 8; ++to)
      EXPECT_EQ(*one.route(from, to), *two.route(from, to));
  }
}

TEST(Routes, SpreadByLines) {
  Machine machine = test::tiny_machine(64);
  machine.plane_links = {3, 1};
  const Topology topology = build_topology(machine);
  Routes routes(topology);
  int first = 0;
  for (int from = 0; from < 64; ++from) {
    for (int to = 0; to < 64; ++to) {
      if (from != to)
        first += topology.links[static_cast<std::size_t>((*routes.route(from, to))[0])].lines == 3;
    }
  }
  // 4,032 pairs, three quarters expected; the standard deviation is 27.5.
  EXPECT_NEAR(first, 3024, 110);
}

TEST(Routes, PreferLessLatencyAmongEquallyManyLinks) {
  Topology topology = build_topology(test::tiny_machine(8));
  for (TopologyLink& link : topology.links) {
    const TopologyNode& to = topology.nodes[static_cast<std::size_t>(link.to)];
    if (to.name == "plane0") link.latency = Time::from_ns(501);
  }
  Routes routes(topology);
  for (int to = 1; to < 8; ++to) {
    EXPECT_EQ(test::way(topology, *routes.route(0, to)), "gpu0 plane1 gpu" + std::to_string(to));
  }
}

TEST(Routes, UseTheNicWhereARackHasNoPlaneLeft) {
  const Topology topology = build_topology(broken(two_racks(), {"plane0=0", "plane1=0"}));
  EXPECT_EQ(way_of(topology, 0, 2), "gpu0 nic0 leaf0 nic2 gpu2");
  EXPECT_EQ(way_of(topology, 4, 6).size(), std::string("gpu4 plane2 gpu6").size());
}

TEST(Routes, EndAtGoneGpus) {
  const Topology topology = build_topology(broken(two_racks(), {"gpu3=gone"}));
  EXPECT_EQ(way_of(topology, 3, 0), "no link that is alive leads from gpu3 to gpu0");
  EXPECT_EQ(way_of(topology, 0, 3), "no link that is alive leads from gpu0 to gpu3");
}

}  // namespace
}  // namespace k3
