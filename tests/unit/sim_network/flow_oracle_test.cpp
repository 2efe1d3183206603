// Completion times per flow, computed by others (../shared/oracle): SimGrid and a progressive
// filler in numpy for the healthy network, the latter with faults.

#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "engine/hardware/topology.h"
#include "engine/text/file.h"
#include "engine/text/json.h"
#include "engine/text/number_table.h"
#include "sim/network/all_to_all.h"
#include "tests/support/shared_data.h"

namespace k3::sim {
namespace {

namespace fs = std::filesystem;

/// "src,dst,completion_s" after its header.
std::map<std::pair<int, int>, double> read_completions(const fs::path& path) {
  const std::string text = read_text_file(path).value();
  const NumberTable table =
      parse_number_table(std::string_view(text).substr(text.find('\n') + 1), path.string()).value();
  std::map<std::pair<int, int>, double> completions;
  for (int row = 0; row < table.rows; ++row) {
    completions[{static_cast<int>(table.at(row, 0)), static_cast<int>(table.at(row, 1))}] =
        table.at(row, 2);
  }
  return completions;
}

void expect_equal(const fs::path& bytes_path,
                  const fs::path& completion_path,
                  Striping striping,
                  const std::vector<Fault>& faults) {
  SCOPED_TRACE(completion_path.filename().string());
  const NumberTable bytes = read_number_table(bytes_path).value();
  const Machine machine =
      with_faults(load_machine(test::source_dir() / "data/hardware/gb300-nvl72.toml").value(),
                  faults)
          .value();
  const Topology topology = build_topology(machine);
  std::vector<int> gpus(static_cast<std::size_t>(bytes.rows));
  for (int i = 0; i < bytes.rows; ++i)
    gpus[static_cast<std::size_t>(i)] = i;
  const auto result =
      all_to_all({.topology = topology, .gpus = gpus, .bytes = bytes.values, .striping = striping});
  ASSERT_TRUE(result) << result.error().text();
  const auto expected = read_completions(completion_path);
  ASSERT_EQ(result->flows, static_cast<std::int64_t>(expected.size()));
  double worst = 0;
  for (const auto& [pair, time] : expected) {
    const double found = result->completion_s[static_cast<std::size_t>(pair.first) * gpus.size() +
                                              static_cast<std::size_t>(pair.second)];
    worst = std::max(worst, std::abs(found - time) / time);
  }
  EXPECT_LT(worst, 1e-9);
}

TEST(FlowOracle, HealthyNetwork) {
  K3_SHARED_OR_SKIP(shared);
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(shared / "oracle/flow")) {
    const std::string file = entry.path().filename().string();
    const std::size_t end = file.find(".bytes.csv");
    if (end == std::string::npos) continue;
    const fs::path stem = entry.path().parent_path() / file.substr(0, end);
    expect_equal(entry.path(), stem.string() + ".agg.completion.csv", Striping::equal, {});
    expect_equal(entry.path(), stem.string() + ".hash.completion.csv", Striping::hash, {});
    ++cases;
  }
  EXPECT_GE(cases, 8);
}

TEST(FlowOracle, FaultyNetwork) {
  K3_SHARED_OR_SKIP(shared);
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(shared / "oracle/flow_faults")) {
    if (entry.path().extension() != ".json") continue;
    const Json json =
        Json::parse(read_text_file(entry.path()).value(), entry.path().string()).value();
    std::vector<Fault> faults;
    for (const Json::Member& fault : json.find("faults")->members())
      faults.push_back(parse_fault(fmt::format("{}={}", fault.key, fault.value.number())).value());
    const std::string& word = json.find("striping")->string();
    const Striping striping = word == "live"   ? Striping::live
                              : word == "hash" ? Striping::hash
                                               : Striping::equal;
    fs::path stem = entry.path();
    stem.replace_extension();
    expect_equal(stem.string() + ".bytes.csv", stem.string() + ".completion.csv", striping, faults);
    ++cases;
  }
  EXPECT_GE(cases, 2);
}

}  // namespace
}  // namespace k3::sim
