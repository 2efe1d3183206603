#include "engine/hardware/discovered_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/hardware/topology_dump.h"

namespace k3 {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

DiscoveredTopology read(const std::string& text) {
  auto topology = parse_topology_dump(text, "t");
  EXPECT_TRUE(topology) << topology.error().text();
  return topology ? *std::move(topology) : DiscoveredTopology{};
}

constexpr const char* kTwoBehindSwitches =
    "<system><cpu>"
    "<pci busid='0000:0a:00.0'><gpu dev='0' sm='90' rank='0'>"
    "<nvlink target='0000:c3:00.0' count='5' tclass='0x068000'/>"
    "<nvlink target='0000:c4:00.0' count='4' tclass='0x068000'/></gpu></pci>"
    "<pci busid='0000:0b:00.0'><gpu dev='1' sm='90' rank='1'>"
    "<nvlink target='0000:c4:00.0' count='4' tclass='0x068000'/>"
    "<nvlink target='0000:c3:00.0' count='5' tclass='0x068000'/></gpu></pci>"
    "</cpu></system>";

TEST(DiscoveredNetwork, SwitchesBecomePlanesAndRowsLinksBothWays) {
  const auto dump = read(kTwoBehindSwitches);
  const auto speed = link_speed(dump);
  ASSERT_TRUE(speed);
  EXPECT_EQ(speed->speed, Bandwidth{25e9});
  EXPECT_THAT(speed->source, HasSubstr("datasheet"));
  const auto topology = network_of(dump, speed->speed);
  ASSERT_TRUE(topology);
  EXPECT_EQ(topology->num_gpus, 2);
  EXPECT_THAT(topology->nodes, SizeIs(4));
  EXPECT_THAT(topology->links, SizeIs(8));
  double sent = 0;
  double received = 0;
  for (const TopologyLink& link : topology->links) {
    if (link.from == 0) sent += link.capacity.bytes_per_second;
    if (link.to == 0) received += link.capacity.bytes_per_second;
  }
  EXPECT_EQ(sent, 225e9);  // (5 + 4) x 25 GB/s
  EXPECT_EQ(received, 225e9);
}

TEST(DiscoveredNetwork, PartsOfAGpuAreOneNode) {
  const auto dump = read(
      "<pci busid='0002:81:00.0'><gpu dev='0' sm='107' rank='0'>"
      "<nvlink target='fffffff:ff:ff.0' count='36' tclass='0x068000'/></gpu>"
      "<gpu dev='0' sm='107' rank='1'>"
      "<nvlink target='fffffff:ff:ff.0' count='36' tclass='0x068000'/></gpu></pci>");
  const auto topology = network_of(dump, Bandwidth{1});
  ASSERT_TRUE(topology);
  EXPECT_EQ(topology->num_gpus, 1);
  ASSERT_THAT(topology->links, SizeIs(2));
  EXPECT_EQ(topology->links[0].lines, 36);
}

TEST(DiscoveredNetwork, DirectLinksGoBothWaysOnce) {
  const auto dump = read("\tGPU0\tGPU1\nGPU0\tX\tNV4\nGPU1\tNV4\tX\n");
  EXPECT_FALSE(link_speed(dump));  // the matrix names no product
  const auto topology = network_of(dump, Bandwidth{1});
  ASSERT_TRUE(topology);
  ASSERT_THAT(topology->links, SizeIs(2));
  EXPECT_EQ(topology->links[0].to, 1);
  EXPECT_EQ(topology->links[1].to, 0);
  EXPECT_EQ(topology->links[0].capacity, Bandwidth{4});
}

TEST(DiscoveredNetwork, WithoutNvlinkThereIsNone) {
  const auto dump = read("<system><cpu><pci busid='a' class='0x0302'/></cpu></system>");
  const auto topology = network_of(dump, Bandwidth{1});
  ASSERT_FALSE(topology);
  EXPECT_THAT(topology.error().text(), HasSubstr("NVLink is not in this file"));
}

}  // namespace
}  // namespace k3
