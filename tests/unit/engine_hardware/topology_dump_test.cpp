#include "engine/hardware/topology_dump.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace k3 {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

DiscoveredTopology read(const std::string& text) {
  auto topology = parse_topology_dump(text, "t");
  EXPECT_TRUE(topology) << topology.error().text();
  return topology ? *std::move(topology) : DiscoveredTopology{};
}

std::string error_of(const std::string& text) {
  const auto topology = parse_topology_dump(text, "t");
  EXPECT_FALSE(topology);
  return topology ? "" : topology.error().text();
}

std::vector<std::string> texts(const DiscoveredTopology& topology, Severity severity) {
  std::vector<std::string> found;
  for (const Finding& finding : topology.findings) {
    if (finding.severity == severity) found.push_back(finding.text);
  }
  return found;
}

/// A dump with the given GPUs, each below its own PCI device 0000:0<i>:00.0.
std::string dump(const std::vector<std::string>& gpus) {
  std::string text = "<system version=\"1\">\n<cpu numaid=\"0\">\n";
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const std::string index = std::to_string(i);
    text += "<pci busid=\"0000:0" + index + ":00.0\" class=\"0x030200\"><gpu dev=\"" + index +
            "\" sm=\"90\" rank=\"" + index + "\">" + gpus[i] + "</gpu></pci>\n";
  }
  return text + "</cpu>\n</system>\n";
}

std::string link(const std::string& target, int count, const std::string& target_class) {
  return "<nvlink target=\"" + target + "\" count=\"" + std::to_string(count) + "\" tclass=\"" +
         target_class + "\"/>";
}

const std::string kHidden = link("fffffff:ff:ff.0", 18, "0x068000");

TEST(NcclTopology, AGpuWithFewerLinksThanTheOthersIsAFault) {
  const auto topology = read(dump({kHidden, link("fffffff:ff:ff.0", 17, "0x068000"), kHidden}));
  EXPECT_THAT(texts(topology, Severity::fault),
              ElementsAre("gpu1 has 17 NVLinks, 2 other GPUs have 18"));
}

TEST(NcclTopology, PeersThatCountDifferentLinksAreAFault) {
  const std::string to_0 = link("0000:00:00.0", 4, "0x030200");
  const std::string to_1 = link("0000:01:00.0", 4, "0x030200");
  EXPECT_FALSE(read(dump({link("0000:01:00.0", 4, "0x030200"), to_0})).has_fault());
  const auto uneven = read(dump({link("0000:01:00.0", 2, "0x030200"), to_0}));
  EXPECT_THAT(texts(uneven, Severity::fault),
              ElementsAre("gpu0 lists 2 NVLinks to gpu1, which lists 4 back"));
  const auto one_way = read(dump({to_1, ""}));
  EXPECT_THAT(texts(one_way, Severity::fault),
              ElementsAre("gpu0 lists 4 NVLinks to gpu1, which lists 0 back"));
}

TEST(NcclTopology, TwoBridgedGpusBesideTwoWithoutAreNoFault) {
  const auto topology = read(
      dump({link("0000:01:00.0", 4, "0x030200"), link("0000:00:00.0", 4, "0x030200"), "", ""}));
  EXPECT_FALSE(topology.has_fault());
  EXPECT_THAT(texts(topology, Severity::warning), SizeIs(2));
}

TEST(NcclTopology, BusIdsAreComparedInOneForm) {
  const auto topology = read(
      "<system><cpu numaid='0'>"
      "<pci busid='00000000:3B:00.0' class='0x030200'><gpu dev='0' rank='0'>"
      "<nvlink target='0000:af:00.0' count='2' tclass='0x030200'/></gpu></pci>"
      "<pci busid='0000:AF:00.0' class='0x030200'><gpu dev='1' rank='1'>"
      "<nvlink target='0000:3b:00.0' count='2' tclass='0x030200'/></gpu></pci></cpu></system>");
  EXPECT_EQ(topology.gpus[0].nvlinks[0].index, 1);
  EXPECT_EQ(topology.gpus[1].nvlinks[0].index, 0);
  EXPECT_FALSE(topology.has_fault());
}

TEST(NcclTopology, LinksToAGpuThatTheJobDidNotUseAreCountedAndNoFault) {
  const std::string outside = link("0000:85:00.0", 2, "0x030200");
  const auto topology = read(dump({link("0000:01:00.0", 4, "0x030200") + outside,
                                   link("0000:00:00.0", 4, "0x030200") + outside}));
  EXPECT_EQ(topology.num_nvlinks(topology.gpus[0]), 6);
  EXPECT_FALSE(topology.has_fault());
  EXPECT_THAT(texts(topology, Severity::warning),
              Contains("gpu0: 2 NVLinks lead to the GPU 0000:85:00.0, which is not in this file"));
}

TEST(NcclTopology, ATargetThatIsNoGpuIsASwitchWhateverItsClass) {
  const std::string odd = link("0000:c3:00.0", 4, "") + link("0000:c4:00.0", 4, "0x060400");
  const auto topology = read(dump({odd, odd}));
  EXPECT_THAT(topology.switches, SizeIs(2));
  EXPECT_FALSE(topology.has_fault());
  const auto no_bus_id = read(dump({link("1", 12, ""), link("0", 12, "")}));
  EXPECT_THAT(texts(no_bus_id, Severity::fault), SizeIs(2));
}

TEST(NcclTopology, AHiddenSwitchBesideNamedOnesIsSaid) {
  const std::string named = link("0000:c3:00.0", 18, "0x068000");
  const auto topology =
      read(dump({named, link("0000:c3:00.0", 17, "0x068000") + link("-1", 1, "0x068000")}));
  EXPECT_THAT(topology.switches, SizeIs(2));
  EXPECT_THAT(texts(topology, Severity::warning),
              Contains(StartsWith("gpu1 has links to a switch without a name")));
}

TEST(NcclTopology, GpusAreOrderedByRankOrElseAsTheyStand) {
  const std::string gpus =
      "<pci busid='0000:0a:00.0' class='0x0302'><gpu dev='1' rank='1'/></pci>"
      "<pci busid='0000:0b:00.0' class='0x0302'><gpu dev='0' rank='0'/></pci>";
  const auto topology = read("<system><cpu>" + gpus + "</cpu></system>");
  EXPECT_EQ(topology.gpus[0].bus_id, "0000:0b:00.0");
  std::string twice = gpus;
  twice.replace(twice.find("rank='1'"), 8, "rank='0'");
  const auto same = read("<system><cpu>" + twice + "</cpu></system>");
  EXPECT_EQ(same.gpus[0].bus_id, "0000:0a:00.0");
  EXPECT_EQ(same.gpus[1].name, "gpu1");
  EXPECT_THAT(texts(same, Severity::fault), ElementsAre("rank 0 is listed twice"));
}

TEST(NcclTopology, MinusOneIsWhatNcclDoesNotKnow) {
  const auto topology = read(
      "<system><cpu numaid='-1'><pci busid='0000:0a:00.0' class='0x0302' link_width='x16'>"
      "<gpu dev='-1' sm='-1' rank='-1'/></pci></cpu></system>");
  ASSERT_THAT(topology.gpus, SizeIs(1));
  EXPECT_EQ(topology.gpus[0].device, std::nullopt);
  EXPECT_EQ(topology.gpus[0].sm, std::nullopt);
  EXPECT_EQ(topology.gpus[0].rank, std::nullopt);
  EXPECT_EQ(topology.gpus[0].numa, std::nullopt);
}

TEST(NcclTopology, OneNicPerDeviceOfEachHostAndNoVirtualInterfaces) {
  const std::string net = "<net name='mlx5_0' port='1' speed='400000'/>";
  const std::string pci = "<pci busid='0000:05:00.0' class='0x020700'><nic>" + net + "</nic></pci>";
  const std::string loose =
      "<nic><net name='eth0' port='0' speed='10000'/><net name='lo' port='0'/>"
      "<net name='docker0' port='0'/></nic>";
  const auto topology =
      read("<system><cpu host_hash='0x1' numaid='0'>" + pci + loose +
           "</cpu><cpu host_hash='0x1' numaid='1'>" + loose +
           "</cpu><cpu host_hash='0x2' numaid='0'>" + pci + "<gpu dev='0'/></cpu></system>");
  ASSERT_THAT(topology.nics, SizeIs(3));
  EXPECT_EQ(topology.nics[0].speed, Bandwidth{50e9});
  EXPECT_EQ(topology.nics[1].name, "eth0");
  EXPECT_EQ(topology.nics[1].kind, NicKind::socket);
  EXPECT_EQ(topology.nics[2].host, 1);
  EXPECT_THAT(texts(topology, Severity::note),
              Contains("4 rows of 2 virtual interfaces (docker0 …) are no NICs: left out"));
}

TEST(NcclTopology, WrongFilesAreOneLineWithAPlace) {
  EXPECT_EQ(error_of("<system>\n</system>"),
            "t:1:2: no GPU, NIC or PCI device in it; a topology of NCCL has them");
  EXPECT_THAT(error_of("<system>\n <cpu numaid='x'/></system>"),
              StartsWith("t:2:3: numaid=\"x\" in <cpu> is no whole number"));
  EXPECT_THAT(error_of(dump({"<nvlink target='a'/>"})), HasSubstr("t:3:"));
  EXPECT_THAT(error_of(dump({"<nvlink count='18'/>"})), HasSubstr("has no target"));
  EXPECT_THAT(error_of(dump({link("a", -1, "0x03")})), HasSubstr("out of range"));
  EXPECT_THAT(error_of("<system>\n<cpu>"), StartsWith("t:2:"));
  EXPECT_THAT(error_of("<graphs/>"), HasSubstr("no <graph> in it"));
  EXPECT_THAT(error_of("<html/>"), HasSubstr("<html> is no root of a topology"));
}

constexpr const char* kMatrix =
    "\tGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    "GPU0\t X \tNV12\tNV12\tPIX\t0-31\t0\t\tN/A\n"
    "GPU1\tNV12\t X \tNV12\tSYS\t32-63\t1\t\tN/A\n"
    "GPU2\tNV12\tNV12\t X \tSYS\t32-63\t1\t\tN/A\n"
    "NIC0\tPIX\tSYS\tSYS\t X \t\t\t\t\n"
    "\nLegend:\n\n  X    = Self\n  PIX  = Connection\n\nNIC Legend:\n\n  NIC0: mlx5_7\n";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(SmiMatrix, ReadsSwitchesNodesAndNics) {
  const auto topology = read(kMatrix);
  ASSERT_THAT(topology.gpus, SizeIs(3));
  EXPECT_THAT(topology.switches, SizeIs(1));  // 2 x 12 links are more than a GPU has
  EXPECT_EQ(topology.num_nvlinks(topology.gpus[1]), 12);
  EXPECT_EQ(topology.gpus[1].numa, 1);
  EXPECT_EQ(topology.nics[0].name, "mlx5_7");
  EXPECT_THAT(topology.nics[0].near_gpus, ElementsAre(0));
  EXPECT_FALSE(topology.has_fault());
}

TEST(SmiMatrix, BlanksCarriageReturnsColoursAndAMarkdownFenceChangeNothing) {
  std::string text = kMatrix;
  std::string other = "\xef\xbb\xbf```\r\n";
  for (const char c : text)
    other += c == '\t' ? "     " : c == '\n' ? "\r\n" : std::string(1, c);
  other = changed(other, "GPU0", "\x1b[4mGPU0");
  const auto topology = read(other + "```\r\n");
  EXPECT_THAT(topology.gpus, SizeIs(3));
  EXPECT_EQ(topology.num_nvlinks(topology.gpus[2]), 12);
  EXPECT_EQ(topology.gpus[2].numa, 1);
}

TEST(SmiMatrix, RowsMayBeBrokenLikeTheHeader) {
  const auto topology = read(changed(kMatrix, "NV12\tPIX", "NV12\n\tPIX"));
  EXPECT_EQ(topology.gpus[0].numa, 0);
  EXPECT_THAT(topology.nics[0].near_gpus, ElementsAre(0));
}

TEST(SmiMatrix, GluedLabelsArePartedWhereTheCellsSayThatThereAreTwo) {
  const auto topology = read(
      "  GPU0  GPU1  NIC0NIC1  CPU Affinity\nGPU0  X  NV4  PIX  SYS  0-1\nGPU1  NV4  X  SYS  PIX  "
      "0-1\n");
  ASSERT_THAT(topology.nics, SizeIs(2));
  EXPECT_EQ(topology.nics[1].name, "NIC1");
  EXPECT_THAT(topology.nics[1].near_gpus, ElementsAre(1));
}

TEST(SmiMatrix, AGpuOffTheSwitchesIsAFault) {
  std::string text = kMatrix;
  for (const char* from : {"NV12\tNV12\tPIX", "NV12\t X \tNV12", "NV12\tNV12\t X "}) {
    const std::string to = std::string_view(from).starts_with("NV12\tNV12\t X") ? "SYS\tSYS\t X "
                           : std::string_view(from).ends_with("PIX")            ? "NV12\tSYS\tPIX"
                                                                                : "NV12\t X \tSYS";
    text = changed(text, from, to);
  }
  // With one pair left, 12 links may as well be direct: then it is only said.
  EXPECT_THAT(texts(read(text), Severity::warning), SizeIs(1));
  const auto four = read(
      "\tGPU0\tGPU1\tGPU2\tGPU3\n"
      "GPU0\tX\tNV18\tNV18\tSYS\nGPU1\tNV18\tX\tNV18\tSYS\nGPU2\tNV18\tNV18\tX\tSYS\n"
      "GPU3\tSYS\tSYS\tSYS\tX\n");
  EXPECT_THAT(texts(four, Severity::fault), ElementsAre(StartsWith("gpu3 has no NVLink row")));
}

TEST(SmiMatrix, DirectionsThatDisagreeAreNamed) {
  const auto path = read(changed(kMatrix, "NIC0\tPIX", "NIC0\tPXB"));
  EXPECT_THAT(texts(path, Severity::warning),
              ElementsAre("GPU0 and NIC0 disagree: PIX one way, PXB the other"));
  const auto nvlink = read(changed(kMatrix, "GPU1\tNV12", "GPU1\tNV10"));
  EXPECT_THAT(texts(nvlink, Severity::fault),
              ElementsAre("GPU0 and GPU1 disagree: NV12 one way, NV10 the other"));
}

TEST(SmiMatrix, WithoutNvlinkNothingIsInvented) {
  const auto topology =
      read("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tPHB\t0-7\nGPU1\tPHB\t X \t0-7\n");
  EXPECT_EQ(topology.num_nvlinks(topology.gpus[0]), 0);
  EXPECT_THAT(texts(topology, Severity::note), Contains("no GPU has an NVLink in this file"));
  const auto alone = read("\tGPU0\tCPU Affinity\nGPU0\t X \t0-7\n");
  EXPECT_EQ(alone.num_nvlinks(alone.gpus[0]), std::nullopt);
}

TEST(SmiMatrix, WrongTextIsOneLineWithAPlace) {
  EXPECT_THAT(error_of(changed(kMatrix, "GPU2\tNV12\tNV12\t X \tSYS", "GPU2\tNV12\tNV12\t X ")),
              StartsWith("t:4:1: row `GPU2` has 3 cells, the header 4 columns"));
  EXPECT_THAT(error_of(changed(kMatrix, "NIC0\tPIX", "NIC9\tPIX")),
              StartsWith("t:5:1: row `NIC9` has no column"));
  EXPECT_THAT(error_of(std::string(kMatrix) + kMatrix), HasSubstr("one file per host"));
  EXPECT_THAT(error_of(changed(kMatrix, "GPU2\tNV12", "GPU1\tNV12")),
              StartsWith("t:4:1: a second row `GPU1`"));
  EXPECT_THAT(error_of("\tGPU0\tGPU0\nGPU0\tX\tX\n"), StartsWith("t:1:1: two columns `GPU0`"));
  EXPECT_THAT(error_of("\tGPU0\tGPU1\n"), HasSubstr("a header without rows"));
}

TEST(SmiNvlink, InactiveLinksAndUnevenSpeedsAreFaults) {
  const auto topology = read(
      "GPU 0: A (UUID: GPU-1)\n\t Link 0: 25 GB/s\n\t Link 1: <inactive>\n"
      "GPU 1: A B (UUID: GPU-2)\n\t Link 0: 25 GB/s\n\t Link 1: 12.5 GB/s\n");
  EXPECT_EQ(topology.gpus[1].product, "A B");
  EXPECT_THAT(texts(topology, Severity::fault),
              ElementsAre("links of 2 different speeds: 12.5 GB/s to 25 GB/s",
                          "gpu0: 1 link is inactive", "gpu0 has 1 NVLink, 1 other GPU has 2"));
}

TEST(SmiNvlink, ARemoteDeviceThatOneGpuHasMayBeAGpu) {
  const auto topology = read(
      "GPU 0: V (UUID: GPU-1)\n Link 0: Remote Device 00000000:0B:00.0: Link 0\n"
      "GPU 1: V (UUID: GPU-2)\n Link 0: Remote Device 00000000:0A:00.0: Link 0\n");
  EXPECT_THAT(topology.switches, IsEmpty());
  EXPECT_EQ(topology.gpus[0].nvlinks[0].end, LinkEnd::unknown);
  EXPECT_THAT(texts(topology, Severity::note), SizeIs(1));
}

TEST(SmiNvlink, WrongTextIsOneLineWithAPlace) {
  EXPECT_THAT(error_of("GPU 0: A\n Link 0: fast\n"), StartsWith("t:2:2: "));
  EXPECT_THAT(error_of("GPU 0: A\n Link 0: 1 GB/s\nGPU 0: A\n"),
              StartsWith("t:3:1: GPU 0 a second time"));
  EXPECT_THAT(error_of(" Link 0: 1 GB/s\nGPU 0: A\n Link 0: 1 GB/s\n"),
              StartsWith("t:1:2: a link before the first"));
}

std::string query(const std::string& fabric) {
  return "<nvidia_smi_log><attached_gpus>1</attached_gpus><gpu id='00000000:0A:00.0'>"
         "<product_name>P</product_name><fabric>" +
         fabric + "</fabric></gpu></nvidia_smi_log>";
}

TEST(SmiQuery, EveryWayToBeUnhealthyIsAFault) {
  EXPECT_FALSE(
      read(query("<state>N/A</state><health><summary>N/A</summary></health>")).has_fault());
  EXPECT_FALSE(read(query("<state>Completed</state><status>Success</status><health><bandwidth>Full"
                          "</bandwidth><incorrect_configuration>None</incorrect_configuration>"
                          "</health>"))
                   .has_fault());
  EXPECT_TRUE(read(query("<state>In Progress</state>")).has_fault());
  EXPECT_TRUE(read(query("<status>Invalid Argument</status>")).has_fault());
  EXPECT_TRUE(read(query("<health><bandwidth>Degraded</bandwidth></health>")).has_fault());
  EXPECT_TRUE(read(query("<health><route_unhealthy>True</route_unhealthy></health>")).has_fault());
  EXPECT_THAT(error_of("<nvidia_smi_log/>"), HasSubstr("no <gpu> in it"));
}

std::string hwloc(const std::string& indexes, const std::string& values) {
  return "<topology><object type='Machine'>"
         "<object type='PCIDev' gp_index='1' pci_busid='0000:0a:00.0' pci_type='0302 [10de:1db8]'>"
         "<object type='OSDev' gp_index='5' name='nvml0'/></object>"
         "<object type='PCIDev' gp_index='2' pci_busid='0000:0b:00.0' pci_type='0302 [10de:1db8]'>"
         "<object type='OSDev' gp_index='6' name='nvml1'/></object></object>"
         "<distances2 type='OSDev' name='NVLinkBandwidth'><indexes>" +
         indexes + "</indexes><u64values>" + values + "</u64values></distances2></topology>";
}

TEST(Hwloc, GpuToGpuBandwidthIsReadInMegabytes) {
  const auto topology = read(hwloc("5 6", "0 50000 50000 0"));
  EXPECT_EQ(topology.gpus[0].nvlinks[0].end, LinkEnd::gpu);
  EXPECT_EQ(topology.nvlink_bandwidth(topology.gpus[0]), Bandwidth{50e9});
  EXPECT_EQ(topology.num_nvlinks(topology.gpus[0]), std::nullopt);
  EXPECT_THAT(error_of(hwloc("5 6", "0 1 2")), HasSubstr("3 values for 2 objects; 4 would"));
  EXPECT_THAT(error_of(hwloc("5 7", "0 1 1 0")), HasSubstr("names `7`"));
  EXPECT_THAT(error_of(hwloc("5 6", "0 x 1 0")), HasSubstr("no whole number"));
}

TEST(TopologyDump, AbsurdSizesAreRefused) {
  std::string header = "\t";
  for (int i = 0; i < 30'000; ++i)
    header += "GPU" + std::to_string(i) + "\t";
  EXPECT_THAT(error_of(header + "\nGPU0\tX\n"), HasSubstr("30000 columns; one host has at most"));
  std::string pci;
  for (int i = 0; i < 4'100; ++i)
    pci += "<pci busid='a' class='0x0302'/>";
  EXPECT_THAT(error_of("<system><cpu>" + pci + "</cpu></system>"), HasSubstr("more than 4096"));
}

TEST(TopologyDump, OtherOutputsAreNamedWithWhatToGiveInstead) {
  EXPECT_THAT(error_of("GPU 0: NVIDIA B200 (UUID: GPU-1)\n"), HasSubstr("nvidia-smi topo -m"));
  EXPECT_THAT(error_of("host:1:2 [0] NCCL INFO Bootstrap\n"), HasSubstr("NCCL_TOPO_DUMP_FILE"));
  EXPECT_THAT(error_of("==============NVSMI LOG==============\n"), HasSubstr("-q -x"));
  EXPECT_THAT(error_of(" \tGPU0\tGPU1\n GPU0\tX\tOK\n GPU1\tOK\tX\n\nLegend:\n CNS = Chipset\n"),
              HasSubstr("peer capabilities"));
  EXPECT_THAT(error_of("hello"), StartsWith("t: no topology that is known here"));
  EXPECT_THAT(error_of(""), StartsWith("t: no topology that is known here"));
  EXPECT_THAT(error_of("\xff\xfe<"), HasSubstr("UTF-16"));
  EXPECT_FALSE(is_topology_dump("name = \"x\"\n[gpu]\n"));
  EXPECT_FALSE(is_topology_dump("name = 1  # as NCCL INFO says\n"));
  EXPECT_TRUE(is_topology_dump("```xml\n<system/>\n```"));
}

}  // namespace
}  // namespace k3
