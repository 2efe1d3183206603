#include "tests/support/program.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"
#include "tests/unit/profiler_query/small_run.h"

namespace k3 {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// k3rack-gui on a computer without a display.
class GuiProgram : public ::testing::Test {
 protected:
  GuiProgram() {
    for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
      unsetenv(variable);
  }

  test::ProgramResult run(const std::vector<std::string>& words) {
    return test::run_k3rack(words, dir.path());
  }

  void expect_one_line(const std::vector<std::string>& words, const std::string& part) {
    const test::ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 1) << part;
    EXPECT_THAT(result.err, StartsWith("k3rack-gui: error: "));
    EXPECT_THAT(result.err, HasSubstr(part));
    EXPECT_EQ(result.err_lines().size(), 1U) << result.err;
  }

  test::TempDir dir;
};

TEST_F(GuiProgram, HelpAndVersionNeedNoDisplay) {
  const test::ProgramResult help = run({"--help"});
  EXPECT_EQ(help.exit_code, 0) << help.err;
  EXPECT_THAT(help.out, HasSubstr("--screenshot"));
  EXPECT_EQ(run({"--version"}).exit_code, 0);
}

TEST_F(GuiProgram, SaysInOneLineWhatIsWrong) {
  expect_one_line({}, "no display");
  expect_one_line({"--bogus"}, "bogus");
  expect_one_line({"--theme", "pink", "a.k3r"}, "light or dark");
  expect_one_line({"--screenshot", "shots"}, "missing session");
  expect_one_line({"--screenshot", "shots", "absent.k3r"}, "absent.k3r");
  expect_one_line({"--screenshot", "shots", "a", "b", "c"}, "3 sessions");
}

TEST_F(GuiProgram, WritesPicturesWithoutADisplay) {
  ASSERT_TRUE(test::write_run(dir / "a.k3r", test::small_run(RunKind::measured, 2),
                              test::Ending::finished));
  const test::ProgramResult result = run({"--screenshot", "shots", "a.k3r"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(std::filesystem::exists(dir / "shots/timeline.png"));
}

}  // namespace
}  // namespace k3
