#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/rng.h"
#include "profiler/store/database.h"
#include "profiler/store/session_file.h"
#include "profiler/store/session_reader.h"
#include "profiler/store/session_writer.h"
#include "tests/support/shared_data.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/profiler_store/sample_run.h"

namespace k3 {
namespace {

namespace fs = std::filesystem;
using store::SessionReader;
using test::Ending;
using testing::EndsWith;
using testing::HasSubstr;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

Error open_error(const fs::path& path) {
  const auto session = SessionReader::open(path);
  EXPECT_FALSE(session);
  return session ? Error{} : session.error();
}

/// Steps that a file holds, each compared with what was written.
int whole_steps(const fs::path& path, const test::SampleRun& run) {
  const auto read = test::read_run(path);
  EXPECT_TRUE(read) << read.error().text();
  if (!read) return -1;
  for (std::size_t i = 0; i < read->steps.size(); ++i) {
    StepRecord expected = run.steps[i % run.steps.size()];
    expected.step = static_cast<std::int32_t>(i);
    EXPECT_EQ(test::text_of(read->steps[i]), test::text_of(expected));
  }
  return static_cast<int>(read->steps.size());
}

TEST(SessionFile, NamesWhatIsWrong_WhenItIsNoSession) {
  const test::TempDir dir;
  EXPECT_EQ(open_error(dir / "absent.k3r").code, Code::not_found);
  EXPECT_THAT(open_error(dir.path()).text(), HasSubstr("is a folder"));
  write_bytes(dir / "empty.k3r", "");
  EXPECT_EQ(open_error(dir / "empty.k3r").code, Code::corrupt);
  write_bytes(dir / "text.k3r", "{\"traceEvents\": []}");
  EXPECT_EQ(open_error(dir / "text.k3r").code, Code::invalid_input);
  EXPECT_THAT(open_error(dir / "text.k3r").text(), HasSubstr("is not a session file"));
  ASSERT_EQ(mkfifo((dir / "pipe.k3r").c_str(), 0600), 0);
  EXPECT_THAT(open_error(dir / "pipe.k3r").text(), HasSubstr("not a regular file"));
  {
    const auto other = store::Database::open(dir / "other.db", store::OpenMode::create);
    ASSERT_TRUE(other->execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)"));
  }
  EXPECT_THAT(open_error(dir / "other.db").text(), HasSubstr("of another program"));
}

TEST(SessionFile, RefusesNewerFormats) {
  const test::TempDir dir;
  ASSERT_TRUE(test::write_run(dir / "a.k3r", test::random_run(1), Ending::finished));
  std::string bytes = bytes_of(dir / "a.k3r");
  bytes[63] = store::kUserVersion + 1;  // user_version, big-endian at byte 60
  write_bytes(dir / "a.k3r", bytes);
  const Error error = open_error(dir / "a.k3r");
  EXPECT_EQ(error.code, Code::unsupported);
  EXPECT_THAT(error.message, HasSubstr("newer K3Rack (format 4)"));
}

TEST(SessionFile, SaysWhenItIsCutOff) {
  const test::TempDir dir;
  ASSERT_TRUE(test::write_run(dir / "a.k3r", test::random_run(1), Ending::finished));
  const std::string bytes = bytes_of(dir / "a.k3r");
  for (const std::size_t size :
       {std::size_t{10}, std::size_t{99}, bytes.size() / 2, bytes.size() - 1}) {
    write_bytes(dir / "cut.k3r", bytes.substr(0, size));
    const Error error = open_error(dir / "cut.k3r");
    EXPECT_EQ(error.code, Code::corrupt) << size;
    EXPECT_THAT(error.message, HasSubstr("is cut off")) << size;
  }
}

TEST(SessionFile, GivesAnErrorOrValues_WhateverIsBroken) {
  const test::TempDir dir;
  const std::string bytes =
      bytes_of(test::source_dir() / "tests/unit/profiler_store/data/format-1.k3r");
  int errors = 0;
  Rng rng(5);
  for (int i = 0; i < 150; ++i) {
    std::string broken = bytes;
    const std::size_t at = rng.next() % bytes.size();
    const std::size_t size = std::min<std::size_t>(bytes.size() - at, 1 + rng.next() % 40);
    for (std::size_t k = 0; k < size; ++k)
      broken[at + k] = static_cast<char>(rng.next());
    write_bytes(dir / "broken.k3r", broken);
    const auto session = SessionReader::open(dir / "broken.k3r");
    if (session) static_cast<void>(session->ensure_totals().has_value());
    const auto read = test::read_run(dir / "broken.k3r");
    if (read) continue;
    ++errors;
    EXPECT_THAT(read.error().text(), Not(HasSubstr("\n")));
    EXPECT_NE(read.error().code, Code::internal);
  }
  EXPECT_GT(errors, 20);
}

TEST(SessionFile, RefusesExistingNames_WithoutForce) {
  const test::TempDir dir;
  write_bytes(dir / "a.k3r", "precious");
  EXPECT_EQ(store::create_session(dir / "a.k3r", Overwrite::no).error().code, Code::invalid_input);
  EXPECT_EQ(store::create_session(dir / "no" / "a.k3r", Overwrite::no).error().code,
            Code::invalid_input);
  // A name that is taken between creating and beginning.
  const auto sink = store::create_session(dir / "b.k3r", Overwrite::no).value();
  write_bytes(dir / "b.k3r", "precious");
  const auto begun = sink->begin(test::random_run(1).header);
  ASSERT_FALSE(begun);
  EXPECT_THAT(begun.error().text(), HasSubstr("exists already"));
  EXPECT_EQ(bytes_of(dir / "b.k3r"), "precious");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 2);
}

TEST(SessionFile, KeepsTheOldOneUntilTheNewHasBegun_WithForce) {
  const test::TempDir dir;
  const test::SampleRun old = test::random_run(1);
  ASSERT_TRUE(test::write_run(dir / "a.k3r", old, Ending::finished));
  const std::string before = bytes_of(dir / "a.k3r");
  {
    const auto sink = store::create_session(dir / "a.k3r", Overwrite::yes).value();
    RunHeader wrong = old.header;
    wrong.lanes.push_back({.rank = 99, .name = "nobody's"});
    EXPECT_FALSE(sink->begin(wrong));
    EXPECT_EQ(bytes_of(dir / "a.k3r"), before);
    ASSERT_TRUE(sink->begin(test::random_run(2).header));
  }
  EXPECT_EQ(test::read_run(dir / "a.k3r")->steps.size(), 0U);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 1);
}

TEST(SessionFile, IsNotTakenFromARunThatWritesToIt) {
  const test::TempDir dir;
  const test::SampleRun run = test::random_run(1);
  const auto first = store::create_session(dir / "a.k3r", Overwrite::no).value();
  ASSERT_TRUE(first->begin(run.header));
  ASSERT_TRUE(first->step(run.steps[0]));
  const auto second = store::create_session(dir / "a.k3r", Overwrite::yes).value();
  const auto begun = second->begin(run.header);
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, Code::invalid_input);
  EXPECT_THAT(begun.error().text(), HasSubstr("is being written by another run"));
  ASSERT_TRUE(first->step(run.steps[1]));
  ASSERT_TRUE(first->finish());
  EXPECT_EQ(test::read_run(dir / "a.k3r")->steps.size(), 2U);
}

/// Between its publishing and its first step a file looks like any finished one.
TEST(SessionFile, BelongsToItsRunFromTheFirstMoment) {
  const test::TempDir dir;
  for (const char* name : {"first.tmp", "second.tmp"})
    write_bytes(dir / name, name);
  {
    const auto first = store::publish_session(dir / "first.tmp", dir / "a.k3r", Overwrite::yes);
    ASSERT_TRUE(first) << first.error().text();
    const auto second = store::publish_session(dir / "second.tmp", dir / "a.k3r", Overwrite::yes);
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().text(), HasSubstr("a.k3r: is being written by another run"));
    EXPECT_EQ(bytes_of(dir / "a.k3r"), "first.tmp");
  }
  ASSERT_TRUE(store::publish_session(dir / "second.tmp", dir / "a.k3r", Overwrite::yes));
  EXPECT_EQ(bytes_of(dir / "a.k3r"), "second.tmp");
}

enum Outcome { won, refused, other };

Outcome write_by_force(const fs::path& path, const test::SampleRun& run) {
  const auto sink = store::create_session(path, Overwrite::yes);
  if (!sink) return other;
  if (const auto begun = (*sink)->begin(run.header); !begun) {
    return begun.error().message.starts_with("is being written by another run") ? refused : other;
  }
  for (const StepRecord& step : run.steps) {
    if (!(*sink)->step(step)) return other;
  }
  return (*sink)->finish() ? won : other;
}

TEST(SessionFile, IsWhole_WhenSeveralRunsWantItsName) {
  constexpr int kRounds = 8;
  constexpr int kRuns = 3;
  const test::TempDir dir;
  const auto path = dir / "a.k3r";
  const test::SampleRun run = test::random_run(3);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<pid_t> children;
    for (int i = 0; i < kRuns; ++i) {
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) _exit(write_by_force(path, run));
      children.push_back(child);
    }
    int winners = 0;
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFEXITED(status));
      EXPECT_NE(WEXITSTATUS(status), other);
      winners += WEXITSTATUS(status) == won ? 1 : 0;
    }
    EXPECT_GE(winners, 1);
    EXPECT_EQ(whole_steps(path, run), static_cast<int>(run.steps.size()));
    EXPECT_TRUE(SessionReader::open(path)->is_complete());
    EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 1);
  }
}

TEST(SessionFile, ShowsFinishedSteps_WhileItIsWritten) {
  const test::TempDir dir;
  const test::SampleRun run = test::random_run(1);
  const auto sink = store::create_session(dir / "a.k3r", Overwrite::no).value();
  ASSERT_TRUE(sink->begin(run.header));
  ASSERT_TRUE(sink->step(run.steps[0]));
  {
    const auto early = SessionReader::open(dir / "a.k3r");
    ASSERT_TRUE(early) << early.error().text();
    EXPECT_THAT(early->warning(), HasSubstr("another program has this file open"));
    EXPECT_EQ(early->steps()->size(), 1U);
    ASSERT_TRUE(sink->step(run.steps[1]));
    EXPECT_EQ(early->steps()->size(), 1U);
    EXPECT_EQ(SessionReader::open(dir / "a.k3r")->steps()->size(), 2U);
    ASSERT_TRUE(sink->finish());
    EXPECT_FALSE(early->is_complete());
  }
  const auto late = SessionReader::open(dir / "a.k3r");
  ASSERT_TRUE(late);
  EXPECT_TRUE(late->is_complete());
  EXPECT_EQ(late->warning(), "");
  EXPECT_FALSE(fs::exists(store::wal_path(dir / "a.k3r")));
}

/// Runs `work` in a child process that is killed once it has reported `reports` bytes on the pipe.
template <class Work>
void kill_after(int reports, Work work) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    close(ends[0]);
    work(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  char byte = 0;
  for (int i = 0; i < reports; ++i)
    ASSERT_EQ(read(ends[0], &byte, 1), 1);
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  close(ends[0]);
}

void write_steps_forever(const fs::path& path, const test::SampleRun& run, int report) {
  const auto sink = store::create_session(path, Overwrite::no).value();
  if (!sink->begin(run.header)) return;
  for (std::int32_t i = 0;; ++i) {
    StepRecord step = run.steps[static_cast<std::size_t>(i) % run.steps.size()];
    step.step = i;
    if (!sink->step(step) || write(report, "x", 1) != 1) return;
  }
}

TEST(SessionFile, KeepsWholeSteps_WhenTheRunIsKilled) {
  const test::TempDir dir;
  const test::SampleRun run = test::random_run(9);
  Rng rng(11);
  for (int i = 0; i < 6; ++i) {
    const auto path = dir / (std::to_string(i) + ".k3r");
    const int reports = 1 + static_cast<int>(rng.next() % 30);
    kill_after(reports, [&](int report) { write_steps_forever(path, run, report); });
    EXPECT_TRUE(fs::exists(store::wal_path(path)));
    EXPECT_GE(whole_steps(path, run), reports);
    EXPECT_FALSE(fs::exists(store::wal_path(path))) << "recovered on first open";
    EXPECT_FALSE(SessionReader::open(path)->is_complete());
  }
}

TEST(SessionFile, ForceDoesNotMixInWhatAKilledRunLeft) {
  const test::TempDir dir;
  const auto path = dir / "a.k3r";
  const test::SampleRun old = test::random_run(9);
  kill_after(3, [&](int report) { write_steps_forever(path, old, report); });
  const test::SampleRun fresh = test::random_run(10);
  const auto sink = store::create_session(path, Overwrite::yes).value();
  ASSERT_TRUE(sink->begin(fresh.header));
  ASSERT_TRUE(sink->step(fresh.steps[0]));
  ASSERT_TRUE(sink->finish());
  EXPECT_EQ(whole_steps(path, fresh), 1);
}

TEST(SessionFile, KeepsWholeSteps_WhenTheDiskIsFull) {
  const test::TempDir dir;
  const auto path = dir / "a.k3r";
  const test::SampleRun run = test::random_run(4);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // No file may grow beyond 400 kB: writing fails as on a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400'000, 400'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto sink = store::create_session(path, Overwrite::no).value();
    if (!sink->begin(run.header)) _exit(2);
    for (std::int32_t i = 0; i < 1000; ++i) {
      StepRecord step = run.steps[static_cast<std::size_t>(i) % run.steps.size()];
      step.step = i;
      if (const auto written = sink->step(step); !written) {
        const std::string kept = "the session holds the first " + std::to_string(i) + " steps";
        const bool says_it = written.error().message.find(kept) != std::string::npos;
        _exit(written.error().code == Code::io && i > 1 && says_it ? 0 : 3);
      }
    }
    _exit(4);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_GT(whole_steps(path, run), 0);
}

TEST(SessionFile, ClaimsNoKeptSteps_WhenTheDiskIsFullAtOnce) {
  const test::TempDir dir;
  const auto path = dir / "a.k3r";
  test::SampleRun run = test::random_run(4);
  run.steps[0].spans.resize(1);
  // One step of more than the file may hold.
  run.steps[0].spans.assign(20'000, run.steps[0].spans[0]);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400'000, 400'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto sink = store::create_session(path, Overwrite::no).value();
    if (!sink->begin(run.header)) _exit(2);
    const auto written = sink->step(run.steps[0]);
    if (written) _exit(3);
    const std::string& message = written.error().message;
    _exit(message.find("holds no step") != std::string::npos &&
                  message.find("kept") == std::string::npos
              ? 0
              : 4);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Database, AFullDiskPromisesNothing) {
  const test::TempDir dir;
  const auto database = store::Database::open(dir / "a.db", store::OpenMode::create).value();
  ASSERT_TRUE(database.execute("CREATE TABLE t (x BLOB); PRAGMA max_page_count = 4"));
  const auto full = database.execute("INSERT INTO t VALUES (zeroblob(100000))");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, Code::io);
  EXPECT_EQ(full.error().message, "no space left on the disk");
}

}  // namespace
}  // namespace k3
