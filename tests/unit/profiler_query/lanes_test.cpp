#include "profiler/query/lanes.h"

#include <filesystem>
#include <set>
#include <string>

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "profiler/store/schema.h"
#include "profiler/store/span_writer.h"
#include "tests/support/shared_data.h"
#include "tests/unit/profiler_query/lanes_run.h"
#include "tests/unit/profiler_query/small_run.h"

namespace k3::query {
namespace {

using test::lanes_of_run;
using test::lanes_run;
using test::loaded;
using testing::ElementsAre;

std::vector<std::int64_t> begins(const Lanes& lanes, const Track& track) {
  const auto part = lanes.begin_ns.part(track.first, track.count);
  return {part.begin(), part.end()};
}

/// Every span once, ascending and free of overlap in its track.
void expect_sound(const Lanes& lanes, std::size_t num_spans) {
  std::set<std::uint32_t> ids;
  for (const Track& track : lanes.tracks) {
    for (std::size_t i = track.first; i < track.first + track.count; ++i) {
      ids.insert(lanes.span_id[i]);
      EXPECT_LE(lanes.begin_ns[i], lanes.end_ns[i]);
      if (i > track.first) {
        EXPECT_LE(lanes.end_ns[i - 1], lanes.begin_ns[i]);
      }
      EXPECT_EQ(&lanes.track_of(i), &track);
    }
  }
  EXPECT_EQ(ids.size(), num_spans);
  EXPECT_EQ(lanes.num_spans(), num_spans);
}

TEST(Lanes, HoldAllColumnsOfEverySpan) {
  test::SampleRun run = lanes_run({{.begin_ns = 3, .duration_ns = 4, .lane = 2}});
  run.steps.push_back(test::step_of(1, 1000, 1000,
                                    {{.begin_ns = 1000, .duration_ns = 7, .lane = 0, .task = 1},
                                     {.begin_ns = 1010,
                                      .duration_ns = 20,
                                      .lane = 2,
                                      .task = 3,
                                      .layer = 1,
                                      .category = SpanCategory::transfer,
                                      .name = 2}}));
  const auto lanes = lanes_of_run(run);
  EXPECT_EQ(lanes->num_ranks, 2);
  EXPECT_EQ(lanes->lanes[3].kind, LaneKind::communication);
  EXPECT_EQ(lanes->steps[1].begin_ns, 1000);
  EXPECT_EQ(lanes->plans[0].tasks[3].kind, TaskKind::combine);
  ASSERT_EQ(lanes->tracks.size(), 2U);
  expect_sound(*lanes, 3);
  EXPECT_EQ(lanes->kind[lanes->tracks[1].first], kNoKind);
  const LaneSpan span = lanes->span(lanes->tracks[1].first + 1);
  EXPECT_EQ(span.time.begin_ns, 1010);
  EXPECT_EQ(span.time.end_ns, 1030);
  EXPECT_EQ(span.span_id, 3);
  EXPECT_EQ(span.lane, 2);
  EXPECT_EQ(span.depth, 0);
  EXPECT_EQ(span.step, 1);
  EXPECT_EQ(span.task, 3);
  EXPECT_EQ(span.layer, 1);
  EXPECT_EQ(lanes->names[static_cast<std::size_t>(span.name)], "dispatch");
  EXPECT_EQ(span.category, SpanCategory::transfer);
  EXPECT_EQ(span.kind, static_cast<std::uint8_t>(TaskKind::combine));
}

TEST(Lanes, MoveSpansThatCrossToTracksOfTheirOwn) {
  const auto lanes = lanes_of_run(lanes_run({{.begin_ns = 20, .duration_ns = 10},
                                             {.begin_ns = 0, .duration_ns = 10},
                                             {.begin_ns = 5, .duration_ns = 10},
                                             {.begin_ns = 9, .duration_ns = 3},
                                             {.begin_ns = 15, .duration_ns = 30},
                                             {.begin_ns = 2, .duration_ns = 4, .depth = 1},
                                             {.begin_ns = 1, .duration_ns = 1, .lane = 2}}));
  const auto tracks = lanes->tracks_of(0);
  ASSERT_EQ(tracks.size(), 4U);
  EXPECT_THAT(begins(*lanes, tracks[0]), ElementsAre(0, 15));
  EXPECT_THAT(begins(*lanes, tracks[1]), ElementsAre(2));
  EXPECT_THAT(begins(*lanes, tracks[2]), ElementsAre(5, 20));
  EXPECT_THAT(begins(*lanes, tracks[3]), ElementsAre(9));
  EXPECT_EQ(tracks[1].level, 1);
  EXPECT_FALSE(tracks[1].spilled);
  EXPECT_EQ(tracks[2].level, 0);
  EXPECT_TRUE(tracks[2].spilled);
  EXPECT_EQ(tracks[3].depth, 3);
  EXPECT_EQ(lanes->num_spilled, 3U);
  EXPECT_EQ(lanes->tracks_of(1).size(), 0U);
  EXPECT_EQ(lanes->tracks_of(2).size(), 1U);
  expect_sound(*lanes, 7);
}

TEST(Lanes, LoseNoSpan_HoweverTheyCross) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::vector<Span> spans = test::random_spans(seed, 2000);
    for (std::size_t i = 0; i < spans.size(); ++i)
      spans[i].lane = static_cast<std::int32_t>(i % 3);
    expect_sound(*lanes_of_run(lanes_run(spans)), 2000);
  }
}

/// Every value of a model.
std::string text_of(const Lanes& lanes) {
  std::string out =
      fmt::format("{} ranks, {} lanes, {} names, {} spilled, {} hidden\n", lanes.num_ranks,
                  lanes.lanes.size(), lanes.names.size(), lanes.num_spilled, lanes.num_hidden);
  for (const store::StepRow& step : lanes.steps)
    out += fmt::format("step {} {} {}\n", step.step, step.first_span, step.num_spans);
  for (const Track& track : lanes.tracks) {
    out += fmt::format("track {} {} {} {}\n", track.lane, track.depth, track.level, track.count);
    for (std::size_t i = track.first; i < track.first + track.count; ++i) {
      const LaneSpan span = lanes.span(i);
      out += fmt::format("{} {} {} {} {} {} {} {} {}\n", span.time.begin_ns, span.time.end_ns,
                         span.span_id, span.step, span.task, span.name, span.layer,
                         static_cast<int>(span.category), span.kind);
    }
  }
  for (const Mark& mark : lanes.marks.part(0, lanes.marks.size()))
    out += fmt::format("mark {} {}\n", mark.category_ns[0], mark.kind_ns[3]);
  return out;
}

/// Five steps on all lanes, with spans that cross and two levels.
test::SampleRun run_of_five_steps() {
  test::SampleRun run = lanes_run({});
  for (std::int32_t number = 1; number < 6; ++number) {
    std::vector<Span> spans = test::random_spans(static_cast<std::uint64_t>(number), 300);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      spans[i].begin_ns += 10'000'000 * number;
      spans[i].lane = static_cast<std::int32_t>(i * i % 4);
      spans[i].depth = static_cast<std::uint8_t>(i % 100 == 0 ? 7 : 0);
    }
    run.steps.push_back(test::step_of(number, 10'000'000 * number, 5'000'000, spans));
  }
  run.header.names.emplace_back("rank");  // the name of the lanes, as a file holds it
  return run;
}

TEST(Lanes, AreTheSame_FromBlocksFromRowsAndFromMemory) {
  const test::SampleRun run = run_of_five_steps();
  const std::string expected = text_of(*lanes_of_run(run));
  EXPECT_EQ(text_of(*loaded(run, test::Ending::finished)), expected);
  EXPECT_EQ(text_of(*loaded(run, test::Ending::interrupted)), expected);
}

TEST(Lanes, TakeStepsWithoutABlockFromTheirRows) {
  const test::TempDir dir;
  const test::SampleRun run = run_of_five_steps();
  ASSERT_TRUE(test::write_run(dir / "a.k3r", run, test::Ending::interrupted));
  {
    // As a run that was killed after the blocks of its first steps had been written.
    std::vector<store::NumberedSpans> steps;
    std::int64_t next_span = 1;
    for (std::size_t s = 0; s < 3; ++s) {
      steps.push_back({run.steps[s].step, next_span, run.steps[s].spans});
      next_span += std::ssize(run.steps[s].spans);
    }
    const auto database = store::Database::open(dir / "a.k3r", store::OpenMode::write).value();
    auto rows = store::Inserter<store::kSpanBlockTable>::prepare(database).value();
    for (const store::EncodedBlock& block : store::encode_blocks(steps)) {
      ASSERT_TRUE(rows.row(block.lane, block.depth, block.first_begin_ns, block.last_end_ns,
                           block.count, block.busy_ns, block.span_limit, block.columns));
    }
  }
  const auto session = store::SessionReader::open(dir / "a.k3r").value();
  EXPECT_FALSE(session.span_blocks()->empty());
  EXPECT_EQ(text_of(*load_lanes(session).value()), text_of(*lanes_of_run(run)));
}

// The files of formats 2 and 3 hold the same run, that of format 1 its first two steps.
TEST(Lanes, AreTheSame_FromEveryFormat) {
  const auto folder = test::source_dir() / "tests/unit/profiler_store/data";
  std::vector<std::shared_ptr<const Lanes>> lanes;
  for (int format = 1; format <= store::kUserVersion; ++format) {
    const auto path = folder / ("format-" + std::to_string(format) + ".k3r");
    const auto session = store::SessionReader::open(path).value();
    EXPECT_EQ(session.span_blocks()->empty(), format < 3);
    lanes.push_back(load_lanes(session).value());
  }
  expect_sound(*lanes[0], 13 + 39);
  expect_sound(*lanes[1], 13 + 39 + 32 + 54 + 44);
  EXPECT_EQ(text_of(*lanes[2]), text_of(*lanes[1]));
}

TEST(Lanes, RefuseBlocksThatContradictTheRest) {
  const test::TempDir dir;
  const test::SampleRun run = lanes_run(test::random_spans(1, 400));
  ASSERT_TRUE(test::write_run(dir / "a.k3r", run, test::Ending::finished));
  for (const char* sql :
       {"UPDATE span_block SET columns = zeroblob(50)", "UPDATE span_block SET count = count - 1",
        "UPDATE span_block SET lane_id = 4", "UPDATE span_block SET depth = -1",
        "UPDATE span_block SET count = 1 << 40", "DELETE FROM string WHERE id > 0",
        "UPDATE step SET step = 8", "UPDATE span_block SET columns = NULL"}) {
    const auto path = dir / "b.k3r";
    std::filesystem::copy_file(dir / "a.k3r", path,
                               std::filesystem::copy_options::overwrite_existing);
    ASSERT_TRUE(store::Database::open(path, store::OpenMode::write)->execute(sql)) << sql;
    const auto lanes = load_lanes(store::SessionReader::open(path).value());
    ASSERT_FALSE(lanes) << sql;
    EXPECT_EQ(lanes.error().code, Code::corrupt) << sql;
  }
}

TEST(Lanes, CountWhatTheyCannotShow) {
  const std::vector<Span> spans(300, {.begin_ns = 7, .duration_ns = 1});
  const auto lanes = lanes_of_run(lanes_run(spans));
  EXPECT_EQ(lanes->tracks.size(), 1 + kMaxSpillTracks);
  EXPECT_EQ(lanes->num_spilled, kMaxSpillTracks);
  EXPECT_EQ(lanes->num_hidden, 300 - 1 - kMaxSpillTracks);
  expect_sound(*lanes, 1 + kMaxSpillTracks);
}

TEST(Lanes, CutTimesThatCannotBe) {
  const auto lanes = lanes_of_run(lanes_run({{.begin_ns = INT64_MIN, .duration_ns = 5},
                                             {.begin_ns = 0, .duration_ns = -5},
                                             {.begin_ns = 1, .duration_ns = INT64_MAX}}));
  const std::int64_t limit = std::int64_t{1} << 61;
  EXPECT_EQ(lanes->begin_ns[0], -limit);
  EXPECT_EQ(lanes->end_ns[1], 0);
  EXPECT_EQ(lanes->end_ns[2], limit);
  expect_sound(*lanes, 3);
}

TEST(Lanes, AreEmptyWithoutSteps) {
  test::SampleRun run = lanes_run({});
  run.steps.clear();
  expect_sound(*lanes_of_run(run), 0);
}

TEST(Lanes, LoadingTellsHowFarItIs_AndStops) {
  const test::TempDir dir;
  const auto session = test::opened(dir, "a.k3r", test::small_run(RunKind::measured, 30));
  std::vector<double> fractions;
  LoadOptions options{.progress = [&](double fraction) { fractions.push_back(fraction); }};
  ASSERT_TRUE(load_lanes(session, options));
  ASSERT_FALSE(fractions.empty());
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1.0);
  std::stop_source source;
  options = {.stop = source.get_token(), .progress = [&](double) { source.request_stop(); }};
  const auto stopped = load_lanes(session, options);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::cancelled);
}

}  // namespace
}  // namespace k3::query
