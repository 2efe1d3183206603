// Topology files that others published, each with the reading that a person gave it
// (../shared/topo/INDEX.md).

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/hardware/topology_dump.h"
#include "tests/support/shared_data.h"

namespace k3 {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kNotInFile = -1;

/// What a file reads as.
struct Reading {
  const char* file;
  DumpKind kind;
  int gpus;  ///< whole ones
  int hosts;
  int links;  ///< NVLinks of every GPU that has no fault
  int switches;
  int nics;
  int faults;
  const char* finding;  ///< part of one of them; empty: none is asked for
};

constexpr auto kDump = DumpKind::nccl_topology;
constexpr auto kTemplate = DumpKind::nccl_template;
constexpr auto kMatrix = DumpKind::smi_matrix;

#define K3_MNNVL(name) "datacrunch-research+nccl-eBPF/" name
#define K3_SIMLLM(name) "openfabric-systems+simllm/" name
#define K3_AZURE(name) "Azure+azhpc-images/topology/" name
#define K3_SENTINEL(name) "NVIDIA+NVSentinel/" name
#define K3_QUERY(name) "NVIDIA+k8s-test-infra/tests/e2e/go/assertions/nvidiasmi/testdata/" name

const Reading kReadings[] = {
    {K3_MNNVL("mnnvl_topo_1tray_healthy.xml"), kDump, 4, 1, 18, 1, 1, 0, "link_width 1"},
    {K3_MNNVL("mnnvl_topo_2tray_0405.xml"), kDump, 8, 2, 18, 1, 2, 0, "2 hosts in one file"},
    {K3_MNNVL("mnnvl_topo_0405_fault_rank5_discovery_skip_fused.xml"), kDump, 8, 2, 18, 1, 2, 1,
     "gpu5 has no NVLink row, 7 other GPUs have 18"},
    {K3_MNNVL("mnnvl_topo_0405_fault_rank5_gpu1_fused.xml"), kDump, 8, 2, 18, 1, 2, 1,
     "gpu5 has an NVLink row with count 0"},
    {K3_MNNVL("mnnvl_topo_0405_fault_gpu1_dummy_sentinel_fused.xml"), kDump, 8, 2, 18, 1, 2, 1,
     "gpu1 has only an NVLink row whose target 0000:00:00.0 is nothing in this file"},
    {K3_SIMLLM("vastai_hgx_b200_8x/nccl_topo.xml"), kDump, 8, 1, 18, 1, 1, 0,
     "eth0 is listed 2 times: one NIC"},
    {K3_SIMLLM("vastai_hgx_h200_8x/nccl_topo.xml"), kDump, 8, 1, 18, 4, 1, 0, "no RDMA NIC"},
    {K3_SIMLLM("perlmutter_a100/nccl_topo.xml"), kDump, 4, 1, 12, 0, 4, 0, ""},
    {"sugarlxn+nccl_test/nccl_topo.xml", kDump, 4, 1, 0, 0, 1, 0,
     "60 rows of 15 virtual interfaces"},
    {K3_AZURE("ncv4-topo.xml"), kDump, 4, 1, kNotInFile, 0, 1, 0,
     "4 NVLink rows name the GPU itself"},
    {"NVIDIA+nccl_docs/vr200_mlopart_fragment.xml", kDump, 1, 1, 36, 1, 0, 0,
     "its 36 NVLinks and 7 C2C links are shared"},
    {K3_AZURE("ndv4-topo.xml"), kTemplate, 8, 1, kNotInFile, 0, 8, 0, "NVLink is not in this file"},
    {K3_AZURE("ndv2-topo.xml"), kTemplate, 8, 1, kNotInFile, 0, 1, 0, "NVLink is not in this file"},
    {"microsoft+superbenchmark/dockerfile/etc/ndv5-topo.xml", kTemplate, 8, 1, kNotInFile, 0, 8, 0,
     "NVLink is not in this file"},
    {"aws+aws-ofi-nccl/topology/g5.48xl-topo.xml", kTemplate, 0, 1, kNotInFile, 0, 0, 0,
     "9 PCI devices without a class: how many are GPUs is not in this file"},
    {"oracle-quickstart+oci-hpc/samples/gpu/topo-flattened.xml", kTemplate, 8, 1, kNotInFile, 0, 8,
     0, "NVLink is not in this file"},
    {K3_MNNVL("mnnvl_graph_0405_healthy_control.xml"), DumpKind::nccl_graph, 8, 2, kNotInFile, 0, 0,
     0, "the channels that NCCL found"},
    {K3_SIMLLM("vastai_hgx_b200_8x/nccl_graph.xml"), DumpKind::nccl_graph, 8, 1, kNotInFile, 0, 0,
     0, ""},
    {K3_QUERY("hardware/qx-gb300.xml"), DumpKind::smi_query, 4, 1, kNotInFile, 0, 0, 0,
     "-q -x does not count links"},
    {K3_QUERY("hardware/qx-gb200.xml"), DumpKind::smi_query, 4, 1, kNotInFile, 0, 0, 0, ""},
    {K3_QUERY("hardware/qx-h100.xml"), DumpKind::smi_query, 8, 1, kNotInFile, 0, 0, 0, ""},
    {K3_QUERY("qx-gb200-fabric-degraded.xml"), DumpKind::smi_query, 2, 1, kNotInFile, 0, 0, 1,
     "gpu1: the NVLink fabric is not healthy: summary Unhealthy, route_unhealthy True"},
    {K3_SIMLLM("vastai_hgx_b200_8x/nvidia-smi_topo_-m.txt"), kMatrix, 8, 1, 18, 1, 0, 0,
     "no NIC columns"},
    {K3_SIMLLM("vastai_hgx_b200_8x/nvidia-smi_nvlink_-s.txt"), DumpKind::smi_nvlink_status, 8, 1,
     18, 0, 0, 0, "53.125 GB/s is the signalling rate; such a link carries 50 GB/s"},
    {K3_SIMLLM("vastai_hgx_b200_8x/nvidia-smi_nvlink_-R_first2gpus.txt"),
     DumpKind::smi_nvlink_remote, 2, 1, 18, 1, 0, 0, ""},
    {K3_SIMLLM("vastai_hgx_h200_8x/nvidia-smi_topo_-m.txt"), kMatrix, 8, 1, 18, 1, 8, 0, ""},
    {K3_SIMLLM("vastai_hgx_h200_8x/nvidia-smi_nvlink_-s.txt"), DumpKind::smi_nvlink_status, 8, 1,
     18, 0, 0, 0, "26.562 GB/s is the signalling rate"},
    {K3_SIMLLM("vastai_hgx_h200_8x/nvidia-smi_nvlink_-R_gpu0.txt"), DumpKind::smi_nvlink_remote, 1,
     1, 18, 4, 0, 0, ""},
    {"leptonai+gpud/components/accelerator/nvidia/fabric-manager/testdata/"
     "nvidia-smi.nvlink.status.a100",
     DumpKind::smi_nvlink_status, 8, 1, 12, 0, 0, 0, "where the links lead is not in this file"},
    {K3_SENTINEL("gb200_4gpu_all_sys.txt"), kMatrix, 4, 1, 18, 1, 6, 0,
     "which NIC belongs to which GPU is not in this file"},
    {K3_SENTINEL("h100_dgx_mlx5_columns.txt"), kMatrix, 8, 1, 18, 1, 10, 0, "mlx5_8, mlx5_9"},
    {K3_SENTINEL("oci_nic_legend_4gpu.txt"), kMatrix, 4, 1, 18, 1, 4, 0, ""},
    {K3_SENTINEL("out_of_order_rows.txt"), kMatrix, 3, 1, 18, 1, 1, 0, ""},
    {K3_SENTINEL("preamble_line.txt"), kMatrix, 2, 1, 18, 0, 1, 0, "whether a switch lies between"},
    {K3_SENTINEL("wrapped_header_8gpu_oci.txt"), kMatrix, 8, 1, 18, 1, 2, 0, ""},
    {K3_SENTINEL("ansi_escape_header.txt"), kMatrix, 2, 1, 18, 0, 2, 0, ""},
    {K3_SENTINEL("concatenated_nic_labels.txt"), kMatrix, 2, 1, 18, 0, 4, 0,
     "`NIC28NIC29` is two labels run together"},
    {"Oneflow-Inc+DLPerf/dgx1v_class_8xV100-SXM2_topo_-m.txt", kMatrix, 8, 1, 6, 0, 1, 0,
     "16 of 28 pairs of GPUs have NVLink"},
    {"open-mpi+hwloc/tests/hwloc/xml/nvidiaDGX2.xml", DumpKind::hwloc, 16, 1, kNotInFile, 12, 0, 0,
     "the 2 groups of 8 + 8 GPUs are one machine"},
    {"open-mpi+hwloc/tests/hwloc/linux/nvidia-dgx-gb10.xml", DumpKind::hwloc, 0, 1, kNotInFile, 0,
     0, 0, "one GB10 GPU and no NVLink"},
};

DiscoveredTopology read(const std::filesystem::path& shared, const std::string& file) {
  auto topology = load_topology_dump(shared / "topo" / file);
  EXPECT_TRUE(topology) << topology.error().text();
  return topology ? *std::move(topology) : DiscoveredTopology{};
}

std::vector<std::string> texts(const DiscoveredTopology& topology, Severity least) {
  std::vector<std::string> found;
  for (const Finding& finding : topology.findings) {
    if (finding.severity >= least) found.push_back(finding.text);
  }
  return found;
}

TEST(TopologyIndex, EveryFileReadsAsAPersonReadIt) {
  K3_SHARED_OR_SKIP(shared);
  for (const Reading& expected : kReadings) {
    SCOPED_TRACE(expected.file);
    const DiscoveredTopology topology = read(shared, expected.file);
    EXPECT_EQ(topology.kind, expected.kind);
    EXPECT_EQ(topology.num_whole_gpus(), expected.gpus);
    EXPECT_THAT(topology.hosts, SizeIs(expected.hosts));
    EXPECT_THAT(topology.switches, SizeIs(expected.switches));
    EXPECT_THAT(topology.nics, SizeIs(expected.nics));
    EXPECT_THAT(texts(topology, Severity::fault), SizeIs(expected.faults));
    if (*expected.finding != '\0') {
      EXPECT_THAT(texts(topology, Severity::note), Contains(HasSubstr(expected.finding)));
    }
    int without = 0;
    for (const DiscoveredGpu& gpu : topology.gpus) {
      const int links = topology.num_nvlinks(gpu).value_or(kNotInFile);
      if (links != expected.links) ++without;
    }
    EXPECT_EQ(without, topology.nvlink_absent.empty() ? expected.faults : 0);
  }
}

TEST(TopologyIndex, NoFileOfTheFolderIsLeftOut) {
  K3_SHARED_OR_SKIP(shared);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shared / "topo")) {
    if (!entry.is_regular_file() || entry.path().filename() == "INDEX.md") continue;
    const std::string file = entry.path().lexically_relative(shared / "topo").string();
    EXPECT_TRUE(std::ranges::any_of(kReadings, [&](const Reading& reading) {
      return file == reading.file;
    })) << file;
  }
}

TEST(TopologyIndex, TwoTraysShareOneSwitchDomainAndRepeatTheirBusIds) {
  K3_SHARED_OR_SKIP(shared);
  const DiscoveredTopology topology = read(shared, K3_MNNVL("mnnvl_topo_2tray_0405.xml"));
  ASSERT_THAT(topology.gpus, SizeIs(8));
  EXPECT_THAT(topology.cpus, SizeIs(4));
  for (int i = 0; i < 8; ++i) {
    const DiscoveredGpu& gpu = topology.gpus[static_cast<std::size_t>(i)];
    EXPECT_EQ(gpu.rank, i);
    EXPECT_EQ(gpu.host, i / 4);
    EXPECT_EQ(gpu.sm, 103);
    EXPECT_EQ(gpu.c2c_links, 5);
    ASSERT_THAT(gpu.nvlinks, SizeIs(1));
    EXPECT_EQ(gpu.nvlinks[0].end, LinkEnd::hidden_switch);
    EXPECT_EQ(gpu.nvlinks[0].index, 0);
  }
  EXPECT_EQ(topology.gpus[0].bus_id, topology.gpus[4].bus_id);
  EXPECT_EQ(topology.nics[0].host, 0);
  EXPECT_EQ(topology.nics[1].host, 1);
  EXPECT_EQ(topology.nics[0].speed, Bandwidth{12.5e9});  // 100 Gb/s
}

TEST(TopologyIndex, H200ReachesFourNamedSwitchesOverFourAndFiveLinks) {
  K3_SHARED_OR_SKIP(shared);
  for (const char* file : {K3_SIMLLM("vastai_hgx_h200_8x/nccl_topo.xml"),
                           K3_SIMLLM("vastai_hgx_h200_8x/nvidia-smi_nvlink_-R_gpu0.txt")}) {
    SCOPED_TRACE(file);
    const DiscoveredTopology topology = read(shared, file);
    for (const DiscoveredGpu& gpu : topology.gpus) {
      std::vector<std::string> rows;
      for (const NvlinkRow& row : gpu.nvlinks) {
        EXPECT_EQ(row.end, LinkEnd::named_switch);
        const auto& named = topology.switches[static_cast<std::size_t>(row.index)];
        rows.push_back(normal_bus_id(named.bus_id) + " " + std::to_string(*row.count));
      }
      std::ranges::sort(rows);
      EXPECT_THAT(rows, ElementsAre("0:c3:00.0 4", "0:c4:00.0 5", "0:c5:00.0 5", "0:c6:00.0 4"));
    }
  }
}

TEST(TopologyIndex, PerlmutterLinksEveryPairByFour) {
  K3_SHARED_OR_SKIP(shared);
  const DiscoveredTopology topology = read(shared, K3_SIMLLM("perlmutter_a100/nccl_topo.xml"));
  EXPECT_EQ(topology.gpus[0].numa, 3);
  for (const DiscoveredGpu& gpu : topology.gpus) {
    ASSERT_THAT(gpu.nvlinks, SizeIs(3));
    for (const NvlinkRow& row : gpu.nvlinks) {
      EXPECT_EQ(row.end, LinkEnd::gpu);
      EXPECT_EQ(row.count, 4);
    }
  }
  for (const DiscoveredNic& nic : topology.nics) {
    EXPECT_EQ(nic.kind, NicKind::rdma);
    EXPECT_EQ(nic.speed, Bandwidth{25e9});  // 200 Gb/s
  }
}

TEST(TopologyIndex, PciSwitchesSayWhichDevicesAreNear) {
  K3_SHARED_OR_SKIP(shared);
  const DiscoveredTopology b200 = read(shared, K3_SIMLLM("vastai_hgx_b200_8x/nccl_topo.xml"));
  ASSERT_THAT(b200.pci_switches, SizeIs(4));
  for (const DiscoveredPciSwitch& pci_switch : b200.pci_switches)
    EXPECT_EQ(pci_switch.gpus, 2);
  EXPECT_EQ(b200.nics[0].kind, NicKind::socket);
  EXPECT_EQ(b200.nics[0].numa, std::nullopt);
  const DiscoveredTopology azure = read(shared, K3_AZURE("ndv4-topo.xml"));
  for (const DiscoveredPciSwitch& pci_switch : azure.pci_switches) {
    EXPECT_EQ(pci_switch.gpus, 2);
    EXPECT_EQ(pci_switch.nics, 2);
  }
  for (const DiscoveredNic& nic : azure.nics)
    EXPECT_EQ(nic.kind, NicKind::rdma);
}

TEST(TopologyIndex, MatricesSayWhichNicIsNearWhichGpu) {
  K3_SHARED_OR_SKIP(shared);
  const DiscoveredTopology dgx = read(shared, K3_SENTINEL("h100_dgx_mlx5_columns.txt"));
  for (int i = 0; i < 8; ++i)
    EXPECT_THAT(dgx.nics[static_cast<std::size_t>(i)].near_gpus, ElementsAre(i));
  EXPECT_THAT(dgx.nics[8].near_gpus, IsEmpty());
  const DiscoveredTopology h200 =
      read(shared, K3_SIMLLM("vastai_hgx_h200_8x/nvidia-smi_topo_-m.txt"));
  EXPECT_EQ(h200.nics[3].name, "mlx5_3");
  EXPECT_THAT(h200.nics[3].near_gpus, ElementsAre(3));
  EXPECT_EQ(h200.gpus[4].numa, 1);
  const DiscoveredTopology rows = read(shared, K3_SENTINEL("out_of_order_rows.txt"));
  EXPECT_THAT(rows.gpus[2].paths, ElementsAre("NV18", "NV18", "X"));
  EXPECT_THAT(rows.nics[0].paths, ElementsAre("PIX", "SYS", "NODE"));
}

TEST(TopologyIndex, Dgx1HasAHybridCubeMesh) {
  K3_SHARED_OR_SKIP(shared);
  const DiscoveredTopology topology =
      read(shared, "Oneflow-Inc+DLPerf/dgx1v_class_8xV100-SXM2_topo_-m.txt");
  for (const DiscoveredGpu& gpu : topology.gpus) {
    EXPECT_EQ(std::ranges::count(gpu.paths, "NV1"), 2);
    EXPECT_EQ(std::ranges::count(gpu.paths, "NV2"), 2);
    EXPECT_EQ(std::ranges::count(gpu.paths, "SYS"), 3);
  }
}

TEST(TopologyIndex, Dgx2GpusHaveSixSwitchesOfTheirOwnBaseboard) {
  K3_SHARED_OR_SKIP(shared);
  const DiscoveredTopology topology = read(shared, "open-mpi+hwloc/tests/hwloc/xml/nvidiaDGX2.xml");
  EXPECT_EQ(topology.product, "NVIDIA DGX-2H");
  EXPECT_THAT(topology.network_gap, HasSubstr("links between switches are not in it"));
  for (const DiscoveredGpu& gpu : topology.gpus) {
    EXPECT_EQ(gpu.product, "Tesla V100-SXM3-32GB-H");
    EXPECT_THAT(gpu.nvlinks, SizeIs(6));
    EXPECT_EQ(topology.nvlink_bandwidth(gpu), Bandwidth{150e9});  // 6 x 25000 MB/s
  }
}

TEST(TopologyIndex, GraphDumpsGiveChannelsAndSpeeds) {
  K3_SHARED_OR_SKIP(shared);
  const DiscoveredTopology topology =
      read(shared, K3_MNNVL("mnnvl_graph_0405_healthy_control.xml"));
  ASSERT_THAT(topology.graphs, SizeIs(5));
  EXPECT_EQ(topology.graphs[0].name, "ring");
  EXPECT_EQ(topology.graphs[0].channels, 16);
  EXPECT_EQ(topology.graphs[0].intra_speed, Bandwidth{45e9});
  EXPECT_EQ(topology.graphs[0].hosts, 2);
  EXPECT_EQ(topology.graphs[2].channels, 0);
  EXPECT_EQ(topology.graphs[3].name, "NVLS");
  EXPECT_EQ(topology.graphs[3].inter_speed, Bandwidth{90e9});
  const DiscoveredTopology b200 = read(shared, K3_SIMLLM("vastai_hgx_b200_8x/nccl_graph.xml"));
  EXPECT_EQ(b200.graphs[1].intra_speed, Bandwidth{40e9});
}

TEST(TopologyIndex, QueriesGiveThePlaceInTheRack) {
  K3_SHARED_OR_SKIP(shared);
  const DiscoveredTopology topology = read(shared, K3_QUERY("hardware/qx-gb300.xml"));
  const char* modules[] = {"2", "1", "4", "3"};
  for (std::size_t i = 0; i < 4; ++i) {
    using Property = std::pair<std::string, std::string>;
    const auto& properties = topology.gpus[i].properties;
    EXPECT_THAT(properties, Contains(Property("module", modules[i])));
    EXPECT_THAT(properties, Contains(Property("tray", "15")));
    EXPECT_THAT(properties, Contains(Property("slot", "25")));
    EXPECT_THAT(properties, Contains(Property("clique", "32766")));
    EXPECT_THAT(properties, Contains(Property("peer type", "Switch Connected")));
    EXPECT_THAT(properties, Contains(Property("C2C", "Enabled")));
    EXPECT_EQ(topology.gpus[i].product, "NVIDIA GB300");
  }
}

}  // namespace
}  // namespace k3
