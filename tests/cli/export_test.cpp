#include <algorithm>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/store/session_reader.h"
#include "tests/support/program_test.h"
#include "tests/support/shared_data.h"

namespace k3 {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Steps that a session holds so far; 0 also if it cannot be opened (yet).
std::size_t steps_of(const std::filesystem::path& path) {
  const auto session = store::SessionReader::open(path);
  if (!session) return 0;
  const auto steps = session->steps();
  return steps ? steps->size() : 0;
}

class Export : public test::ProgramTest {
 protected:
  void record() const {
    const test::ProgramResult result = run({"run", scenario, "-o", "a.k3r"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  const std::string scenario = (test::source_dir() / "tests/cli/data/tiny-2.toml").string();
};

TEST_F(Export, TheNameDecidesTheFormat) {
  record();
  const double spans = json_of({"inspect", "a.k3r"}).find("spans")->number();
  for (const auto& [file, format] :
       std::vector<std::pair<std::string, std::string>>{{"t.pftrace", "perfetto"},
                                                        {"t.json", "chrome"},
                                                        {"t.json.gz", "chrome"},
                                                        {"t", "csv"}}) {
    const Json summary = json_of({"export", "a.k3r", "-o", file});
    EXPECT_EQ(summary.find("format")->string(), format);
    EXPECT_EQ(summary.find("spans")->number(), spans) << file;
    EXPECT_GT(summary.find("bytes")->number(), 0);
    EXPECT_TRUE(std::filesystem::exists(dir / file));
  }
  const auto trace = Json::parse(read("t.json"), "t.json");
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_GT(trace->find("traceEvents")->items().size(), static_cast<std::size_t>(spans));
  EXPECT_THAT(read("t/traffic.csv"),
              StartsWith("step,layer,direction,src,dst,copies,rows,bytes\n"));
}

TEST_F(Export, WhatATraceCannotHoldIsNamed) {
  record();
  const test::ProgramResult result = run({"export", "a.k3r", "-o", "t.pftrace"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("ui.perfetto.dev"));
  EXPECT_THAT(result.err, HasSubstr("not part of a trace: traffic, expert_load, routing"));
}

TEST_F(Export, OneTableGoesToTheStandardOutput) {
  record();
  const test::ProgramResult result = run({"export", "a.k3r", "--table", "step"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("step,plan_id,phase,"));
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 5);  // header, prefill, three decode steps
}

TEST_F(Export, WrongRequestsGetOneLine) {
  record();
  EXPECT_THAT(error_of({"export", "a.k3r"}), HasSubstr("-o t.pftrace"));
  EXPECT_THAT(error_of({"export", "a.k3r", "-o", "t.foo"}), HasSubstr("--format"));
  EXPECT_THAT(error_of({"export", "a.k3r", "-o", "t.json", "--steps", "3-1"}), HasSubstr("2-5"));
  EXPECT_THAT(error_of({"export", "a.k3r", "-o", "t.json", "--ranks", "0,2"}),
              HasSubstr("ranks 0 to 1"));
  EXPECT_THAT(error_of({"export", "a.k3r", "-o", "t.json", "--ranks", "x"}), HasSubstr("0-7"));
  EXPECT_THAT(
      error_of({"export", "a.k3r", "-o", "t.json", "--table", "span", "--format", "chrome"}),
      HasSubstr("only CSV"));
  EXPECT_THAT(error_of({"export", "a.k3r", "--table", "spam"}), HasSubstr("did you mean `span`"));
  EXPECT_THAT(error_of({"export", "a.k3r", "-o", "a.k3r", "--format", "chrome", "--force"}),
              HasSubstr("read by this command"));
  EXPECT_THAT(error_of({"export", "none.k3r", "-o", "t.json"}), HasSubstr("none.k3r"));
  EXPECT_FALSE(std::filesystem::exists(dir / "t.json"));
}

TEST_F(Export, PrivateFoldersStayOutUnlessAskedFor) {
  record();
  const std::string folder = test::source_dir().string();
  ASSERT_EQ(run({"export", "a.k3r", "-o", "t.json"}).exit_code, 0);
  EXPECT_THAT(read("t.json"), Not(HasSubstr(folder)));
  ASSERT_EQ(run({"export", "a.k3r", "-o", "t.json", "--with-private", "--force"}).exit_code, 0);
  EXPECT_THAT(read("t.json"), HasSubstr(folder));
}

TEST_F(Export, AKilledRunIsExported) {
  const int process = test::start_k3rack(
      {"run", scenario, "--set", "workload.steps=20000", "-o", "s.k3r"}, dir.path());
  // NOTE: waits for the program's own progress, not for a time: its first step is on disk.
  while (steps_of(dir / "s.k3r") < 1 && test::is_running(process)) {
    std::this_thread::yield();
  }
  ASSERT_TRUE(test::kill_program(process)) << "the run ended before it could be killed";
  const test::ProgramResult result = run({"export", "s.k3r", "-o", "t.json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("interrupted"));
  EXPECT_TRUE(Json::parse(read("t.json"), "t.json"));
}

}  // namespace
}  // namespace k3
