#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/program_test.h"
#include "tests/support/shared_data.h"

namespace k3 {
namespace {

using ::testing::HasSubstr;

/// The main job from first command to report, on the smallest scenario.
class Pipeline : public test::ProgramTest {
 protected:
  static double number(const Json& json, std::initializer_list<const char*> path) {
    const Json* at = &json;
    for (const char* key : path) {
      at = at->find(key);
      if (at == nullptr) {
        ADD_FAILURE() << "no key " << key;
        return 0;
      }
    }
    return at->number();
  }

  /// Mean duration of a phase's steps as the session holds them.
  double mean_step_ms(const std::string& session, const std::string& phase) const {
    const Json answer =
        json_of({"inspect", session, "--sql",
                 "SELECT avg(duration_ns) * 1e-6 FROM step WHERE phase = '" + phase + "'"});
    return answer.find("rows")->items()[0].items()[0].number();
  }

  const std::string scenario = (test::source_dir() / "tests/cli/data/tiny-2.toml").string();
};

TEST_F(Pipeline, RunSimulateCompareReport) {
  const Json executed = json_of({"run", scenario, "-o", "a.k3r"});
  // Every figure printed is that of the session.
  const double measured_ms = mean_step_ms("a.k3r", "decode");
  EXPECT_DOUBLE_EQ(number(executed, {"decode", "step_ms"}), measured_ms);
  const Json simulated = json_of({"simulate", scenario, "--routing-from", "a.k3r", "-o", "b.k3r"});
  const double simulated_ms = mean_step_ms("b.k3r", "decode");
  EXPECT_NEAR(number(simulated, {"step_ms"}), simulated_ms, 1e-6);  // stored to the nanosecond

  for (const char* session : {"a.k3r", "b.k3r"}) {
    const Json inspect = json_of({"inspect", session});
    EXPECT_GT(number(inspect, {"conservation", "checks"}), 0);
    EXPECT_EQ(number(inspect, {"conservation", "violations"}), 0);
  }

  const Json compare = json_of({"compare", "a.k3r", "b.k3r"});
  ASSERT_NE(compare.find("join"), nullptr);
  EXPECT_EQ(compare.find("join")->string(), "step and task id");
  EXPECT_DOUBLE_EQ(number(compare, {"step", "measured_ms"}), measured_ms);
  EXPECT_DOUBLE_EQ(number(compare, {"step", "simulated_ms"}), simulated_ms);
  EXPECT_DOUBLE_EQ(number(compare, {"prefill", "measured_ms"}), mean_step_ms("a.k3r", "prefill"));
  // Replayed routing and equal formats of rows: the same bytes in every cell.
  EXPECT_EQ(number(compare, {"traffic", "measured_bytes"}),
            number(compare, {"traffic", "simulated_bytes"}));
  EXPECT_EQ(number(compare, {"traffic", "max_cell_error"}), 0);

  const test::ProgramResult report =
      test::run_k3rack({"report", "a.k3r", "b.k3r", "-o", "r.html"}, dir.path());
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_TRUE(std::filesystem::exists(dir / "r.html"));
}

TEST_F(Pipeline, SimulatedStepIsTheSameEveryTime) {
  const Json first = json_of({"simulate", scenario});
  const Json second = json_of({"simulate", scenario});
  EXPECT_EQ(number(first, {"step_ms"}), number(second, {"step_ms"}));
  EXPECT_EQ(*first.find("breakdown_ms"), *second.find("breakdown_ms"));
}

TEST_F(Pipeline, FailAboveEndsWithThree) {
  ASSERT_EQ(test::run_k3rack({"simulate", scenario, "-o", "a.k3r"}, dir.path()).exit_code, 0);
  ASSERT_EQ(test::run_k3rack(
                {"simulate", scenario, "--set", "execution.graph=false", "-o", "b.k3r"}, dir.path())
                .exit_code,
            0);
  const auto compare = [&](const char* b, const char* limit) {
    return test::run_k3rack({"compare", "a.k3r", b, "--fail-above", limit}, dir.path()).exit_code;
  };
  EXPECT_EQ(compare("a.k3r", "0%"), 0);
  EXPECT_EQ(compare("b.k3r", "1%"), 3);
  EXPECT_EQ(compare("b.k3r", "0.01"), 3);
  EXPECT_EQ(compare("a.k3r", "1"), 0);
  EXPECT_EQ(compare("a.k3r", "500%"), 0);
  const test::ProgramResult percent =
      test::run_k3rack({"compare", "a.k3r", "b.k3r", "--fail-above", "5"}, dir.path());
  EXPECT_EQ(percent.exit_code, 1);
  EXPECT_EQ(percent.err, "k3rack: error: --fail-above: `5` would be 500 %; did you mean 5%?\n");
}

TEST_F(Pipeline, SqlAnswersHaveTypesInJson) {
  ASSERT_EQ(test::run_k3rack({"simulate", scenario, "-o", "a.k3r"}, dir.path()).exit_code, 0);
  const Json answer =
      json_of({"inspect", "a.k3r", "--sql",
               "SELECT 7, 2.5, '7', NULL, x'00ff', value FROM meta WHERE key = 'scenario'"});
  const Json::Array& row = answer.find("rows")->items().at(0).items();
  EXPECT_EQ(row[0], Json(7));
  EXPECT_EQ(row[1], Json(2.5));
  EXPECT_EQ(row[2], Json("7"));
  EXPECT_TRUE(row[3].is(Json::Kind::null));
  EXPECT_EQ(row[4], Json::object().set("blob_bytes", 2));
  EXPECT_THAT(row[5].string(), HasSubstr("[executor]"));  // whole, however long
}

TEST_F(Pipeline, CountsOfOneAreSingular) {
  const test::ProgramResult one =
      test::run_k3rack({"simulate", scenario, "--set", "parallel.ranks=1", "--set",
                        "workload.sequences_per_rank=1", "--set", "workload.steps=1"},
                       dir.path());
  EXPECT_THAT(one.out, HasSubstr("on 1 rank of gb300-nvl72, 1 sequence: "));
  EXPECT_THAT(one.out, HasSubstr("simulated 1 step in"));
}

TEST_F(Pipeline, OutputIsNeverReplacedWithoutForce) {
  const std::vector<std::string> words{"simulate", scenario, "-o", "a.k3r"};
  ASSERT_EQ(test::run_k3rack(words, dir.path()).exit_code, 0);
  const test::ProgramResult again = test::run_k3rack(words, dir.path());
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("--force"));
  std::vector<std::string> forced = words;
  forced.emplace_back("--force");
  EXPECT_EQ(test::run_k3rack(forced, dir.path()).exit_code, 0);
}

TEST_F(Pipeline, HelpIsThereForEverySubcommandAndTopic) {
  const test::ProgramResult overview = test::run_k3rack({"--help"}, dir.path());
  EXPECT_EQ(overview.exit_code, 0);
  for (const char* name : {"demo", "run", "simulate", "compare", "report", "inspect", "model",
                           "presets", "scenario", "units", "placement", "comparing"}) {
    EXPECT_THAT(overview.out, HasSubstr(name));
    const test::ProgramResult help = test::run_k3rack({"help", name}, dir.path());
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_GT(help.out.size(), 100U);
  }
}

}  // namespace
}  // namespace k3
