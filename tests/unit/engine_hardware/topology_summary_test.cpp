#include "engine/hardware/topology_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tiny_machine.h"

namespace k3 {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Machine faulty(const std::vector<std::string>& texts) {
  std::vector<Fault> faults;
  for (const std::string& text : texts) {
    auto fault = parse_fault(text);
    EXPECT_TRUE(fault) << fault.error().text();
    faults.push_back(*fault);
  }
  auto machine = with_faults(test::tiny_machine(4), faults);
  EXPECT_TRUE(machine) << machine.error().text();
  return *machine;
}

TEST(TopologySummary, CountsNodesAndCables) {
  const TopologySummary summary = summarize(build_topology(test::tiny_machine(4)));
  ASSERT_THAT(summary.nodes, SizeIs(2));
  EXPECT_EQ(summary.nodes[0].count, 4);
  EXPECT_EQ(summary.nodes[1].kind, NodeKind::plane);
  EXPECT_EQ(summary.nodes[1].count, 2);
  ASSERT_THAT(summary.cables, SizeIs(1));
  EXPECT_EQ(summary.cables[0].count, 8);  // 4 GPUs x 2 planes
  EXPECT_EQ(summary.cables[0].nominal, Bandwidth{5e9});
  EXPECT_THAT(summary.dead, IsEmpty());
  for (const GpuCapacity& gpu : summary.gpus) {
    EXPECT_EQ(gpu.send, Bandwidth{10e9});
    EXPECT_EQ(gpu.receive, Bandwidth{10e9});
  }
}

TEST(TopologySummary, DeadCablesAreNamedAndWholePartsOnce) {
  const TopologySummary summary =
      summarize(build_topology(faulty({"plane1=0", "gpu2:plane0=0", "gpu0:plane0=0.5"})));
  EXPECT_THAT(summary.dead, ElementsAre("gpu2: all 2 links", "plane1: all 4 links"));
  EXPECT_EQ(summary.cables[0].dead, 5);
  EXPECT_EQ(summary.cables[0].reduced, 1);
  EXPECT_EQ(summary.nodes[1].gone, 1);
  EXPECT_EQ(summary.gpus[0].send, Bandwidth{2.5e9});
  EXPECT_EQ(summary.gpus[0].healthy, Bandwidth{10e9});
  EXPECT_THAT(summarize(build_topology(faulty({"gpu3:plane1=0"}))).dead,
              ElementsAre("gpu3 – plane1"));
}

TEST(FaultEffects, EachCountsWhatItAdds) {
  const auto effects = fault_effects(
      faulty({"plane1=0", "gpu0:plane1=0", "gpu1:plane0=0.5", "gpu2.compute=0.8", "gpu3=gone"}));
  ASSERT_THAT(effects, SizeIs(5));
  EXPECT_EQ(effects[0].fault, "plane1=0");
  EXPECT_EQ(effects[0].dead, 4);
  EXPECT_EQ(effects[1].dead, 0);  // dead already
  EXPECT_EQ(effects[2].reduced, 1);
  EXPECT_EQ(effects[3].slower, 1);
  EXPECT_EQ(effects[4].gone, 1);
  EXPECT_EQ(effects[4].dead, 1);  // its link to plane0
}

}  // namespace
}  // namespace k3
