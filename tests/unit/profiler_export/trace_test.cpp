// Both formats of traces, against the session they were made from.

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/profiler_export/exported.h"

namespace k3::exporter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

class TraceExport : public testing::TestWithParam<Format> {
 protected:
  test::Trace trace_of(const store::SessionReader& session, ExportRequest request = {}) {
    request.format = GetParam();
    request.output = dir / "trace";
    request.overwrite = Overwrite::yes;
    summary = test::exported(session, request);
    return GetParam() == Format::chrome ? test::read_chrome(dir / "trace")
                                        : test::read_perfetto(dir / "trace", shift_ns);
  }

  /// Perfetto knows no time before 0.
  std::int64_t shift_ns = 0;
  test::TempDir dir;
  ExportSummary summary;
};

INSTANTIATE_TEST_SUITE_P(,
                         TraceExport,
                         testing::Values(Format::chrome, Format::perfetto),
                         [](const auto& tested) {
                           return tested.param == Format::chrome ? "Chrome" : "Perfetto";
                         });

TEST_P(TraceExport, HoldsEverySpanOfTheSession) {
  const auto session = test::opened(dir, "a.k3r", test::small_run(RunKind::measured, 2));
  const test::Trace trace = trace_of(session);
  EXPECT_EQ(trace.spans, test::spans_of(session));
  EXPECT_EQ(trace.spans.size(), 15U);
  EXPECT_EQ(summary.spans, 15);
  EXPECT_EQ(summary.steps, 3);
  EXPECT_THAT(trace.steps, ElementsAre("prefill step 0", "decode step 1", "decode step 2"));
  EXPECT_THAT(trace.processes,
              ElementsAre(Pair(-1, "run"), Pair(0, "rank 0 · cpu"), Pair(1, "rank 1 · cpu")));
}

TEST_P(TraceExport, TimesAreExactFarFromTheBegin) {
  test::SampleRun run = test::small_run(RunKind::measured, 0);
  constexpr std::int64_t kFar = (std::int64_t{1} << 60) + 1;  // beyond what a double resolves
  for (Span& span : run.steps[0].spans)
    span.begin_ns += kFar;
  const auto session = test::opened(dir, "a.k3r", run);
  EXPECT_EQ(trace_of(session).spans, test::spans_of(session));
}

TEST_P(TraceExport, OddNamesAndSpansSurvive) {
  const auto session = test::opened(dir, "a.k3r", test::odd_run());
  shift_ns = 500;
  const test::Trace trace = trace_of(session);
  const std::vector<std::string> names = {"plain", "\"quoted\"\\,\n\ttwo lines", "Größe → 大",
                                          "bro\xef\xbf\xbd\xc3\xaf\xc2ken", "load(train.py)"};
  std::vector<std::string> expected = names;
  expected[3] = "bro\xef\xbf\xbd\xef\xbf\xbdken";
  // A seventh name: the table also holds those of lanes.
  expected.resize(session.names()->size());
  EXPECT_EQ(trace.spans, test::spans_of(session, expected));
  EXPECT_TRUE(trace.processes.contains(2)) << "a rank without spans is shown";
  EXPECT_EQ(trace.tracks.at("idle, \"lane\""), 0);
  EXPECT_THAT(summary.notes, testing::Contains(HasSubstr("2 spans that cross")));
  EXPECT_EQ(trace.tracks.at("rank 0"), 9);
  EXPECT_EQ(trace.tracks.at("rank 0 (overlapping 1)"), 1);
  EXPECT_EQ(trace.tracks.at("rank 0 (overlapping 2)"), 1);
}

TEST_P(TraceExport, CrossingSpansAreAllKeptOnTracksThatNest) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto session =
        test::opened(dir, "s" + std::to_string(seed), test::crossing_run(seed, 60));
    const test::Trace trace = trace_of(session);
    EXPECT_EQ(trace.spans, test::spans_of(session));
    int on_tracks = 0;
    for (const auto& [name, count] : trace.tracks)
      on_tracks += count;
    EXPECT_EQ(on_tracks, 240);
  }
}

TEST_P(TraceExport, WrongDurationsAreNamedAndDrawnAsNone) {
  test::SampleRun run = test::small_run(RunKind::imported, 0);
  run.steps[0].spans[0].duration_ns = -7;
  run.steps[0].spans[3].begin_ns = INT64_MAX - 1;
  const auto session = test::opened(dir, "a.k3r", run);
  const test::Trace trace = trace_of(session);
  EXPECT_EQ(trace.spans.size(), 5U);
  EXPECT_THAT(summary.notes, testing::Contains(HasSubstr("2 spans with a negative or impossible")));
}

TEST_P(TraceExport, ArrowsLeadFromTheLastSenderToTheTransfer) {
  const auto session = test::opened(dir, "a.k3r", test::small_run(RunKind::measured, 0));
  test::SampleRun run = test::small_run(RunKind::measured, 0);
  // Rank 1 computes until 3000; rank 0, ready at 1000, waits for its rows. Rank 1 gets rows from
  // rank 0 as well, which has computed until 1000.
  StepRecord& step = run.steps[0];
  step.spans[1].begin_ns = 1000;
  step.spans[2].begin_ns = 3000;
  step.spans[4].begin_ns = 3000;
  step.traffic[0].rows = {1, 1, 1, 1};
  const auto moved = test::opened(dir, "b.k3r", run);
  const test::Trace trace = trace_of(moved);
  std::vector<test::Arrow> arrows;
  for (const auto& [id, arrow] : trace.arrows)
    arrows.push_back(arrow);
  EXPECT_THAT(arrows, testing::UnorderedElementsAre(test::Arrow{1, 0, 0, 3000},
                                                    test::Arrow{0, 1, 0, 3000}));
  EXPECT_EQ(summary.flows, 2);
}

TEST_P(TraceExport, OfManySendersOnlyTheLastHasAnArrowToAReceiver) {
  test::SampleRun run = test::small_run(RunKind::measured, 0);
  constexpr std::int32_t kRanks = 5;
  run.header.num_ranks = kRanks;
  run.header.lanes.clear();
  PlanRecord& plan = run.header.plans[0];
  plan.tasks.clear();
  StepRecord& step = run.steps[0];
  step.spans.clear();
  step.traffic = {{1, Direction::dispatch, kRanks, {}, {}, {}}};
  step.traffic[0].copies.assign(kRanks * kRanks, 1);
  step.traffic[0].rows.assign(kRanks * kRanks, 1);
  step.traffic[0].bytes.assign(kRanks * kRanks, 10);
  // Rank r computes until 100 (r + 1), then waits until 500, when all have come.
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    run.header.lanes.push_back({rank, LaneKind::compute, "lane"});
    plan.tasks.push_back({rank, TaskKind::dispatch, Stage::whole, 1, 1, 0, 0});
    const std::int64_t ready = 100 * (rank + 1);
    step.spans.push_back({.begin_ns = 0, .duration_ns = ready, .lane = rank});
    step.spans.push_back({.begin_ns = ready,
                          .duration_ns = 500 - ready,
                          .lane = rank,
                          .task = rank,
                          .category = SpanCategory::wait});
    step.spans.push_back({.begin_ns = 500,
                          .duration_ns = 50,
                          .lane = rank,
                          .task = rank,
                          .category = SpanCategory::transfer});
  }
  std::vector<test::Arrow> arrows;
  const test::Trace trace = trace_of(test::opened(dir, "a.k3r", run));
  for (const auto& [id, arrow] : trace.arrows)
    arrows.push_back(arrow);
  EXPECT_THAT(arrows,
              testing::UnorderedElementsAre(test::Arrow{4, 0, 0, 500}, test::Arrow{4, 1, 0, 500},
                                            test::Arrow{4, 2, 0, 500}, test::Arrow{4, 3, 0, 500},
                                            test::Arrow{3, 4, 0, 500}));
}

TEST_P(TraceExport, NoArrowBetweenRanksThatSendNothing) {
  test::SampleRun run = test::small_run(RunKind::measured, 0);
  run.steps[0].traffic[0].rows = {1, 0, 0, 1};
  EXPECT_TRUE(trace_of(test::opened(dir, "a.k3r", run)).arrows.empty());
}

TEST_P(TraceExport, CountersShowMemoryAndLoadAndLinks) {
  test::SampleRun run = test::small_run(RunKind::simulated, 0);
  run.header.links = {{.src_node = "gpu0", .dst_node = "plane3", .plane = 3}};
  run.steps[0].link_samples = {{0, 10, 1.5e9}, {0, 20, 0}};
  for (const std::size_t task : {1U, 3U})
    run.header.plans[0].tasks[task].kind = TaskKind::experts;
  const test::Trace trace = trace_of(test::opened(dir, "a.k3r", run));
  using Samples = std::vector<test::Sample>;
  EXPECT_EQ(trace.counters.at("0 memory: experts bytes"), (Samples{{0, 100}, {4000, 100}}));
  EXPECT_EQ(trace.counters.at("1 memory: kv_cache bytes"), (Samples{{0, 50}, {4000, 50}}));
  EXPECT_EQ(trace.counters.at("0 expert tokens tokens"), (Samples{{0, 1}, {2000, 0}}));
  EXPECT_EQ(trace.counters.at("1 expert tokens tokens"), (Samples{{0, 3}, {500, 0}}));
  const std::string unit = GetParam() == Format::chrome ? "bytes_per_s" : "B/s";
  EXPECT_EQ(trace.counters.at("-1 link gpu0 → plane3 " + unit), (Samples{{10, 1.5e9}, {20, 0}}));
  EXPECT_EQ(summary.counter_samples, 12);
}

TEST_P(TraceExport, StepsAndRanksCanBeChosen) {
  const auto session = test::opened(dir, "a.k3r", test::small_run(RunKind::measured, 4));
  const test::Trace trace =
      trace_of(session, {.output = {}, .steps = StepRange{2, 3}, .ranks = {1}});
  EXPECT_THAT(trace.steps, ElementsAre("decode step 2", "decode step 3"));
  EXPECT_EQ(trace.spans.size(), 4U);
  for (const std::string& span : trace.spans)
    EXPECT_THAT(span, testing::StartsWith("rank 1 "));
  EXPECT_FALSE(trace.processes.contains(0));
}

TEST_P(TraceExport, EmptyAndInterruptedSessionsAreExported) {
  test::SampleRun run = test::small_run(RunKind::measured, 1);
  const auto interrupted = test::opened(dir, "a.k3r", run, test::Ending::interrupted);
  EXPECT_EQ(trace_of(interrupted).spans.size(), 10U);
  EXPECT_THAT(summary.notes, testing::Contains(HasSubstr("interrupted")));
  run.steps.clear();
  const test::Trace trace = trace_of(test::opened(dir, "b.k3r", run));
  EXPECT_TRUE(trace.spans.empty());
  EXPECT_EQ(trace.facts.at("title"), "small");
  EXPECT_THAT(summary.notes, testing::Contains(HasSubstr("no steps")));
}

TEST_P(TraceExport, PrivateDataIsWrittenOnlyWhenAskedFor) {
  const auto session = test::opened(dir, "a.k3r", test::odd_run());
  shift_ns = 500;
  trace_of(session);
  for (const char* secret : {"secret-host", "somebody", "/srv"})
    EXPECT_THAT(test::file_text(dir / "trace"), Not(HasSubstr(secret)));
  EXPECT_THAT(test::file_text(dir / "trace"), HasSubstr("train.py"));
  trace_of(session, {.output = {}, .private_data = PrivateData::kept});
  for (const char* secret : {"secret-host", "--user somebody", "/srv/somebody/train.py"})
    EXPECT_THAT(test::file_text(dir / "trace"), HasSubstr(secret));
}

TEST_P(TraceExport, WhatFailsLeavesTheFolderAsItWas) {
  const auto session = test::opened(dir, "a.k3r", test::small_run(RunKind::measured, 1));
  std::filesystem::create_directory(dir / "out");
  std::ofstream(dir / "out/old") << "old";
  ExportRequest request{.format = GetParam(), .output = dir / "out/old"};
  Progress progress;
  EXPECT_THAT(export_session(session, request, progress).error().text(), HasSubstr("--force"));
  request.overwrite = Overwrite::yes;
  progress.cancelled = true;
  const auto cancelled = export_session(session, request, progress);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Code::cancelled);
  request.ranks = {2};
  EXPECT_THAT(export_session(session, request, progress).error().text(), HasSubstr("ranks 0 to 1"));
  request.ranks = {};
  request.steps = StepRange{5, 9};
  EXPECT_THAT(export_session(session, request, progress).error().text(), HasSubstr("steps 0 to 1"));
  EXPECT_EQ(test::file_text(dir / "out/old"), "old");
  const std::filesystem::directory_iterator files(dir / "out");
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_P(TraceExport, SameSessionGivesTheSameBytes) {
  const auto session = test::opened(dir, "a.k3r", test::crossing_run(1, 50));
  trace_of(session);
  const std::string first = test::file_text(dir / "trace");
  trace_of(session);
  EXPECT_EQ(test::file_text(dir / "trace"), first);
}

TEST_P(TraceExport, NamesThatEndInGzAreCompressed) {
  const auto session = test::opened(dir, "a.k3r", test::small_run(RunKind::measured, 50));
  trace_of(session);
  const auto summary_gz =
      test::exported(session, {.format = GetParam(), .output = dir / "trace.gz"});
  const std::string text = test::file_text(dir / "trace.gz");
  EXPECT_EQ(text.substr(0, 2), "\x1f\x8b");
  EXPECT_LT(text.size() * 2, test::file_text(dir / "trace").size());
  EXPECT_EQ(summary_gz.bytes, std::ssize(text));
}

TEST(ChromeExport, HoldsTheSumOfTheMatrices) {
  const test::TempDir dir;
  const auto session = test::opened(dir, "a.k3r", test::small_run(RunKind::measured, 1));
  test::exported(session, {.format = Format::chrome, .output = dir / "t.json"});
  EXPECT_THAT(test::file_text(dir / "t.json"),
              HasSubstr("\"dispatch\":{\"copies\":[[2,2],\n[0,4]],\"rows\":[[2,2],\n[0,2]],"
                        "\"bytes\":[[20,20],\n[0,20]]}"));
}

/// The numbers of fields are the format: read by hand, without the classes that wrote them.
TEST(PerfettoExport, PacketsHaveTheFormatsFieldNumbers) {
  const test::TempDir dir;
  test::SampleRun run = test::small_run(RunKind::measured, 0);
  run.steps[0].spans.resize(1);
  test::exported(test::opened(dir, "a.k3r", run),
                 {.format = Format::perfetto, .output = dir / "t"});
  const std::string bytes = test::file_text(dir / "t");
  // The last packet but the end of the span: timestamp 1000 (8: varint), sequence 1 (10: varint),
  // event (11: length 11) of type end (9: 2) on a track (11: varint), flags 2 (13: varint).
  const std::string end_of_span("\x40\xe8\x07\x50\x01\x5a", 6);
  const std::size_t at = bytes.rfind(end_of_span);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(bytes.substr(at + 7, 3), "\x48\x02\x58");
}

}  // namespace
}  // namespace k3::exporter
