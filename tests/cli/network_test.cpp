// k3rack alltoall and collective, and what simulations say about the network.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/program_test.h"

namespace k3 {
namespace {

using ::testing::HasSubstr;

class Network : public test::ProgramTest {
 protected:
  Network() { write("m.csv", "0, 9e8\n4.5e8, 0\n"); }
};

TEST_F(Network, AllToAllWritesCompletions) {
  // 0.9 GB over 900 GB/s: 1 ms.
  const Json json = json_of({"alltoall", "gb300-nvl72", "m.csv", "-o", "out.csv"});
  EXPECT_DOUBLE_EQ(json.find("makespan_s")->number(), 1e-3);
  EXPECT_DOUBLE_EQ(json.find("bound_s")->number(), 1e-3);
  EXPECT_EQ(json.find("flows")->integer(), 2);
  EXPECT_EQ(json.find("subflows")->integer(), 36);
  EXPECT_TRUE(json.find("wall_s")->is_number());
  EXPECT_EQ(read("out.csv"), "src,dst,completion_s\n0,1,0.001\n1,0,0.00050000000000000001\n");
  EXPECT_THAT(error_of({"alltoall", "gb300-nvl72", "m.csv", "-o", "out.csv"}),
              HasSubstr("out.csv"));
}

TEST_F(Network, AllToAllKnowsStripingFaultsAndLatency) {
  const auto makespan = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"alltoall", "gb300-nvl72", "m.csv"});
    return json_of(words).find("makespan_s")->number();
  };
  EXPECT_DOUBLE_EQ(makespan({"--striping", "hash"}), 18e-3);
  EXPECT_DOUBLE_EQ(makespan({"--latency", "500 ns"}), 1e-3 + 500e-9);
  EXPECT_DOUBLE_EQ(makespan({"--latency", "0"}), 1e-3);
  EXPECT_DOUBLE_EQ(makespan({"--fault", "gpu1:plane7=0.5"}), 2e-3);
  EXPECT_DOUBLE_EQ(makespan({"--fault", "plane4=0", "--striping", "live"}), 1e-3 * 18 / 17);
  EXPECT_THAT(error_of({"alltoall", "gb300-nvl72", "m.csv", "--fault", "plane4=0"}),
              HasSubstr("gpu0 -> plane4, which is dead; use live striping"));
}

TEST_F(Network, AllToAllCountsInWords) {
  write("one.csv",
        "\xef\xbb\xbf"
        "0, 9e8\n0, 0\n");  // as spreadsheets save it
  const std::string out =
      run({"alltoall", "gb300-nvl72", "one.csv", "--fault", "gpu1:plane7=0.5"}).out;
  EXPECT_THAT(out, HasSubstr("gb300-nvl72 with 1 fault, "));
  EXPECT_THAT(out, HasSubstr("1 pair, 18 parts, "));
}

TEST_F(Network, FaultsThatContradictEachOtherAreRefused) {
  EXPECT_THAT(error_of({"alltoall", "gb300-nvl72", "m.csv", "--fault", "plane4=0.5", "--fault",
                        "gpu1:plane4=0.5"}),
              HasSubstr("--fault: `plane4=0.5` and `gpu1:plane4=0.5` both say what is left of "
                        "gpu1:plane4; give only one"));
  const Json twice = json_of({"alltoall", "gb300-nvl72", "m.csv", "--fault", "gpu1:plane7=0.5",
                              "--fault", "gpu1:plane7=0.5"});
  EXPECT_DOUBLE_EQ(twice.find("makespan_s")->number(), 2e-3);
  EXPECT_EQ(twice.find("faults")->items().size(), 1U);
}

TEST_F(Network, AllToAllBetweenRacksGoesOverNics) {
  std::string rows;
  for (int row = 0; row < 73; ++row) {
    for (int column = 0; column < 73; ++column)
      rows += std::string(column == 0 ? "" : ",") + (row == 0 && column == 72 ? "1e8" : "0");
    rows += '\n';
  }
  write("wide.csv", rows);
  const Json json = json_of({"alltoall", "gb300-nvl72x2", "wide.csv"});
  EXPECT_DOUBLE_EQ(json.find("makespan_s")->number(), 1e-3) << "one 100 GB/s NIC";
}

TEST_F(Network, DiagonalIsNamedAndNotSent) {
  write("d.csv", "5,1\n0,5\n");
  const test::ProgramResult result = run({"alltoall", "gb300-nvl72", "d.csv", "--json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("diagonal"));
  EXPECT_EQ(Json::parse(result.out, "out")->find("flows")->integer(), 1);
}

TEST_F(Network, OutputsReplaceFilesOnly) {
  std::filesystem::create_symlink(dir / "elsewhere", dir / "link");
  EXPECT_THAT(error_of({"alltoall", "gb300-nvl72", "m.csv", "-o", "link", "--force"}),
              HasSubstr("no regular file"));
  EXPECT_THAT(error_of({"alltoall", "gb300-nvl72", "m.csv", "-o", ""}),
              HasSubstr("--output: is empty"));
  EXPECT_THAT(error_of({"alltoall", "gb300-nvl72", "m.csv", "-o", "m.csv", "--force"}),
              HasSubstr("is read by this command"));
}

TEST_F(Network, WrongMatricesAreOneLine) {
  write("ragged.csv", "0,1\n1\n");
  EXPECT_THAT(error_of({"alltoall", "gb300-nvl72", "ragged.csv"}),
              HasSubstr("ragged.csv:2: has 1"));
  write("flat.csv", "0,1,2\n");
  EXPECT_THAT(error_of({"alltoall", "gb300-nvl72", "flat.csv"}), HasSubstr("must be square"));
  write("negative.csv", "0,-1\n0,0\n");
  EXPECT_THAT(error_of({"alltoall", "gb300-nvl72", "negative.csv"}),
              HasSubstr("negative.csv:1: -1 bytes from 0 to 1"));
  EXPECT_THAT(error_of({"alltoall", "hgx-h100", "absent.csv"}), HasSubstr("absent.csv"));
  write("nine.csv", "0,0,0,0,0,0,0,0,0\n" + std::string("0,0,0,0,0,0,0,0,0\n") +
                        "0,0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0,0\n"
                        "0,0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0,0\n"
                        "0,0,0,0,0,0,0,0,0\n");
  EXPECT_THAT(error_of({"alltoall", "hgx-h100", "nine.csv"}), HasSubstr("has 9 ranks"));
  EXPECT_THAT(error_of({"alltoall", "gb300-nvl72", "m.csv", "--latency", "5"}),
              HasSubstr("--latency"));
  EXPECT_THAT(error_of({"alltoall", "gb300-nvl72", "m.csv", "--fault", "gpu99=gone"}),
              HasSubstr("--fault"));
  EXPECT_THAT(error_of({"alltoall", "local", "m.csv"}), HasSubstr("no links"));
}

TEST_F(Network, CollectiveChoosesByCost) {
  const Json json = json_of({"collective", "gb300-nvl72", "all-reduce", "64 MiB"});
  EXPECT_EQ(json.find("chosen")->string(), "nvls");
  EXPECT_EQ(json.find("algorithms")->items().size(), 4U);
  EXPECT_EQ(json.find("ranks")->integer(), 72);
  const Json box = json_of({"collective", "hgx-h100", "all-to-all", "1 GB", "--latency", "0"});
  // Seven eighths of 1 GB over 450 GB/s.
  EXPECT_DOUBLE_EQ(box.find("algorithms")->items()[0].find("seconds")->number(), 0.875 / 450);
  // Four links of 1.25 us on the way between racks.
  const Json racks = json_of({"collective", "gb300-nvl72x2", "send-recv", "1 B"});
  EXPECT_GE(racks.find("algorithms")->items()[0].find("seconds")->number(), 5e-6);
  std::vector<std::string> lonely{"collective", "hgx-h100", "all-reduce", "1 MB"};
  for (int gpu = 0; gpu < 7; ++gpu)
    lonely.insert(lonely.end(), {"--fault", "gpu" + std::to_string(gpu) + "=gone"});
  EXPECT_THAT(error_of(lonely), HasSubstr("1 live GPU; a collective needs at least 2"));
  EXPECT_THAT(error_of({"collective", "hgx-h100", "all-redcue", "1 GB"}), HasSubstr("all-reduce"));
  EXPECT_THAT(error_of({"collective", "hgx-h100", "all-reduce", "1 GB", "--ranks", "9"}),
              HasSubstr("8 live GPUs"));
}

TEST_F(Network, SimulationsSayWhichNetwork) {
  const std::vector<std::string> scenario{"simulate", "scenarios/demo/mini-8.toml", "--set",
                                          "workload.steps=1"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), scenario.begin(), scenario.end());
    return words;
  };
  const Json exact = json_of(with({"-o", "e.k3r"}));
  EXPECT_EQ(exact.find("network")->string(), "exact");
  EXPECT_EQ(exact.find("endpoint_error"), nullptr);
  const Json endpoint = json_of(with({"--network", "endpoint"}));
  EXPECT_EQ(endpoint.find("network")->string(), "endpoint");
  ASSERT_NE(endpoint.find("endpoint_error"), nullptr);
  EXPECT_LE(endpoint.find("step_ms")->number(), exact.find("step_ms")->number());
  const test::ProgramResult links =
      run({"inspect", "e.k3r", "--sql", "SELECT count(*) > 0, min(busy_ns) > 0 FROM v_link_use"});
  EXPECT_EQ(links.exit_code, 0) << links.err;
  EXPECT_THAT(links.out, HasSubstr("1"));
}

}  // namespace
}  // namespace k3
