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

}  // namespace
}  // namespace k3
