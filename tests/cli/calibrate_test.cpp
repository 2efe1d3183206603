#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/text/file.h"
#include "tests/support/program_test.h"
#include "tests/support/shared_data.h"

namespace k3 {
namespace {

using ::testing::HasSubstr;

class Calibrate : public test::ProgramTest {
 protected:
  std::vector<std::string> simulate(const std::string& calibration) const {
    return {"simulate", scenario,
            "--set",    "machine.preset=local",
            "--set",    "machine.calibration=" + calibration};
  }

  const std::string scenario = (test::source_dir() / "tests/cli/data/tiny-2.toml").string();
};

/// Nothing here depends on how long anything takes.
TEST_F(Calibrate, MeasuresThisComputerAndSimulatesOnIt) {
  const Json made = json_of({"calibrate", "--local", "--seconds", "1", "-o", "t.toml"});
  EXPECT_GE(made.find("cores")->integer(), 1);
  EXPECT_GE(made.find("tables")->items().size(), 30u);
  const auto text = read_text_file(dir.path() / "t.toml");
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("source = \"measured by k3rack calibrate --local\""));

  const Json executed = json_of({"run", scenario, "-o", "a.k3r"});
  std::vector<std::string> words = simulate("t.toml");
  words.insert(words.end(), {"--routing-from", "a.k3r", "-o", "b.k3r"});
  const Json simulated = json_of(words);
  EXPECT_EQ(simulated.find("machine")->string(), "local");
  EXPECT_EQ(simulated.find("network")->string(), "memory");
  double shares = 0;
  for (const Json::Member& part : simulated.find("host_ms")->members())
    shares += part.value.number();
  EXPECT_NEAR(shares, simulated.find("step_ms")->number(), 1e-6);
  const Json compare = json_of({"compare", "a.k3r", "b.k3r"});
  EXPECT_EQ(compare.find("join")->string(), "step and task id");

  EXPECT_THAT(run({"calibrate", "--local", "-o", "t.toml"}).err,
              HasSubstr("t.toml"));  // not overwritten without --force
}

TEST_F(Calibrate, OneLineSaysWhatIsMissing) {
  EXPECT_THAT(error_of({"calibrate", "-o", "t.toml"}), HasSubstr("--local: missing"));
  EXPECT_THAT(error_of({"calibrate", "--local"}), HasSubstr("--output: missing"));
  EXPECT_THAT(error_of({"calibrate", "--local", "-o", "t.toml", "--seconds", "0"}),
              HasSubstr("seconds"));
  EXPECT_THAT(error_of({"simulate", scenario, "--set", "machine.preset=local"}),
              HasSubstr("k3rack calibrate --local -o"));
  EXPECT_THAT(error_of(simulate("absent.toml")), HasSubstr("absent.toml"));
  EXPECT_THAT(error_of({"simulate", scenario, "--set", "machine.calibration=absent.toml"}),
              HasSubstr("only preset = \"local\""));
  std::vector<std::string> words = simulate("absent.toml");
  write("absent.toml", "");
  words.insert(words.end(), {"--network", "exact"});
  EXPECT_THAT(error_of(words), HasSubstr("simulation.network: has no effect on machine local"));
}

TEST_F(Calibrate, PresetsListThisComputer) {
  const test::ProgramResult result = run({"presets"});
  EXPECT_THAT(result.out, HasSubstr("k3rack calibrate --local"));
}

}  // namespace
}  // namespace k3
