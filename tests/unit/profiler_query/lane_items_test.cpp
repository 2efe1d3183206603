#include "profiler/query/lane_items.h"

#include <gmock/gmock.h>

#include "tests/unit/profiler_query/lanes_run.h"

namespace k3::query {
namespace {

using test::lanes_of_run;
using test::lanes_run;

std::vector<LaneItem> items_of(const Lanes& lanes, TimeRange range, double ns_per_pixel) {
  std::vector<LaneItem> items;
  append_items(lanes, lanes.tracks.front(), range, ns_per_pixel, items);
  return items;
}

TEST(LaneItems, AreSpansWhereTheyAreWide_AndCellsWhereNot) {
  // 10 ns per pixel: 30 ns are wide. Cells end at multiples of 30.
  const auto lanes = lanes_of_run(lanes_run({
      {.begin_ns = 0, .duration_ns = 30, .task = 0},
      {.begin_ns = 31, .duration_ns = 5, .task = 1, .category = SpanCategory::wait},
      {.begin_ns = 40, .duration_ns = 8, .task = 1},
      {.begin_ns = 50, .duration_ns = 9, .task = 0},
      {.begin_ns = 58 + 1, .duration_ns = 3, .task = 0},
      {.begin_ns = 70, .duration_ns = 1, .task = 0},
      {.begin_ns = 80, .duration_ns = 100, .task = 0},
  }));
  const auto items = items_of(*lanes, {0, 1000}, 10);
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(items[0].count, 1U);
  EXPECT_EQ(items[0].end_ns, 30);
  const LaneItem& cell = items[1];
  EXPECT_EQ(cell.first_span, 1U);
  EXPECT_EQ(cell.count, 4U);
  EXPECT_EQ(cell.begin_ns, 31);
  EXPECT_EQ(cell.end_ns, 62);
  EXPECT_EQ(cell.busy_ns, 8 + 9 + 3);
  EXPECT_EQ(cell.wait_ns, 5);
  EXPECT_EQ(cell.category, SpanCategory::compute);
  EXPECT_EQ(cell.kind, static_cast<std::uint8_t>(TaskKind::kda));  // 12 ns against 8
  EXPECT_DOUBLE_EQ(cell.busy_fraction(), 20.0 / 31);
  EXPECT_EQ(items[2].count, 1U);  // narrow, but alone in its cell
  EXPECT_EQ(items[2].first_span, 5U);
  EXPECT_EQ(items[3].end_ns, 180);
}

TEST(LaneItems, OfTheRangeOnly) {
  const auto lanes = lanes_of_run(lanes_run({{.begin_ns = 0, .duration_ns = 100},
                                             {.begin_ns = 100, .duration_ns = 100},
                                             {.begin_ns = 200, .duration_ns = 100},
                                             {.begin_ns = 300, .duration_ns = 100}}));
  const auto items = items_of(*lanes, {150, 300}, 1);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].first_span, 1U);
  EXPECT_EQ(items[1].first_span, 2U);
  EXPECT_TRUE(items_of(*lanes, {400, 500}, 1).empty());
  EXPECT_TRUE(items_of(*lanes, {-50, 0}, 1).empty());
}

TEST(LaneItems, WaitingCellsKeepAKind) {
  const auto lanes = lanes_of_run(
      lanes_run({{.begin_ns = 0, .duration_ns = 1, .task = 2, .category = SpanCategory::wait},
                 {.begin_ns = 1, .duration_ns = 1, .task = 2, .category = SpanCategory::wait}}));
  const auto items = items_of(*lanes, {0, 10}, 10);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].category, SpanCategory::wait);
  EXPECT_EQ(items[0].kind, static_cast<std::uint8_t>(TaskKind::dispatch));
  EXPECT_EQ(items[0].busy_ns, 0);
  EXPECT_EQ(items[0].wait_ns, 2);
}

/// Checks items against the spans one by one.
void expect_exact(const Lanes& lanes, TimeRange range, double ns_per_pixel) {
  const Track& track = lanes.tracks.front();
  const auto items = items_of(lanes, range, ns_per_pixel);
  const auto cell_ns = static_cast<std::int64_t>(std::max(1.0, kFoldPixels * ns_per_pixel));
  for (std::size_t n = 0; n < items.size(); ++n) {
    const LaneItem& item = items[n];
    std::int64_t busy_ns = 0;
    std::int64_t wait_ns = 0;
    for (std::size_t i = item.first_span; i < item.first_span + item.count; ++i) {
      const std::int64_t ns = lanes.end_ns[i] - lanes.begin_ns[i];
      (lanes.category[i] == SpanCategory::wait ? wait_ns : busy_ns) += ns;
      if (item.count > 1) {
        EXPECT_LT(ns, cell_ns);
      }
    }
    EXPECT_EQ(item.busy_ns, busy_ns);
    EXPECT_EQ(item.wait_ns, wait_ns);
    EXPECT_EQ(item.begin_ns, lanes.begin_ns[item.first_span]);
    EXPECT_EQ(item.end_ns, lanes.end_ns[item.first_span + item.count - 1]);
    if (item.count > 1) {
      EXPECT_LE(item.end_ns - item.begin_ns, 3 * cell_ns);
    }
    if (n > 0) {
      EXPECT_EQ(item.first_span, items[n - 1].first_span + items[n - 1].count);
    }
  }
  // Nothing in the range is left out.
  for (std::size_t i = track.first; i < track.first + track.count; ++i) {
    if (lanes.end_ns[i] <= range.begin_ns || lanes.begin_ns[i] >= range.end_ns) continue;
    ASSERT_FALSE(items.empty());
    EXPECT_GE(i, items.front().first_span);
    EXPECT_LT(i, items.back().first_span + items.back().count);
  }
  // Two per cell of the view, and one before each wide span.
  const double cells = static_cast<double>(range.duration_ns()) / static_cast<double>(cell_ns);
  EXPECT_LE(static_cast<double>(items.size()), 3 * cells + 4);
}

TEST(LaneItems, AreExactAtEveryScale) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto lanes = lanes_of_run(lanes_run(test::random_spans(seed, 3000)));
    const Track& track = lanes->tracks.front();
    const TimeRange all{lanes->begin_ns[track.first], lanes->end_ns[track.first + track.count - 1]};
    Rng rng(seed);
    for (double ns_per_pixel = 0.1; ns_per_pixel < 1e7; ns_per_pixel *= 3.1) {
      expect_exact(*lanes, all, ns_per_pixel);
      const auto size = static_cast<std::uint64_t>(all.duration_ns());
      const auto begin_ns = all.begin_ns + static_cast<std::int64_t>(rng.next() % size);
      expect_exact(*lanes, {begin_ns, begin_ns + static_cast<std::int64_t>(rng.next() % size)},
                   ns_per_pixel);
    }
  }
}

TEST(LaneItems, StayWhereTheyAre_WhenPanned) {
  const auto lanes = lanes_of_run(lanes_run(test::random_spans(9, 3000)));
  const auto whole = items_of(*lanes, {0, 20'000'000}, 700);
  const auto part = items_of(*lanes, {3'000'000, 9'000'000}, 700);
  ASSERT_GT(part.size(), 20U);
  std::size_t found = 0;
  for (std::size_t i = 1; i < part.size(); ++i) {
    for (const LaneItem& item : whole)
      found += item.first_span == part[i].first_span && item.count == part[i].count ? 1 : 0;
  }
  EXPECT_EQ(found, part.size() - 1);
}

TEST(SpanAt, FindsTheSpanOrTheNearest) {
  const auto lanes = lanes_of_run(lanes_run({{.begin_ns = 100, .duration_ns = 50},
                                             {.begin_ns = 150, .duration_ns = 10},
                                             {.begin_ns = 200, .duration_ns = 0},
                                             {.begin_ns = 300, .duration_ns = 10},
                                             {.begin_ns = 110, .duration_ns = 10, .depth = 1}}));
  EXPECT_EQ(span_at(*lanes, 0, 0, 100, 0), 0U);
  EXPECT_EQ(span_at(*lanes, 0, 0, 149, 0), 0U);
  EXPECT_EQ(span_at(*lanes, 0, 0, 150, 0), 1U);
  EXPECT_EQ(span_at(*lanes, 0, 0, 160, 0), std::nullopt);
  EXPECT_EQ(span_at(*lanes, 0, 0, 160, 1), 1U);
  EXPECT_EQ(span_at(*lanes, 0, 0, 200, 0), 2U);
  EXPECT_EQ(span_at(*lanes, 0, 0, 195, 10), 2U);
  EXPECT_EQ(span_at(*lanes, 0, 0, 295, 10), 3U);
  EXPECT_EQ(span_at(*lanes, 0, 0, 90, 10), 0U);
  EXPECT_EQ(span_at(*lanes, 0, 0, 89, 10), std::nullopt);
  EXPECT_EQ(span_at(*lanes, 0, 0, INT64_MIN, 10), std::nullopt);
  EXPECT_EQ(span_at(*lanes, 0, 0, INT64_MAX, 10), std::nullopt);
  EXPECT_EQ(span_at(*lanes, 0, 1, 115, 0), 4U);
  EXPECT_EQ(span_at(*lanes, 0, 2, 115, 0), std::nullopt);
  EXPECT_EQ(span_at(*lanes, 0, -1, 115, 0), std::nullopt);
  EXPECT_EQ(span_at(*lanes, 9, 0, 115, 0), std::nullopt);
}

}  // namespace
}  // namespace k3::query
