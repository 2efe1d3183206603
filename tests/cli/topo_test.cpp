#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/program_test.h"

namespace k3 {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kDump =
    "<system version=\"1\"><cpu numaid=\"0\">\n"
    "<pci busid=\"0000:0a:00.0\" class=\"0x030200\"><gpu dev=\"0\" sm=\"90\" rank=\"0\">"
    "<nvlink target=\"fffffff:ff:ff.0\" count=\"18\" tclass=\"0x068000\"/></gpu></pci>\n"
    "<pci busid=\"0000:0b:00.0\" class=\"0x030200\"><gpu dev=\"1\" sm=\"90\" rank=\"1\"/></pci>\n"
    "</cpu></system>\n";

constexpr const char* kMatrix =
    "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV4\t0-3\nGPU1\tNV4\t X \t0-3\n";

class Topo : public test::ProgramTest {
 protected:
  static std::vector<std::string> topo(std::vector<std::string> words) {
    words.insert(words.begin(), "topo");
    return words;
  }

  test::ProgramResult run(const std::vector<std::string>& words) const {
    return ProgramTest::run(topo(words));
  }

  Json json_of(const std::vector<std::string>& words) const {
    return ProgramTest::json_of(topo(words));
  }

  std::string error_of(const std::vector<std::string>& words) const {
    return ProgramTest::error_of(topo(words));
  }

  static double number(const Json& json, const char* key) {
    const Json* value = json.find(key);
    EXPECT_NE(value, nullptr) << key;
    return value == nullptr ? 0 : value->number();
  }
};

TEST_F(Topo, MachineCountsNodesLinksAndBisection) {
  const Json json = json_of({"gb300-nvl72"});
  const Json::Array& nodes = json.find("nodes")->items();
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].find("kind")->string(), "gpu");
  EXPECT_EQ(number(nodes[0], "count"), 72);
  EXPECT_EQ(number(nodes[1], "count"), 18);
  EXPECT_EQ(json.find("links")->items().size(), 2U * 72 * 18);
  EXPECT_EQ(number(json, "bisection_bytes_per_s"), 36 * 18 * 50e9);
  EXPECT_EQ(number(json.find("gpus")->items()[71], "send_bytes_per_s"), 900e9);
  EXPECT_TRUE(json.find("dead_links")->items().empty());
}

TEST_F(Topo, FaultsSayWhatTheyChangeAndDeadLinksAreNamed) {
  const std::vector<std::string> words{"gb300-nvl72",     "--fault", "plane4=0", "--fault",
                                       "gpu3:plane7=0.5", "--fault", "gpu9=gone"};
  const Json json = json_of(words);
  const Json::Array& faults = json.find("faults")->items();
  ASSERT_EQ(faults.size(), 3U);
  EXPECT_EQ(number(faults[0], "links_dead"), 72);
  EXPECT_EQ(number(faults[1], "links_reduced"), 1);
  EXPECT_EQ(number(faults[2], "gpus_gone"), 1);
  EXPECT_EQ(number(faults[2], "links_dead"), 17);  // the one to plane4 was dead
  EXPECT_EQ(number(json.find("gpus")->items()[3], "send_bytes_per_s"), 16.5 * 50e9);
  // Of 71 GPUs 35 are in the first half; one of their 35 x 17 links is left with half.
  EXPECT_EQ(number(json, "bisection_bytes_per_s"), (35 * 17 - 0.5) * 50e9);
  EXPECT_EQ(number(json, "healthy_bisection_bytes_per_s"), 36 * 18 * 50e9);
  const std::string text = run(words).out;
  EXPECT_THAT(text, HasSubstr("plane4: all 72 links"));
  EXPECT_THAT(text, HasSubstr("gpu9: all 18 links"));
  EXPECT_THAT(text, HasSubstr("gpu3:plane7=0.5"));
  EXPECT_THAT(text, HasSubstr("1 link reduced"));
}

TEST_F(Topo, UnevenPlanesAndSeveralRacksAreShown) {
  EXPECT_THAT(run({"hgx-h100"}).out, HasSubstr("5 + 4 + 4 + 5 links of every GPU"));
  const std::string racks = run({"gb300-nvl72x2"}).out;
  EXPECT_THAT(racks, HasSubstr("144 GPUs in 2 racks"));
  EXPECT_THAT(racks, HasSubstr("leaf"));
  EXPECT_THAT(racks, HasSubstr("spine"));
}

TEST_F(Topo, GraphmlIsWrittenOnceAndReplacedOnlyByForce) {
  ASSERT_EQ(run({"hgx-b200", "--graphml", "g.graphml"}).exit_code, 0);
  const std::string graph = read("g.graphml");
  EXPECT_THAT(graph, HasSubstr("<graphml"));
  EXPECT_THAT(graph, HasSubstr("gpu7"));
  EXPECT_THAT(error_of({"hgx-b200", "--graphml", "g.graphml"}), HasSubstr("--force"));
  EXPECT_EQ(run({"hgx-h100", "--graphml", "g.graphml", "--force"}).exit_code, 0);
  EXPECT_NE(read("g.graphml"), graph);
}

TEST_F(Topo, ADumpShowsItsTableAndFindings) {
  write("d.txt", kDump);  // told by its content
  const test::ProgramResult result = run({"d.txt"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("d.txt: NCCL topology dump\n  2 GPUs on 1 host"));
  EXPECT_THAT(result.out, HasSubstr("fault    gpu1 has no NVLink row, 1 other GPU has 18"));
  EXPECT_THAT(result.out, HasSubstr("datasheet of GPUs of compute capability 9.0"));
  const Json json = json_of({"d.txt"});
  EXPECT_EQ(json.find("kind")->string(), "NCCL topology dump");
  EXPECT_TRUE(json.find("has_fault")->boolean());
  const Json::Array& gpus = json.find("gpus")->items();
  EXPECT_EQ(number(gpus[0], "nvlinks"), 18);
  EXPECT_EQ(number(gpus[1], "nvlinks"), 0);
  EXPECT_TRUE(gpus[1].find("c2c_links")->is(Json::Kind::null));
  EXPECT_EQ(number(*json.find("network"), "link_bytes_per_s"), 25e9);
}

TEST_F(Topo, GraphmlOfADumpNeedsTheSpeedOfALink) {
  write("m.txt", kMatrix);
  EXPECT_THAT(run({"m.txt"}).out, HasSubstr("4 links (their speed is not in this file)"));
  EXPECT_THAT(error_of({"m.txt", "--graphml", "g.graphml"}), HasSubstr("give --link-bandwidth"));
  ASSERT_EQ(run({"m.txt", "--graphml", "g.graphml", "--link-bandwidth", "25 GB/s"}).exit_code, 0);
  EXPECT_THAT(read("g.graphml"), HasSubstr(">1e+11<"));  // 4 x 25 GB/s
  write("t.xml", "<system><cpu><pci busid='a' class='0x0302'/></cpu></system>");
  EXPECT_THAT(error_of({"t.xml", "--graphml", "h.graphml"}), HasSubstr("NVLink is not in this"));
}

TEST_F(Topo, ANetworkThatIsNotWholeHasNoBisection) {
  write("s.txt", "GPU 0: A\n Link 0: 25 GB/s\nGPU 1: A\n Link 0: 25 GB/s\n");
  const Json json = json_of({"s.txt"});
  const Json& network = *json.find("network");
  EXPECT_EQ(number(network, "link_bytes_per_s"), 25e9);
  EXPECT_TRUE(network.find("bisection_bytes_per_s")->is(Json::Kind::null));
  EXPECT_EQ(network.find("gap")->string(), "where links lead is not in it");
  EXPECT_THAT(run({"s.txt"}).out, HasSubstr("NVLink bisection is not in this file"));
}

TEST_F(Topo, WrongInputIsOneLine) {
  EXPECT_THAT(error_of({"gb300-nvl27"}), HasSubstr("did you mean `gb300-nvl72`"));
  EXPECT_THAT(error_of({"local"}), HasSubstr("share memory"));
  EXPECT_THAT(error_of({"gb300-nvl72", "--fault", "gpu80=gone"}), HasSubstr("gpu0 to gpu71"));
  EXPECT_THAT(error_of({"gb300-nvl72", "--fault", "gpu3"}), HasSubstr("--fault"));
  EXPECT_THAT(error_of({"gb300-nvl72", "--link-bandwidth", "1 GB/s"}), HasSubstr("is for dumps"));
  write("d.xml", kDump);
  EXPECT_THAT(error_of({"d.xml", "--fault", "plane4=0"}), HasSubstr("applied to machines"));
  EXPECT_THAT(error_of({"d.xml", "--link-bandwidth", "25"}), HasSubstr("has no unit"));
  write("cut.xml", std::string(kDump).substr(0, 100));
  EXPECT_THAT(error_of({"cut.xml"}), HasSubstr("cut.xml:2:"));
  write("m.toml", "name = \"x\"\nnmae = 1\n");
  EXPECT_THAT(error_of({"m.toml"}), HasSubstr("m.toml:"));
  write("words.txt", "hello\n");
  EXPECT_THAT(error_of({"words.txt"}), HasSubstr("no topology that is known here"));
  EXPECT_THAT(error_of({"."}), HasSubstr("is a folder"));
}

}  // namespace
}  // namespace k3
