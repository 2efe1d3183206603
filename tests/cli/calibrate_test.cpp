#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/text/file.h"
#include "engine/text/json.h"
#include "tests/support/program.h"
#include "tests/support/shared_data.h"
#include "tests/support/temp_dir.h"

namespace k3 {
namespace {

using ::testing::HasSubstr;

class Calibrate : public ::testing::Test {
 protected:
  Json json_of(std::vector<std::string> words) {
    words.emplace_back("--json");
    const test::ProgramResult result = test::run_k3rack(words, dir.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const Result<Json> json = Json::parse(result.out, words[0]);
    EXPECT_TRUE(json) << result.out;
    return json ? *json : Json::object();
  }

  std::vector<std::string> simulate(const std::string& calibration) const {
    return {"simulate", scenario,
            "--set",    "machine.preset=local",
            "--set",    "machine.calibration=" + calibration};
  }

  const std::string scenario = (test::source_dir() / "tests/cli/data/tiny-2.toml").string();
  test::TempDir dir;
};

/// Nothing here depends on how long anything takes.
TEST_F(Calibrate, MeasuresThisComputerAndSimulatesOnIt) {
  const Json made = json_of({"calibrate", "--local", "--seconds", "1", "-o", "t.toml"});
  EXPECT_GE(made.find("cores")->integer(), 1);
  EXPECT_GE(made.find("tables")->items().size(), 30u);
  const auto text = read_text_file(dir.path() / "t.toml");
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("source = \"measured by k3rack calibrate --local\""));

  const Json run = json_of({"run", scenario, "-o", "a.k3r"});
  std::vector<std::string> words = simulate("t.toml");
  words.insert(words.end(), {"--routing-from", "a.k3r", "-o", "b.k3r"});
  const Json simulated = json_of(words);
  EXPECT_EQ(simulated.find("machine")->string(), "local");
  EXPECT_GT(simulated.find("step_ms")->number(), 0);
  double shares = 0;
  for (const Json::Member& part : simulated.find("host_ms")->members())
    shares += part.value.number();
  EXPECT_NEAR(shares, simulated.find("step_ms")->number(), 1e-6);
  const Json compare = json_of({"compare", "a.k3r", "b.k3r"});
  EXPECT_EQ(compare.find("join")->string(), "step and task id");

  EXPECT_THAT(test::run_k3rack({"calibrate", "--local", "-o", "t.toml"}, dir.path()).err,
              HasSubstr("t.toml"));  // not overwritten without --force
}

TEST_F(Calibrate, OneLineSaysWhatIsMissing) {
  const auto error_of = [&](const std::vector<std::string>& words) {
    const test::ProgramResult result = test::run_k3rack(words, dir.path());
    EXPECT_EQ(result.exit_code, 1);
    return result.err;
  };
  EXPECT_THAT(error_of({"calibrate", "-o", "t.toml"}), HasSubstr("--local: missing"));
  EXPECT_THAT(error_of({"calibrate", "--local"}), HasSubstr("--output: missing"));
  EXPECT_THAT(error_of({"calibrate", "--local", "-o", "t.toml", "--seconds", "0"}),
              HasSubstr("seconds"));
  EXPECT_THAT(error_of({"simulate", scenario, "--set", "machine.preset=local"}),
              HasSubstr("k3rack calibrate --local -o"));
  EXPECT_THAT(error_of(simulate("absent.toml")), HasSubstr("absent.toml"));
  EXPECT_THAT(error_of({"simulate", scenario, "--set", "machine.calibration=absent.toml"}),
              HasSubstr("only preset = \"local\""));
}

TEST_F(Calibrate, PresetsListThisComputer) {
  const test::ProgramResult result = test::run_k3rack({"presets"}, dir.path());
  EXPECT_THAT(result.out, HasSubstr("k3rack calibrate --local"));
}

}  // namespace
}  // namespace k3
