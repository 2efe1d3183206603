#include "engine/hardware/topology.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/tiny_machine.h"
#include "tests/unit/engine_hardware/two_racks.h"

namespace k3 {
namespace {

using test::broken;
using test::two_racks;

double capacity(const Topology& topology, int link) {
  return topology.links[static_cast<std::size_t>(link)].capacity.bytes_per_second;
}

/// What with_faults says of faults on six GPUs in trays of two, with NICs.
std::string fault_error(std::initializer_list<const char*> texts) {
  std::vector<Fault> faults;
  for (const char* text : texts)
    faults.push_back(*parse_fault(text));
  const auto machine = with_faults(two_racks(), faults);
  return machine ? "no error" : machine.error().text();
}

TEST(Faults, ThatContradictEachOtherAreRefused) {
  EXPECT_EQ(fault_error({"gpu0:plane1=0.5", "gpu0:plane1=0.25"}),
            "`gpu0:plane1=0.5` and `gpu0:plane1=0.25` both say what is left of gpu0:plane1; give "
            "only one");
  EXPECT_EQ(fault_error({"plane1=0", "gpu0:plane1=0.5"}),
            "`plane1=0` and `gpu0:plane1=0.5` both say what is left of gpu0:plane1; give only one");
  EXPECT_EQ(fault_error({"gpu0:plane1=0.5", "plane1=0"}),
            "`gpu0:plane1=0.5` and `plane1=0` both say what is left of gpu0:plane1; give only one");
  for (const auto& [wide, narrow] :
       {std::pair{"plane1=0.5", "gpu0:plane1=0.5"}, std::pair{"gpu0=gone", "gpu0.compute=0.5"},
        std::pair{"gpu0=gone", "gpu0:plane0=0.5"}, std::pair{"gpu0=gone", "nic0=1"},
        std::pair{"tray0=gone", "gpu0.compute=0.5"}, std::pair{"plane0=0.5", "plane0=0.25"},
        std::pair{"nic2=0", "nic2=0.5"}, std::pair{"gpu1.compute=0.5", "gpu1.compute=0.75"}}) {
    SCOPED_TRACE(wide);
    EXPECT_NE(fault_error({wide, narrow}).find("give only one"), std::string::npos) << narrow;
    EXPECT_NE(fault_error({narrow, wide}).find("give only one"), std::string::npos) << narrow;
  }
}

TEST(Faults, ThatGoTogetherAreKept) {
  for (const auto& [a, b] :
       {std::pair{"gpu3:plane1=0.5", "plane0=0"}, std::pair{"plane1=0.5", "gpu0:plane1=0"},
        std::pair{"gpu0=gone", "gpu0:plane1=0"}, std::pair{"gpu0=gone", "tray0=gone"},
        std::pair{"gpu0=gone", "gpu1.compute=0.5"},
        std::pair{"gpu0:plane1=0.5", "gpu1:plane1=0.25"}, std::pair{"nic0=0.5", "leaf0=0.5"}}) {
    EXPECT_EQ(fault_error({a, b}), "no error") << a << ' ' << b;
    EXPECT_EQ(broken(two_racks(), {a, b}).faults.size(), 2U);
  }
  EXPECT_EQ(broken(two_racks(), {"plane0=0.5", "plane0=0.50", "plane0=0.5"}).faults.size(), 1U);
}

TEST(Topology, JoinsEveryGpuToEveryPlane) {
  const Topology topology = build_topology(test::tiny_machine(3));
  ASSERT_EQ(topology.nodes.size(), 3u + 2u);
  ASSERT_EQ(topology.links.size(), 3u * 2u * 2u);
  EXPECT_EQ(topology.num_gpus, 3);
  EXPECT_EQ(topology.nodes[2].name, "gpu2");
  EXPECT_EQ(topology.nodes[2].kind, NodeKind::gpu);
  EXPECT_EQ(topology.nodes[4].name, "plane1");
  EXPECT_EQ(topology.nodes[4].kind, NodeKind::plane);
  for (int gpu = 0; gpu < 3; ++gpu) {
    const auto up = topology.up_links(gpu);
    const auto down = topology.down_links(gpu);
    ASSERT_EQ(up.size(), 2u);
    ASSERT_EQ(down.size(), 2u);
    for (std::size_t plane = 0; plane < 2; ++plane) {
      const TopologyLink& there = topology.links[static_cast<std::size_t>(up[plane])];
      const TopologyLink& back = topology.links[static_cast<std::size_t>(down[plane])];
      EXPECT_EQ(there.from, gpu);
      EXPECT_EQ(there.to, 3 + static_cast<int>(plane));
      EXPECT_EQ(back.from, there.to);
      EXPECT_EQ(back.to, gpu);
      EXPECT_EQ(there.capacity.bytes_per_second, 5e9);
      EXPECT_EQ((there.latency + back.latency).ps, 1'000'000);
    }
  }
}

TEST(Topology, AddsUpParallelLines) {
  Machine machine = test::tiny_machine(2);
  machine.plane_links = {5, 4};
  const Topology topology = build_topology(machine);
  const auto up = topology.up_links(1);
  EXPECT_EQ(topology.links[static_cast<std::size_t>(up[0])].lines, 5);
  EXPECT_EQ(capacity(topology, up[0]), 25e9);
  EXPECT_EQ(capacity(topology, up[1]), 20e9);
}

TEST(Topology, NumbersTraysAndPlanesOverAllRacks) {
  Machine machine = test::tiny_machine(12);
  machine.racks = 2;
  machine.gpus_per_tray = 4;  // trays of 4 and 2 GPUs in each rack
  const Topology topology = build_topology(machine);
  ASSERT_EQ(topology.nodes.size(), 12u + 4u);
  EXPECT_EQ(topology.nodes[5].tray, 1);
  EXPECT_EQ(topology.nodes[6].tray, 2);
  EXPECT_EQ(topology.nodes[6].rack, 1);
  EXPECT_EQ(topology.nodes[14].name, "plane2");
  EXPECT_EQ(topology.nodes[14].rack, 1);
  EXPECT_EQ(topology.links[static_cast<std::size_t>(topology.up_links(6)[0])].to, 14);
}

TEST(Topology, ScalesBothDirectionsOfAFaultyLink) {
  const Topology topology =
      build_topology(broken(test::tiny_machine(3), {"gpu1:plane0=0.5", "gpu1:plane0=0.5"}));
  for (int gpu = 0; gpu < 3; ++gpu) {
    for (std::size_t plane = 0; plane < 2; ++plane) {
      const double expected = gpu == 1 && plane == 0 ? 2.5e9 : 5e9;  // said twice is said once
      EXPECT_EQ(capacity(topology, topology.up_links(gpu)[plane]), expected);
      EXPECT_EQ(capacity(topology, topology.down_links(gpu)[plane]), expected);
    }
  }
  const TopologyLink& link = topology.links[static_cast<std::size_t>(topology.up_links(1)[0])];
  EXPECT_EQ(link.nominal.bytes_per_second, 5e9);
}

TEST(Topology, TakesADeadPlaneFromEveryGpu) {
  const Topology topology = build_topology(broken(test::tiny_machine(3), {"plane1=0"}));
  for (int gpu = 0; gpu < 3; ++gpu) {
    EXPECT_EQ(capacity(topology, topology.up_links(gpu)[0]), 5e9);
    EXPECT_FALSE(topology.links[static_cast<std::size_t>(topology.up_links(gpu)[1])].alive());
    EXPECT_FALSE(topology.links[static_cast<std::size_t>(topology.down_links(gpu)[1])].alive());
  }
}

TEST(Topology, KeepsGoneGpusAsNodesWithoutLinks) {
  Machine machine = test::tiny_machine(6);
  machine.gpus_per_tray = 2;
  const Topology topology = build_topology(
      broken(machine, {"gpu0=gone", "tray2=gone", "gpu1.compute=0.5", "gpu1.compute=0.5"}));
  EXPECT_EQ(topology.nodes.size(), 6u + 2u);
  EXPECT_EQ(topology.live_gpus(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(topology.compute_speed, (std::vector<double>{0, 0.5, 1, 1, 0, 0}));
  for (const int gpu : {0, 4, 5}) {
    EXPECT_EQ(capacity(topology, topology.up_links(gpu)[0]), 0);
    EXPECT_EQ(capacity(topology, topology.down_links(gpu)[1]), 0);
  }
  EXPECT_EQ(capacity(topology, topology.up_links(1)[0]), 5e9);
}

const TopologyLink* find(const Topology& topology, std::string_view from, std::string_view to) {
  for (const TopologyLink& link : topology.links) {
    if (topology.nodes[static_cast<std::size_t>(link.from)].name == from &&
        topology.nodes[static_cast<std::size_t>(link.to)].name == to) {
      return &link;
    }
  }
  return nullptr;
}

TEST(ScaleOut, PutsEveryGpuOnTheLeafOfItsRail) {
  const Topology topology = build_topology(two_racks());
  // 8 GPUs, 2 × 2 planes, 8 NICs, 4 trays by 2 for each of 2 rails = 4 leaves, 3 spines.
  ASSERT_EQ(topology.nodes.size(), 8u + 4u + 8u + 4u + 3u);
  ASSERT_EQ(topology.links.size(), 2u * (8u * 2u + 8u + 8u + 4u * 3u));
  for (const auto& [nic, leaf] :
       {std::pair{"nic0", "leaf0"}, std::pair{"nic1", "leaf1"}, std::pair{"nic2", "leaf0"},
        std::pair{"nic3", "leaf1"}, std::pair{"nic4", "leaf2"}, std::pair{"nic7", "leaf3"}}) {
    const TopologyLink* link = find(topology, nic, leaf);
    ASSERT_NE(link, nullptr) << nic;
    EXPECT_EQ(link->capacity.bytes_per_second, 1e9);
  }
  EXPECT_NE(find(topology, "gpu5", "nic5"), nullptr);
  const TopologyLink* up = find(topology, "leaf3", "spine2");
  ASSERT_NE(up, nullptr);
  EXPECT_EQ(up->lines, 2);
  EXPECT_EQ(up->capacity.bytes_per_second, 8e8);
}

TEST(ScaleOut, SpreadsItsLatencyOverTheWay) {
  const Topology topology = build_topology(two_racks());
  std::int64_t ps = 0;
  const std::array<const char*, 8> way{"gpu0",  "nic0", "leaf0", "spine1",
                                       "leaf2", "nic4", "gpu4",  nullptr};
  for (std::size_t i = 0; way[i + 1] != nullptr; ++i)
    ps += find(topology, way[i], way[i + 1])->latency.ps;
  EXPECT_EQ(ps, 4'001'000);
}

TEST(ScaleOut, FaultsReachNicLeafAndSpine) {
  const Topology topology =
      build_topology(broken(two_racks(), {"nic3=0.5", "leaf1=0.5", "spine2=0", "gpu0=gone"}));
  const auto left = [&](std::string_view from, std::string_view to) {
    return find(topology, from, to)->capacity.bytes_per_second;
  };
  EXPECT_EQ(left("gpu3", "nic3"), 0.5e9);
  EXPECT_EQ(left("nic3", "leaf1"), 0.25e9);
  EXPECT_EQ(left("leaf1", "nic1"), 0.5e9);
  EXPECT_EQ(left("leaf1", "spine0"), 4e8);
  EXPECT_EQ(left("spine2", "leaf0"), 0);
  EXPECT_EQ(left("gpu0", "nic0"), 0);
  EXPECT_EQ(left("gpu2", "nic2"), 1e9);
}

TEST(WithFaults, NamesThePartsThatTheMachineHas) {
  const auto error = [](Machine machine, const char* text) {
    const std::vector<Fault> faults{*parse_fault(text)};
    const auto result = with_faults(std::move(machine), faults);
    return result ? "no error" : result.error().text();
  };
  EXPECT_EQ(error(two_racks(), "gpu8=gone"), "`gpu8=gone`: pair has gpu0 to gpu7");
  EXPECT_EQ(error(two_racks(), "gpu8.compute=0.5"), "`gpu8.compute=0.5`: pair has gpu0 to gpu7");
  EXPECT_EQ(error(two_racks(), "plane4=0"), "`plane4=0`: pair has plane0 to plane3");
  EXPECT_EQ(error(two_racks(), "tray4=gone"), "`tray4=gone`: pair has tray0 to tray3");
  EXPECT_EQ(error(two_racks(), "nic8=0"), "`nic8=0`: pair has nic0 to nic7");
  EXPECT_EQ(error(two_racks(), "leaf4=0"), "`leaf4=0`: pair has leaf0 to leaf3");
  EXPECT_EQ(error(two_racks(), "spine3=0"), "`spine3=0`: pair has spine0 to spine2");
  EXPECT_EQ(error(two_racks(), "gpu4:plane1=0"),
            "`gpu4:plane1=0`: gpu4 of pair has links to plane2 to plane3");
  EXPECT_EQ(error(two_racks(), "gpu4:plane2=0"), "no error");
  EXPECT_EQ(error(test::tiny_machine(2), "nic0=0"), "`nic0=0`: tiny has no nics");
  EXPECT_EQ(error(test::tiny_machine(2), "tray1=gone"), "`tray1=gone`: tiny has only tray0");
}

}  // namespace
}  // namespace k3
