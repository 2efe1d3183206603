#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "profiler/store/blob.h"
#include "profiler/store/schema.h"
#include "profiler/store/session_reader.h"
#include "profiler/store/session_writer.h"
#include "tests/support/shared_data.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/profiler_store/sample_run.h"

namespace k3 {
namespace {

using store::SessionReader;
using test::Ending;

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

bool update_snapshots() {
  const char* value = std::getenv("K3_UPDATE_SNAPSHOTS");
  return value != nullptr && std::string(value) == "1";
}

/// Tasks take the costs of their spans in the first step of their plan.
void cost_tasks(test::SampleRun& run) {
  std::vector<bool> costed(run.header.plans.size());
  for (const StepRecord& step : run.steps) {
    const auto plan = static_cast<std::size_t>(step.plan);
    if (costed[plan]) continue;
    costed[plan] = true;
    for (const Span& span : step.spans) {
      if (span.task < 0) continue;
      if (span.category != SpanCategory::compute && span.category != SpanCategory::transfer)
        continue;
      TaskRecord& task = run.header.plans[plan].tasks[static_cast<std::size_t>(span.task)];
      task.flops = span.flops;
      task.bytes = span.bytes;
    }
  }
}

TEST(Session, MemoryOfAStepReplacesWhatTheHeaderSaid) {
  const test::TempDir dir;
  test::SampleRun run = test::random_run(1);
  run.header.memory = {{0, "buffers", 1}, {1, "buffers", 2}};
  run.steps.front().memory = {{0, "buffers", 30}, {0, "activations", 4}};
  ASSERT_TRUE(test::write_run(dir / "a.k3r", run, Ending::finished));
  const auto session = SessionReader::open(dir / "a.k3r");
  ASSERT_TRUE(session);
  EXPECT_EQ(test::rows_of(*session, "SELECT * FROM memory ORDER BY rank, what").value(),
            "0|activations|4\n0|buffers|30\n1|buffers|2\n");
}

TEST(Session, GivesBackEveryField_WhateverTheValues) {
  const test::TempDir dir;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    const auto path = dir / (std::to_string(seed) + ".k3r");
    test::SampleRun run = test::random_run(seed);
    ASSERT_TRUE(test::write_run(path, run, Ending::finished));
    const auto read = test::read_run(path);
    ASSERT_TRUE(read) << read.error().text();
    // The string table also holds those names of lanes that no span has ("dispatch" is a span's
    // name).
    run.header.names.insert(run.header.names.end(), {"rank 0", "rank 1", "rank 2"});
    cost_tasks(run);
    EXPECT_EQ(test::text_of(*read), test::text_of(run));
  }
}

TEST(Session, IsOnePlainFile_WhenFinished) {
  const test::TempDir dir;
  ASSERT_TRUE(test::write_run(dir / "a.k3r", test::random_run(1), Ending::finished));
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir.path()))
    ++files;
  EXPECT_EQ(files, 1);
  const auto session = SessionReader::open(dir / "a.k3r");
  ASSERT_TRUE(session);
  EXPECT_TRUE(session->is_complete());
  EXPECT_EQ(session->warning(), "");
  EXPECT_EQ(session->user_version(), store::kUserVersion);
}

TEST(Session, StoresTraysAndOneClock) {
  const test::TempDir dir;
  ASSERT_TRUE(test::write_run(dir / "a.k3r", test::random_run(1), Ending::finished));
  const auto session = SessionReader::open(dir / "a.k3r");
  ASSERT_TRUE(session);
  // Two GPUs per tray: ranks 0 and 1 share one.
  EXPECT_EQ(test::rows_of(*session, "SELECT * FROM rank ORDER BY rank").value(),
            "0|host|device|0|0|0|shared\n1|host|device|0|0|0|shared\n2|host|device|1|0|0|shared\n");
}

TEST(Session, HasTheSameTotals_WhetherFinishedOrInterrupted) {
  const test::TempDir dir;
  const test::SampleRun run = test::random_run(7);
  ASSERT_TRUE(test::write_run(dir / "whole.k3r", run, Ending::finished));
  ASSERT_TRUE(test::write_run(dir / "cut.k3r", run, Ending::interrupted));
  const auto whole = SessionReader::open(dir / "whole.k3r");
  const auto cut = SessionReader::open(dir / "cut.k3r");
  ASSERT_TRUE(whole && cut);
  EXPECT_FALSE(cut->is_complete());
  ASSERT_TRUE(cut->ensure_totals());
  for (const char* sql : {"SELECT * FROM lane_summary ORDER BY 1, 2, 3",
                          "SELECT * FROM traffic_total ORDER BY 1, 2, 3",
                          "SELECT * FROM expert_load_total ORDER BY layer, slot",
                          "SELECT * FROM v_traffic_matrix ORDER BY 1, 2",
                          "SELECT * FROM v_expert_balance ORDER BY 1"}) {
    SCOPED_TRACE(sql);
    const std::string expected = test::rows_of(*whole, sql).value();
    EXPECT_NE(expected, "");
    EXPECT_EQ(test::rows_of(*cut, sql).value(), expected);
  }
}

TEST(Session, SumsSpansOfDepthZero_PerLaneAndPerTaskGroup) {
  const test::TempDir dir;
  test::SampleRun run;
  run.header.num_ranks = 2;
  run.header.names = {"x"};
  run.header.lanes = {{0, LaneKind::compute, "a"}, {1, LaneKind::compute, "b"}};
  run.header.plans = {{.hash = 1,
                       .phase = Phase::decode,
                       .tasks = {{.rank = 0, .kind = TaskKind::dispatch, .layer = 3},
                                 {.rank = 1, .kind = TaskKind::dispatch, .layer = 3}}}};
  StepRecord step;
  step.spans = {
      {.duration_ns = 5, .lane = 0, .task = 0, .layer = 3, .category = SpanCategory::wait},
      {.duration_ns = 20,
       .lane = 0,
       .task = 0,
       .layer = 3,
       .category = SpanCategory::transfer,
       .bytes = 64},
      {.duration_ns = 9,
       .lane = 0,
       .task = 0,
       .layer = 3,
       .depth = 1,
       .category = SpanCategory::compute},
      {.duration_ns = 40,
       .lane = 1,
       .task = 1,
       .layer = 3,
       .category = SpanCategory::transfer,
       .bytes = 32},
      {.duration_ns = 7, .lane = 1, .category = SpanCategory::other}};
  run.steps = {step};
  ASSERT_TRUE(test::write_run(dir / "a.k3r", run, Ending::finished));
  const auto session = SessionReader::open(dir / "a.k3r");
  ASSERT_TRUE(session);
  EXPECT_EQ(test::rows_of(*session, "SELECT * FROM lane_summary").value(),
            "0|transfer|3|1|20\n0|wait|3|1|5\n1|other|-1|1|7\n1|transfer|3|1|40\n");
  // Two ranks with a task each: busy 20 + 40, waiting 5, slowest rank 40 (the other 25), 64 + 32
  // bytes.
  EXPECT_EQ(test::rows_of(*session, "SELECT * FROM step_cost").value(),
            "0|dispatch|3|whole|2|2|60|5|40|0.0|96.0\n");
  // Mean over two ranks: 65 ns / 2.
  EXPECT_EQ(
      test::rows_of(*session, "SELECT mean_us, wait_us, slowest_rank_us FROM v_layer_cost").value(),
      "0.0325|0.0025|0.04\n");
}

TEST(Session, RefusesRecordsThatPointNowhere) {
  const test::TempDir dir;
  const test::SampleRun run = test::random_run(3);
  const auto sink = store::create_session(dir / "a.k3r", Overwrite::no).value();
  EXPECT_EQ(sink->step(run.steps[0]).error().code, Code::internal);
  ASSERT_TRUE(sink->begin(run.header));
  StepRecord wrong = run.steps[0];
  wrong.spans.push_back({.lane = 6});
  EXPECT_FALSE(sink->step(wrong));
  wrong = run.steps[0];
  wrong.spans.push_back({.task = 1000});
  EXPECT_FALSE(sink->step(wrong));
  wrong = run.steps[0];
  wrong.traffic[0].copies.pop_back();
  EXPECT_FALSE(sink->step(wrong));
  wrong = run.steps[0];
  wrong.expert_load[0].slot_tokens.pop_back();
  EXPECT_FALSE(sink->step(wrong));
  wrong = run.steps[0];
  wrong.routing[0].top_k = 3;
  wrong.routing[0].num_tokens += 1;
  EXPECT_FALSE(sink->step(wrong));
  // None of them left a trace.
  ASSERT_TRUE(sink->step(run.steps[0]));
  ASSERT_TRUE(sink->finish());
  EXPECT_EQ(sink->finish().error().code, Code::internal);
  const auto read = test::read_run(dir / "a.k3r");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->steps.size(), 1U);
  EXPECT_EQ(test::text_of(read->steps[0]), test::text_of(run.steps[0]));
}

TEST(Schema, ReadmeIsUpToDate) {
  const auto path = test::source_dir() / "profiler/store/README.md";
  if (update_snapshots()) std::ofstream(path, std::ios::binary) << store::schema_readme();
  EXPECT_EQ(content_of(path), store::schema_readme()) << "run with K3_UPDATE_SNAPSHOTS=1";
}

// Each file was written by the program that released its format and is never rewritten; its values
// are those of random_run(1), spelled out in the text beside it.
TEST(Schema, ReadsFilesOfEveryFormat) {
  const auto folder = test::source_dir() / "tests/unit/profiler_store/data";
  for (int format = 1; format <= store::kUserVersion; ++format) {
    const std::string name = "format-" + std::to_string(format);
    const auto read = test::read_run(folder / (name + ".k3r"));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(test::text_of(*read), content_of(folder / (name + ".txt"))) << name;
  }
}

TEST(Blob, ChecksSizes) {
  const std::vector<std::uint32_t> values{1, 2, 3};
  EXPECT_EQ(store::array_from<std::uint32_t>(store::blob_of(values), 3).value(), values);
  EXPECT_EQ(store::array_from<std::uint32_t>(store::blob_of(values), 2).error().code,
            Code::corrupt);
  EXPECT_FALSE(store::array_from<std::uint64_t>(store::blob_of(values)));
}

TEST(Blob, CompressedValuesComeBack_OrAnErrorDoes) {
  std::vector<std::uint16_t> values(5000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::uint16_t>(i * i % 896);
  const auto blob = store::compressed(values);
  EXPECT_EQ(store::decompressed(blob, values.size()).value(), values);
  EXPECT_EQ(store::decompressed(blob, values.size() - 1).error().code, Code::corrupt);
  EXPECT_EQ(store::decompressed({}, 0).error().code, Code::corrupt);
  for (std::size_t i = 0; i < blob.size(); i += 7) {
    auto broken = blob;
    broken[i] ^= std::byte{0x10};
    const auto got = store::decompressed(broken, values.size());
    EXPECT_TRUE(!got || *got == values) << i;
  }
}

}  // namespace
}  // namespace k3
