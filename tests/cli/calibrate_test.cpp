#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/text/file.h"
#include "profiler/store/database.h"
#include "tests/support/program_test.h"
#include "tests/support/shared_data.h"

namespace k3 {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Calibrate : public test::ProgramTest {
 protected:
  std::vector<std::string> simulate(const std::string& calibration) const {
    return {"simulate", scenario,
            "--set",    "machine.preset=local",
            "--set",    "machine.calibration=" + calibration};
  }

  /// Milliseconds of the steps of a session, one phase.
  std::vector<double> steps_ms(const std::string& session, std::string_view phase) const {
    const Json summary = json_of({"inspect", session});
    std::vector<double> times;
    for (const Json& step : summary.find("steps")->items()) {
      if (step.find("phase")->string() == phase)
        times.push_back(step.find("duration_ns")->number() * 1e-6);
    }
    return times;
  }

  double measured_over_predicted(std::string_view phase) const {
    std::vector<double> measured = steps_ms("a.k3r", phase);
    std::ranges::sort(measured);
    EXPECT_EQ(measured.size() % 2, 1U);
    double predicted = 0;
    const std::vector<double> simulated = steps_ms("b.k3r", phase);
    for (const double ms : simulated)
      predicted += ms / static_cast<double>(simulated.size());
    return measured[measured.size() / 2] / predicted;
  }

  /// The error of fitting to a.k3r after `sql` has changed a copy of it.
  std::string fit_error(const std::string& sql) const {
    const std::filesystem::path copy = dir / "copy.k3r";
    std::filesystem::copy_file(dir / "a.k3r", copy,
                               std::filesystem::copy_options::overwrite_existing);
    {
      auto database = store::Database::open(copy, store::OpenMode::write);
      EXPECT_TRUE(database && database->execute(sql));
    }
    return error_of({"calibrate", "--local", "--steps-from", "copy.k3r", "-o", "u.toml"});
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
  // `local` is this computer: measured and predicted times are of one machine.
  ASSERT_EQ(run({"report", "a.k3r", "b.k3r", "-o", "r.html"}).exit_code, 0);
  EXPECT_THAT(read("r.html"), Not(HasSubstr("Not a prediction of this host")));

  EXPECT_THAT(run({"calibrate", "--local", "-o", "t.toml"}).err,
              HasSubstr("t.toml"));  // not overwritten without --force

  // Nothing fitted: the tables as they are. Fitted: all times multiplied, and nothing else.
  EXPECT_EQ(simulated.find("step_factor")->find("value")->number(), 1);
  EXPECT_EQ(simulated.find("step_factor")->find("points")->integer(), 0);
  EXPECT_THAT(
      run({"inspect", "b.k3r", "--sql", "SELECT value FROM meta WHERE key = 'step_factor'"}).out,
      HasSubstr("factor 1, not fitted to steps"));
  const Json fitted = json_of({"calibrate", "--local", "--tables-from", "t.toml", "--steps-from",
                               "a.k3r", "-o", "fitted.toml"});
  const double factor = fitted.find("step_factor")->find("value")->number();
  EXPECT_EQ(fitted.find("step_factor")->find("points")->integer(), 2);
  const double prefill = measured_over_predicted("prefill");
  const double decode = measured_over_predicted("decode");
  EXPECT_NEAR(factor, std::sqrt(prefill * decode), 1e-6 * factor);  // sessions keep whole ns
  EXPECT_NEAR(fitted.find("step_factor")->find("least")->number(), std::min(prefill, decode),
              1e-6 * factor);
  words = simulate("fitted.toml");
  words.insert(words.end(), {"--routing-from", "a.k3r"});
  const Json longer = json_of(words);
  EXPECT_NEAR(longer.find("step_ms")->number(), factor * simulated.find("step_ms")->number(),
              1e-6 * longer.find("step_ms")->number());
  EXPECT_THAT(run(words).out, HasSubstr("from 2 points"));

  EXPECT_THAT(error_of({"calibrate", "--local", "--steps-from", "b.k3r", "-o", "u.toml"}),
              HasSubstr("b.k3r: is simulated"));
  EXPECT_THAT(fit_error("UPDATE meta SET value = 'imported' WHERE key = 'kind'"),
              HasSubstr("is imported"));
  EXPECT_THAT(fit_error("UPDATE meta SET value = '0' WHERE key = 'complete'"),
              HasSubstr("did not end"));
  EXPECT_THAT(fit_error("UPDATE meta SET value = '9999' WHERE key = 'cores'"),
              HasSubstr("ran on 9999 cores"));
  EXPECT_THAT(fit_error("DELETE FROM meta WHERE key = 'cores'"), HasSubstr("how many cores"));
  EXPECT_THAT(fit_error("UPDATE meta SET value = 'x' WHERE key = 'machine'"), HasSubstr("of x"));
  EXPECT_THAT(fit_error("UPDATE meta SET value = 'x' WHERE key = 'backend'"),
              HasSubstr("ran backend x"));
}

TEST_F(Calibrate, OneLineSaysWhatIsMissing) {
  EXPECT_THAT(error_of({"calibrate", "-o", "t.toml"}), HasSubstr("--local: missing"));
  EXPECT_THAT(error_of({"calibrate", "--local"}), HasSubstr("--output: missing"));
  EXPECT_THAT(error_of({"calibrate", "--local", "-o", "t.toml", "--seconds", "0"}),
              HasSubstr("seconds"));
  EXPECT_THAT(error_of({"calibrate", "--local", "-o", "t.toml", "--tables-from", "u.toml"}),
              HasSubstr("--tables-from: changes nothing by itself; add --steps-from"));
  EXPECT_THAT(error_of({"calibrate", "--local", "-o", "t.toml", "--tables-from", "u.toml",
                        "--steps-from", "a.k3r", "--seconds", "3"}),
              HasSubstr("--seconds: has no effect with --tables-from"));
  EXPECT_THAT(error_of({"calibrate", "--local", "-o", "t.toml", "--steps-from", "absent.k3r"}),
              HasSubstr("absent.k3r"));
  EXPECT_THAT(error_of({"simulate", scenario, "--set", "machine.preset=local"}),
              HasSubstr("k3rack calibrate --local -o"));
  EXPECT_THAT(error_of(simulate("absent.toml")), HasSubstr("absent.toml"));
  EXPECT_THAT(error_of({"simulate", scenario, "--set", "machine.calibration=absent.toml"}),
              HasSubstr("only preset = \"local\""));
  std::vector<std::string> words = simulate("absent.toml");
  write("absent.toml", "");
  words.insert(words.end(), {"--network", "exact"});
  EXPECT_THAT(error_of(words),
              HasSubstr("--network (simulation.network): has no effect on machine local"));
}

TEST_F(Calibrate, PresetsListThisComputer) {
  const test::ProgramResult result = run({"presets"});
  EXPECT_THAT(result.out, HasSubstr("k3rack calibrate --local"));
}

}  // namespace
}  // namespace k3
