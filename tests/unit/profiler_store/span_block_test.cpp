#include "profiler/store/span_block.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/rng.h"
#include "profiler/store/blob.h"
#include "profiler/store/session_reader.h"
#include "profiler/store/session_writer.h"
#include "profiler/store/span_writer.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/profiler_store/sample_run.h"

namespace k3 {
namespace {

using store::SpanBlockDecoder;
using store::SpanBlockValues;
using store::SpanField;
using testing::HasSubstr;

/// Columns of every width: constant, one byte, two, four, and anything at all.
SpanBlockValues random_values(std::uint64_t seed, std::size_t count) {
  Rng rng(seed);
  SpanBlockValues values;
  for (std::size_t field = 0; field < store::kNumSpanFields; ++field) {
    const std::uint64_t limit =
        std::array<std::uint64_t, 5>{1, 256, 65'536, std::uint64_t{1} << 32, 0}[(seed + field) % 5];
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t number = limit == 0 ? rng.next() : rng.next() % limit;
      values[field].push_back(static_cast<std::int64_t>(number));
    }
  }
  return values;
}

std::vector<std::int64_t> column(const SpanBlockDecoder& decoder,
                                 std::size_t field,
                                 std::size_t count) {
  std::vector<std::int64_t> out(count);
  EXPECT_TRUE(decoder.read(static_cast<SpanField>(field), std::span(out)));
  return out;
}

TEST(SpanBlock, GivesBackEveryValue_WhateverItsWidth) {
  SpanBlockDecoder decoder;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const std::size_t count : {1, 2, 255, 256, 257, 3000}) {
      const SpanBlockValues values = random_values(seed, count);
      const auto opened = decoder.open(store::encode_span_block(values), count);
      ASSERT_TRUE(opened) << opened.error().text();
      for (std::size_t field = 0; field < store::kNumSpanFields; ++field)
        EXPECT_EQ(column(decoder, field, count), values[field]);
    }
  }
}

TEST(SpanBlock, IsWhatItsDescriptionSays) {
  SpanBlockValues values;
  values.fill({0, 0});
  values[0] = {7, 9};           // differences 0 (of the first) and 2 from the start 7
  values[2] = {1000, 1 << 17};  // 4 bytes, from the base 1000
  std::vector<std::byte> bytes;
  ASSERT_TRUE(store::decompress_bytes(store::encode_span_block(values), 1000, bytes));
  const auto byte = [&](std::size_t i) { return std::to_integer<int>(bytes[i]); };
  EXPECT_EQ(byte(0), 1);   // width
  EXPECT_EQ(byte(1), 1);   // coding
  EXPECT_EQ(byte(2), 7);   // start
  EXPECT_EQ(byte(10), 0);  // base
  EXPECT_EQ(byte(18), 0);
  EXPECT_EQ(byte(19), 2);
  const std::size_t duration = 20 + 18;  // behind begin_ns, which takes no planes
  EXPECT_EQ(byte(duration), 4);
  EXPECT_EQ(byte(duration + 1), 0);
  EXPECT_EQ(byte(duration + 10) + 256 * byte(duration + 11), 1000);
  const int rest = (1 << 17) - 1000;  // the second value's bytes, one per plane
  EXPECT_EQ(byte(duration + 18 + 1), rest & 255);
  EXPECT_EQ(byte(duration + 18 + 3), rest >> 8 & 255);
  EXPECT_EQ(byte(duration + 18 + 5), rest >> 16);
  EXPECT_EQ(byte(duration + 18 + 7), 0);
}

TEST(SpanBlock, RefusesValuesThatLeadNowhere) {
  SpanBlockValues values;
  values.fill({0, 5});
  values[static_cast<std::size_t>(SpanField::layer)] = {-2, 70'000};
  SpanBlockDecoder decoder;
  ASSERT_TRUE(decoder.open(store::encode_span_block(values), 2));
  std::array<std::int32_t, 2> names{};
  EXPECT_TRUE(decoder.read(SpanField::name_id, std::span<std::int32_t>(names), 0, 5));
  const auto name = decoder.read(SpanField::name_id, std::span<std::int32_t>(names), 0, 4);
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().code, Code::corrupt);
  EXPECT_THAT(name.error().message, HasSubstr("only 0 to 4 make sense"));
  std::array<std::int16_t, 2> layers{};
  EXPECT_FALSE(decoder.read(SpanField::layer, std::span<std::int16_t>(layers)));
}

TEST(SpanBlock, GivesAnErrorOrValues_WhateverIsBroken) {
  constexpr std::size_t kCount = 300;
  const std::vector<std::byte> blob = store::encode_span_block(random_values(3, kCount));
  std::vector<std::byte> bytes;
  ASSERT_TRUE(store::decompress_bytes(blob, 1'000'000, bytes));
  SpanBlockDecoder decoder;
  EXPECT_FALSE(decoder.open({}, kCount));
  EXPECT_FALSE(decoder.open(blob, kCount + 1));
  EXPECT_FALSE(decoder.open(blob, kCount - 1));
  EXPECT_FALSE(decoder.open(blob, 0));
  EXPECT_FALSE(decoder.open(blob, store::kMaxBlockSpans + 1));
  Rng rng(8);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    // Half of them broken inside the frame, where no checksum helps.
    std::vector<std::byte> broken = i % 2 == 0 ? blob : bytes;
    for (std::uint64_t k = 0; k <= rng.next() % 4; ++k)
      broken[rng.next() % std::min<std::size_t>(broken.size(), 4000)] = std::byte(rng.next() & 255);
    if (i % 7 == 0) broken.resize(rng.next() % broken.size());
    const auto opened = decoder.open(i % 2 == 0 ? broken : store::compressed_bytes(broken), kCount);
    if (!opened) {
      ++refused;
      EXPECT_EQ(opened.error().code, Code::corrupt);
      continue;
    }
    std::vector<std::int64_t> out(kCount);
    for (std::size_t field = 0; field < store::kNumSpanFields; ++field)
      static_cast<void>(decoder.read(static_cast<SpanField>(field), std::span(out)).has_value());
  }
  EXPECT_GT(refused, 1000);
}

TEST(SpanBlock, HoldsTheSpansOfOneLaneAndDepthInOrderOfTime) {
  const std::vector<store::NumberedSpans> steps{
      {.step = 3,
       .first_span = 11,
       .spans = {{.begin_ns = 50, .duration_ns = 9, .lane = 1},
                 {.begin_ns = 20, .duration_ns = 5, .lane = 1, .category = SpanCategory::wait},
                 {.begin_ns = 21, .duration_ns = 2, .lane = 1, .depth = 1}}},
      {.step = 4, .first_span = 14, .spans = {{.begin_ns = 70, .duration_ns = 30, .lane = 1}}}};
  const auto blocks = store::encode_blocks(steps);
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].lane, 1);
  EXPECT_EQ(blocks[0].depth, 0);
  EXPECT_EQ(blocks[0].first_begin_ns, 20);
  EXPECT_EQ(blocks[0].last_end_ns, 100);
  EXPECT_EQ(blocks[0].count, 3);
  EXPECT_EQ(blocks[0].busy_ns, 39);
  EXPECT_EQ(blocks[0].span_limit, 15);
  EXPECT_EQ(blocks[1].depth, 1);
  EXPECT_EQ(blocks[1].span_limit, 15);
  SpanBlockDecoder decoder;
  ASSERT_TRUE(decoder.open(blocks[0].columns, 3));
  EXPECT_THAT(column(decoder, 0, 3), testing::ElementsAre(12, 11, 14));
  EXPECT_THAT(column(decoder, 1, 3), testing::ElementsAre(20, 50, 70));
  EXPECT_THAT(column(decoder, 2, 3), testing::ElementsAre(5, 9, 30));
  EXPECT_THAT(column(decoder, 3, 3), testing::ElementsAre(3, 3, 4));
}

TEST(SpanWriter, AddsBlocksOfWholeStepsWhileItWrites) {
  const test::TempDir dir;
  const auto database = store::Database::open(dir / "a.db", store::OpenMode::create).value();
  for (const store::Table* table :
       {&store::kSpanTable, &store::kSpanRangeTable, &store::kSpanBlockTable})
    ASSERT_TRUE(database.execute(store::create_statement(*table)));
  constexpr std::int64_t kSpans = 700;
  constexpr std::int64_t kSteps = 12;
  const auto writer = store::SpanWriter::prepare(database, 3 * kSpans).value();
  StepRecord step;
  for (std::int32_t i = 0; i < kSpans; ++i)
    step.spans.push_back({.begin_ns = 10 * i, .duration_ns = 9, .lane = i % 6});
  const auto limit = [&] {
    return database.integer("SELECT coalesce(max(span_limit), 1) FROM span_block").value();
  };
  std::int64_t next_span = 1;
  for (step.step = 0; step.step < kSteps; ++step.step) {
    ASSERT_TRUE(writer->insert(step, next_span));
    writer->committed(step, next_span);
    next_span += kSpans;
    EXPECT_EQ(limit() % kSpans, 1) << "whole steps only";
  }
  // Three steps fill a batch; when six more have come, it was waited for.
  EXPECT_GE(limit(), 3 * kSpans + 1);
  ASSERT_TRUE(writer->insert_rest());
  EXPECT_EQ(limit(), kSteps * kSpans + 1);
  EXPECT_EQ(database.integer("SELECT sum(count) FROM span_block").value(), kSteps * kSpans);
  EXPECT_EQ(database.integer("SELECT count(DISTINCT span_id) FROM span").value(), kSteps * kSpans);
  EXPECT_EQ(database.integer("SELECT count(*) FROM span_range").value(), kSteps * 2);
  EXPECT_EQ(database.integer("SELECT sum(num_spans) FROM span_range").value(), kSteps * kSpans);
}

TEST(SpanWriter, WritesBlocksOnce_WhenATransactionFails) {
  const test::TempDir dir;
  const auto database = store::Database::open(dir / "a.db", store::OpenMode::create).value();
  for (const store::Table* table :
       {&store::kSpanTable, &store::kSpanRangeTable, &store::kSpanBlockTable})
    ASSERT_TRUE(database.execute(store::create_statement(*table)));
  const auto writer = store::SpanWriter::prepare(database, 1).value();
  StepRecord step;
  step.spans = {{.begin_ns = 1}, {.begin_ns = 2}};
  std::int64_t next_span = 1;
  for (int i = 0; i < 6; ++i) {
    {
      const auto transaction = store::Transaction::begin(database).value();
      ASSERT_TRUE(writer->insert(step, next_span));  // and rolled back
    }
    auto transaction = store::Transaction::begin(database).value();
    ASSERT_TRUE(writer->insert(step, next_span));
    ASSERT_TRUE(transaction.commit());
    writer->committed(step, next_span);
    next_span += 2;
  }
  ASSERT_TRUE(writer->insert_rest());
  EXPECT_EQ(database.integer("SELECT sum(count) FROM span_block").value(), 12);
  EXPECT_EQ(database.integer("SELECT count(*) FROM span").value(), 12);
}

TEST(SpansBetween, AreThoseThatOverlap) {
  const test::TempDir dir;
  test::SampleRun run = test::random_run(5);
  for (StepRecord& step : run.steps) {
    for (Span& span : step.spans)
      span.begin_ns %= 1'000'000'000'000;
  }
  ASSERT_TRUE(test::write_run(dir / "a.k3r", run, test::Ending::finished));
  const auto session = store::SessionReader::open(dir / "a.k3r").value();
  std::size_t found = 0;
  for (const std::int64_t begin_ns : {0LL, 3'000'000'000LL, 700'000'000'000LL}) {
    const std::int64_t end_ns = begin_ns + 90'000'000'000;
    const auto got = session.spans_between(begin_ns, end_ns).value();
    std::size_t next = 0;
    std::int64_t id = 0;
    for (const StepRecord& step : run.steps) {
      for (const Span& span : step.spans) {
        ++id;
        if (span.begin_ns >= end_ns || span.begin_ns + span.duration_ns <= begin_ns) continue;
        ASSERT_LT(next, got.size());
        EXPECT_EQ(got[next].span_id, id);
        EXPECT_EQ(got[next].step, step.step);
        EXPECT_EQ(got[next].span.begin_ns, span.begin_ns);
        EXPECT_EQ(got[next].span.flops, span.flops);
        ++next;
      }
    }
    EXPECT_EQ(next, got.size());
    found += next;
  }
  EXPECT_GT(found, 10U);
}

}  // namespace
}  // namespace k3
