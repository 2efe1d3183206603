#include <charconv>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/profiler_export/exported.h"

namespace k3::exporter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Line = std::vector<std::string>;

/// Columns by name.
struct Table {
  std::vector<std::string> header;
  std::vector<Line> lines;

  std::vector<std::string> column(const std::string& name) const {
    const auto at = std::ranges::find(header, name);
    EXPECT_NE(at, header.end()) << name;
    std::vector<std::string> out;
    for (const Line& line : lines)
      out.push_back(line.at(static_cast<std::size_t>(at - header.begin())));
    return out;
  }

  std::int64_t sum(const std::string& name) const {
    std::int64_t sum = 0;
    for (const std::string& value : column(name))
      sum += std::stoll(value);
    return sum;
  }
};

class CsvExport : public testing::Test {
 protected:
  Table table(const std::string& name) const {
    Table out;
    out.lines = test::read_csv(test::file_text(dir / "csv" / (name + ".csv")));
    EXPECT_FALSE(out.lines.empty()) << name;
    out.header = out.lines.front();
    out.lines.erase(out.lines.begin());
    for (const Line& line : out.lines)
      EXPECT_EQ(line.size(), out.header.size()) << name;
    return out;
  }

  ExportSummary export_all(const store::SessionReader& session, ExportRequest request = {}) const {
    request.format = Format::csv;
    request.output = dir / "csv";
    request.overwrite = Overwrite::yes;
    return test::exported(session, request);
  }

  static std::int64_t sql(const store::SessionReader& session, const std::string& statement) {
    return session.database().integer(statement).value();
  }

  test::TempDir dir;
};

TEST_F(CsvExport, TablesHoldWhatTheSessionHolds) {
  const test::SampleRun run = test::random_run(7);
  const auto session = test::opened(dir, "a.k3r", run);
  const ExportSummary summary = export_all(session);
  std::int64_t rows = 0;
  std::int64_t files = 1;  // that of the slots, which belong to the table of experts
  for (const store::Table* declared : store::kTables) {
    const std::string name(declared->name);
    if (declared == &store::kSpanBlockTable || declared == &store::kSpanRangeTable) {
      EXPECT_FALSE(std::filesystem::exists(dir / "csv" / (name + ".csv"))) << "repeats the spans";
      continue;
    }
    ++files;
    const Table csv = table(name);
    rows += std::ssize(csv.lines);
    const bool expanded = name == "traffic" || name == "expert_load" || name == "routing";
    if (expanded) continue;
    EXPECT_EQ(std::ssize(csv.lines), sql(session, "SELECT count(*) FROM " + name)) << name;
    ASSERT_EQ(csv.header.size(), declared->columns.size());
    for (std::size_t i = 0; i < csv.header.size(); ++i)
      EXPECT_EQ(csv.header[i], declared->columns[i].name);
  }
  EXPECT_EQ(summary.rows, rows + std::ssize(table("expert_load_slots").lines));
  EXPECT_EQ(summary.files, files);
  EXPECT_EQ(table("span").sum("duration_ns"), sql(session, "SELECT sum(duration_ns) FROM span"));
  EXPECT_EQ(table("span").sum("task_id"), sql(session, "SELECT sum(task_id) FROM span"));
  EXPECT_EQ(table("placement").sum("expert"), sql(session, "SELECT sum(expert) FROM placement"));
}

TEST_F(CsvExport, MatricesLoadsAndChoicesLoseNothing) {
  const auto session = test::opened(dir, "a.k3r", test::small_run(RunKind::measured, 2));
  export_all(session);
  const Table traffic = table("traffic");
  EXPECT_EQ(traffic.lines.size(), 3U * 2 * 4);  // steps × directions × pairs
  for (const char* what : {"copies", "rows", "bytes"}) {
    EXPECT_EQ(traffic.sum(what),
              sql(session, std::string("SELECT sum(") + what + ") FROM traffic_total"));
  }
  EXPECT_THAT(traffic.lines[1], ElementsAre("0", "1", "dispatch", "0", "1", "1", "1", "10"));
  EXPECT_THAT(table("expert_load").column("tokens"),
              ElementsAre("1", "0", "2", "1", "1", "0", "2", "1", "1", "0", "2", "1"));
  EXPECT_EQ(table("expert_load_slots").sum("tokens"),
            sql(session, "SELECT sum(tokens) FROM expert_load_total"));
  const Table routing = table("routing");
  EXPECT_THAT(routing.header, ElementsAre("step", "layer", "token", "choice", "expert"));
  EXPECT_THAT(routing.lines[2], ElementsAre("0", "1", "1", "0", "2"));
  EXPECT_EQ(routing.lines.size(), 3U * 4);
}

TEST_F(CsvExport, NumbersReadBackExactly) {
  const test::SampleRun run = test::random_run(3);
  const auto session = test::opened(dir, "a.k3r", run);
  export_all(session);
  const std::vector<std::string> flops = table("span").column("flops");
  std::size_t i = 0;
  for (const StepRecord& step : run.steps) {
    for (const Span& span : step.spans) {
      double read = 0;
      std::from_chars(flops.at(i).data(), flops.at(i).data() + flops.at(i).size(), read);
      EXPECT_EQ(read, span.flops);
      ++i;
    }
  }
  EXPECT_EQ(i, flops.size());
}

TEST_F(CsvExport, OddTextsAreQuoted) {
  const auto session = test::opened(dir, "a.k3r", test::odd_run());
  export_all(session);
  const std::vector<std::string> texts = table("string").column("text");
  EXPECT_EQ(texts[1], "\"quoted\"\\,\n\ttwo lines");
  EXPECT_EQ(texts[2], "Größe → 大");
  EXPECT_EQ(texts[3], "bro\xef\xbf\xbd\xef\xbf\xbdken");
  EXPECT_EQ(texts[4], "load(train.py)");
  EXPECT_EQ(table("span").column("correlation")[0], "∅") << "NULL is nothing, not an empty text";
  EXPECT_THAT(test::file_text(dir / "csv/string.csv"), Not(HasSubstr("\r")));
}

TEST_F(CsvExport, PrivateDataIsWrittenOnlyWhenAskedFor) {
  const auto session = test::opened(dir, "a.k3r", test::odd_run());
  const auto all_files = [&] {
    std::string text;
    for (const auto& file : std::filesystem::directory_iterator(dir / "csv"))
      text += test::file_text(file.path());
    return text;
  };
  export_all(session);
  for (const char* secret : {"secret-host", "somebody", "/srv"})
    EXPECT_THAT(all_files(), Not(HasSubstr(secret)));
  export_all(session, {.output = {}, .private_data = PrivateData::kept});
  for (const char* secret : {"secret-host", "--user somebody", "/srv/somebody/k3"})
    EXPECT_THAT(all_files(), HasSubstr(secret));
}

TEST_F(CsvExport, StepsAndRanksCanBeChosen) {
  const auto session = test::opened(dir, "a.k3r", test::small_run(RunKind::measured, 4));
  const ExportSummary summary =
      export_all(session, {.output = {}, .steps = StepRange{2, 3}, .ranks = {1}});
  EXPECT_THAT(table("step").column("step"), ElementsAre("2", "3"));
  EXPECT_THAT(table("span").column("step"), ElementsAre("2", "2", "3", "3"));
  EXPECT_THAT(table("span").column("lane_id"), ElementsAre("1", "1", "1", "1"));
  EXPECT_THAT(table("memory").column("what"), ElementsAre("experts", "kv_cache"));
  EXPECT_EQ(table("traffic").lines.size(), 2U * 2 * 3) << "pairs of others are left out";
  EXPECT_FALSE(std::filesystem::exists(dir / "csv/traffic_total.csv"));
  EXPECT_THAT(summary.notes, testing::Contains(HasSubstr("traffic_total is left out")));
}

TEST_F(CsvExport, TotalsOfInterruptedSessionsAreComputed) {
  const auto session =
      test::opened(dir, "a.k3r", test::small_run(RunKind::measured, 1), test::Ending::interrupted);
  export_all(session);
  EXPECT_EQ(table("traffic_total").sum("copies"), table("traffic").sum("copies"));
  EXPECT_GT(table("traffic_total").sum("copies"), 0);
}

TEST_F(CsvExport, EmptySessionsGiveHeaders) {
  test::SampleRun run = test::small_run(RunKind::measured, 0);
  run.steps.clear();
  export_all(test::opened(dir, "a.k3r", run));
  EXPECT_EQ(table("span").lines.size(), 0U);
  EXPECT_EQ(table("span").header.front(), "span_id");
}

TEST_F(CsvExport, OneTableGoesToOneFile) {
  const auto session = test::opened(dir, "a.k3r", test::small_run(RunKind::measured, 1));
  ExportRequest request{.format = Format::csv, .output = dir / "steps.csv", .table = "step"};
  EXPECT_EQ(test::exported(session, request).rows, 2);
  EXPECT_EQ(test::read_csv(test::file_text(dir / "steps.csv")).size(), 3U);
  Progress progress;
  request.table = "stepp";
  EXPECT_THAT(export_session(session, request, progress).error().text(), HasSubstr("`step`"));
  request = {.format = Format::csv, .output = dir / "x.csv"};
  EXPECT_THAT(export_session(session, request, progress).error().text(), HasSubstr("folder"));
}

TEST_F(CsvExport, WhatFailsLeavesTheFolderAsItWas) {
  const auto session = test::opened(dir, "a.k3r", test::small_run(RunKind::measured, 1));
  const auto names = [&] {
    std::vector<std::string> out;
    for (const auto& file : std::filesystem::directory_iterator(dir.path()))
      out.push_back(file.path().filename());
    return out;
  };
  const std::vector<std::string> before = names();
  Progress progress;
  progress.cancelled = true;
  const ExportRequest request{.format = Format::csv, .output = dir / "csv"};
  const auto cancelled = export_session(session, request, progress);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Code::cancelled);
  EXPECT_EQ(names(), before);
  progress.cancelled = false;
  ASSERT_TRUE(export_session(session, request, progress));
  EXPECT_THAT(export_session(session, request, progress).error().text(), HasSubstr("--force"));
}

TEST(ExportFormat, FollowsTheName) {
  EXPECT_EQ(format_of("a.pftrace"), Format::perfetto);
  EXPECT_EQ(format_of("a.perfetto-trace.gz"), Format::perfetto);
  EXPECT_EQ(format_of("a.b.json"), Format::chrome);
  EXPECT_EQ(format_of("a.json.gz"), Format::chrome);
  EXPECT_EQ(format_of("folder"), Format::csv);
  EXPECT_EQ(format_of("a.k3r"), std::nullopt);
}

}  // namespace
}  // namespace k3::exporter
