#include "gui/models/run_service.h"

#include <QSignalSpy>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "tests/gui/wait_for.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/profiler_query/small_run.h"

namespace k3::gui {
namespace {

using test::wait_for;

class RunServiceTest : public ::testing::Test {
 protected:
  std::filesystem::path session(const std::string& name, RunKind kind) {
    const std::filesystem::path path = folder_.path() / name;
    EXPECT_TRUE(test::write_run(path, test::small_run(kind, 4), test::Ending::finished));
    return path;
  }

  test::TempDir folder_;
  RunService service_;
};

TEST_F(RunServiceTest, PutsTheMeasuredRunFirst) {
  const QSignalSpy opened(&service_, &RunService::opened);
  service_.open({session("s.k3r", RunKind::simulated), session("m.k3r", RunKind::measured)});
  ASSERT_TRUE(wait_for([&] { return opened.count() == 1; }));
  ASSERT_EQ(service_.runs().size(), 2U);
  EXPECT_EQ(service_.runs()[0]->name, "measured");
  EXPECT_EQ(service_.runs()[0]->file, "m.k3r");
  EXPECT_EQ(service_.runs()[1]->name, "simulated");
}

TEST_F(RunServiceTest, KeepsTheOpenRunsWhenAnotherCannotBeOpened) {
  const QSignalSpy opened(&service_, &RunService::opened);
  const QSignalSpy failed(&service_, &RunService::failed);
  service_.open({session("m.k3r", RunKind::measured)});
  ASSERT_TRUE(wait_for([&] { return opened.count() == 1; }));
  service_.open({folder_.path() / "absent.k3r"});
  ASSERT_TRUE(wait_for([&] { return failed.count() == 1; }));
  EXPECT_NE(failed[0][0].toString().toStdString().find("absent.k3r"), std::string::npos);
  ASSERT_EQ(service_.runs().size(), 1U);
}

TEST_F(RunServiceTest, AnswersOnlyTheLatestQuestionOfAKey) {
  QObject asker;
  std::atomic<bool> running = false;
  std::vector<int> answers;
  service_.ask(&asker, "content", [&](Runs&, const std::stop_token& stop) -> RunService::Answer {
    running = true;
    while (!stop.stop_requested())
      std::this_thread::yield();
    return [&answers] { answers.push_back(1); };
  });
  ASSERT_TRUE(wait_for([&] { return running.load(); }));
  for (const int question : {2, 3}) {
    service_.ask(&asker, "content",
                 [&, question](Runs&, const std::stop_token&) -> RunService::Answer {
                   return [&answers, question] { answers.push_back(question); };
                 });
  }
  ASSERT_TRUE(wait_for([&] { return !service_.busy(); }));
  EXPECT_EQ(answers, std::vector<int>{3});
}

TEST_F(RunServiceTest, ForgetsAnswersWhoseAskerIsGone) {
  bool answered = false;
  auto asker = std::make_unique<QObject>();
  service_.ask(asker.get(), "a", [&](Runs&, const std::stop_token&) -> RunService::Answer {
    return [&answered] { answered = true; };
  });
  asker.reset();
  ASSERT_TRUE(wait_for([&] { return !service_.busy(); }));
  EXPECT_FALSE(answered);
}

TEST_F(RunServiceTest, CancelsWhatRunsAndWhatWaits) {
  QObject asker;
  const QSignalSpy busy(&service_, &RunService::busy_changed);
  bool answered = false;
  for (const char* key : {"a", "b"}) {
    service_.ask(&asker, key, [&](Runs&, const std::stop_token& stop) -> RunService::Answer {
      while (!stop.stop_requested())
        std::this_thread::yield();
      return [&answered] { answered = true; };
    });
  }
  service_.cancel_all();
  EXPECT_FALSE(service_.busy());
  QTest::qWait(50);
  EXPECT_FALSE(answered);
  ASSERT_EQ(busy.count(), 2);
  EXPECT_FALSE(busy[1][0].toBool());
}

}  // namespace
}  // namespace k3::gui
