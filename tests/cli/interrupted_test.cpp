#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "profiler/query/conservation.h"
#include "profiler/query/session_summary.h"
#include "profiler/store/session_reader.h"
#include "tests/support/program.h"
#include "tests/support/shared_data.h"
#include "tests/support/temp_dir.h"

namespace k3 {
namespace {

/// Steps that a session holds so far; −1: it cannot be opened (yet).
int steps_of(const std::filesystem::path& path) {
  const auto session = store::SessionReader::open(path);
  if (!session) return -1;
  const auto steps = session->steps();
  return steps ? static_cast<int>(steps->size()) : -1;
}

TEST(Interrupted, AKilledRunLeavesItsFinishedSteps) {
  const test::TempDir dir;
  const auto scenario = test::source_dir() / "tests/cli/data/tiny-2.toml";
  const int process = test::start_k3rack(
      {"run", scenario.string(), "--set", "workload.steps=20000", "-o", "s.k3r"}, dir.path());
  // NOTE: waits for the program's own progress, not for a time: two steps are on disk.
  while (steps_of(dir / "s.k3r") < 2 && test::is_running(process)) {
    std::this_thread::yield();
  }
  ASSERT_TRUE(test::kill_program(process)) << "the run ended before it could be killed";

  const auto session = store::SessionReader::open(dir / "s.k3r");
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_FALSE(session->is_complete());
  const auto summary = query::summarize(*session);
  ASSERT_TRUE(summary) << summary.error().text();
  EXPECT_GE(summary->steps.size(), 2U);
  const auto conservation = query::conservation(*session);
  ASSERT_TRUE(conservation) << conservation.error().text();
  EXPECT_GT(conservation->checks, 0);
  EXPECT_TRUE(conservation->holds());

  const test::ProgramResult inspect = test::run_k3rack({"inspect", "s.k3r"}, dir.path());
  EXPECT_EQ(inspect.exit_code, 0) << inspect.err;
  EXPECT_NE(inspect.out.find("interrupted"), std::string::npos);
}

/// What is left on the terminal: whatever follows the last return to the begin of a line.
TEST(Interrupted, TheErrorStandsAloneOnTheTerminal) {
  constexpr std::size_t kColumns = 40;
  const test::TempDir dir;
  const auto scenario = test::source_dir() / "tests/cli/data/tiny-2.toml";
  const std::string text = test::interrupt_on_terminal(
      {"run", scenario.string(), "--set", "workload.steps=20000", "-o", "s.k3r"}, dir.path(),
      kColumns);
  const std::string clear = "\r\x1b[K";
  std::size_t bars = 0;
  for (std::size_t at = text.find(clear); at != std::string::npos; ++bars) {
    const std::size_t begin = at + clear.size();
    at = text.find(clear, begin);
    if (at == std::string::npos) {
      EXPECT_EQ(text.substr(begin).rfind("k3rack: error: ", 0), 0U) << text;
    } else {
      EXPECT_LT(at - begin, kColumns) << "the terminal would break this line";
    }
  }
  EXPECT_GT(bars, 1U) << text;
}

}  // namespace
}  // namespace k3
