#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/report/html.h"
#include "tests/unit/profiler_figures/synthetic.h"

namespace k3::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The report of a run whose every text field holds `text`.
std::string report_with(const std::string& text) {
  figures::Input input = test::make_pair({}, {.kind = RunKind::simulated, .seed = 2});
  for (figures::RunDetail* run : {&input.first, &*input.second}) {
    run->summary.title = text;
    run->summary.model = text;
    run->summary.machine = text;
    run->summary.warning = text;
    run->summary.scenario = "[model]\nconfig = \"" + text + "\"\n";
    run->summary.meta = {{"seed", text}};
  }
  input.comparison->verdicts = {text};
  return make_document(input).map(to_html).value_or("");
}

TEST(PrivateData, FoldersAreCutOffAbsolutePaths) {
  for (const char* path : {"/srv/somebody/secret/k3.json", "~/secret/k3.json", "~somebody/k3.json",
                           "C:\\Users\\somebody\\secret\\k3.json", "\\\\server\\secret\\k3.json",
                           "file:///srv/somebody/secret/k3.json"}) {
    const std::string html = report_with(path);
    EXPECT_THAT(html, HasSubstr("k3.json")) << path;
    EXPECT_THAT(html, Not(HasSubstr("somebody"))) << path;
    EXPECT_THAT(html, Not(HasSubstr("secret"))) << path;
  }
}

TEST(PrivateData, UnitsAndRelativePathsStay) {
  EXPECT_THAT(report_with("900 GB/s"), HasSubstr("900 GB/s"));
  EXPECT_THAT(report_with("data/model/kimi-k3.json"), HasSubstr("data/model/kimi-k3.json"));
  EXPECT_THAT(report_with("1 / 2"), HasSubstr("1 / 2"));
}

TEST(PrivateData, PathsWithBlanksAreCutInsideQuotes) {
  const std::string html = report_with("/srv/Some Body/k3.json");
  EXPECT_THAT(html, HasSubstr("config = &quot;k3.json&quot;"));
}

TEST(PrivateData, HostsCommandsAndFoldersOfSessionsStayOut) {
  figures::Input input;
  input.first = test::make_run({});
  input.first.summary.scenario = "[run]\nhosts = [\"node17\"]\nuser = \"somebody\"\nranks = 4\n";
  const Result<std::string> html = make_document(input).map(to_html);
  ASSERT_TRUE(html.has_value());
  for (const char* secret : {"secret-host", "command_line", "somebody", "node17", "/srv"}) {
    EXPECT_THAT(*html, Not(HasSubstr(secret)));
  }
  EXPECT_THAT(*html, HasSubstr("measured.k3r"));
  EXPECT_THAT(*html, HasSubstr("ranks = 4"));
}

}  // namespace
}  // namespace k3::report
