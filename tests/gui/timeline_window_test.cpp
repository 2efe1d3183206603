#include <cstdint>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "gui/timeline/lane_layout.h"
#include "gui/timeline/navigator.h"
#include "gui/timeline/time_window.h"
#include "tests/unit/profiler_query/lanes_run.h"

namespace k3::gui {
namespace {

constexpr WindowLimits kRun{{0, 1'000'000'000}};

TEST(TimeWindow, KeepsTheTimeBelowThePointer_WhenZooming) {
  const int x = 333;
  TimeWindow window{{0, 1'000'000'000}, 1000};
  const std::int64_t time = window.time_at(x);
  EXPECT_EQ(time, 333'000'000);
  for (int i = 0; i < 60; ++i) {
    window.range = zoomed(window, x, 0.7, kRun);
    const auto pixel = static_cast<std::int64_t>(window.ns_per_pixel()) + 1;
    ASSERT_LE(std::abs(window.time_at(x) - time), pixel) << i;
  }
  EXPECT_EQ(window.duration_ns(), kMinWindowNs);  // 0.7^60 · 1 s is less
}

TEST(TimeWindow, ShowsSingleNanoseconds_FarFromZero) {
  const std::int64_t far = 1'000'000'000'000'000'000;
  TimeWindow window{{far, far + 1'000'000}, 1000};
  const WindowLimits limits{{far, far + 1'000'000}};
  for (int i = 0; i < 40; ++i)
    window.range = zoomed(window, 500, 0.5, limits);
  EXPECT_EQ(window.duration_ns(), kMinWindowNs);
  EXPECT_EQ(window.time_at(1000) - window.time_at(950), 1);  // 50 pixels each
  EXPECT_DOUBLE_EQ(window.x_of(window.range.begin_ns + 1), 50);
}

TEST(TimeWindow, StaysWithTheData_WhenPanned) {
  const TimeWindow window{{0, 100'000'000}, 1000};
  EXPECT_EQ(panned(window, 10, kRun), (TimeRange{1'000'000, 101'000'000}));
  EXPECT_EQ(panned(window, -1'000'000, kRun).begin_ns, -50'000'000);
  EXPECT_EQ(panned(window, 1'000'000, kRun).end_ns, 1'050'000'000);
}

TEST(TimeWindow, IsNeverMuchWiderThanTheData) {
  const TimeWindow window{{0, 1'000'000'000}, 1000};
  EXPECT_EQ(zoomed(window, 0, 1e9, kRun), (TimeRange{0, 1'500'000'000}));
}

TEST(Ruler, HasRoundTicksWithOneUnit) {
  const Ruler ruler = ruler_of({{0, 1'000'000}, 1000}, 100);  // 1 µs per pixel
  EXPECT_EQ(ruler.step_ns, 100'000);
  EXPECT_EQ(ruler.base, "");
  ASSERT_EQ(ruler.ticks.size(), 11U);
  EXPECT_EQ(ruler.ticks[3].label, "0.3 ms");
  EXPECT_EQ(ruler.ticks[3].time_ns, 300'000);
}

TEST(Ruler, CountsFromABase_FarIn) {
  const Ruler ruler = ruler_of({{5'000'000'123, 5'000'000'143}, 1000}, 100);
  EXPECT_EQ(ruler.step_ns, 2);
  EXPECT_EQ(ruler.base, "5.000000122 s");
  EXPECT_EQ(ruler.ticks.front().label, "+2 ns");
  EXPECT_EQ(ruler.ticks.front().time_ns, 5'000'000'124);
}

TEST(ExactTime, SaysEveryNanosecond) {
  EXPECT_EQ(exact_time(0), "0 ns");
  EXPECT_EQ(exact_time(-1500), "−1.5 µs");
  EXPECT_EQ(exact_time(1'234'567), "1.234\u202f567 ms");
  EXPECT_EQ(exact_time(2'000'000'000), "2 s");
}

TEST(Navigator, ComesBackToFormerWindows) {
  Navigator navigator;
  navigator.set_width(1000);
  navigator.reset({0, 1'000'000'000}, kRun);
  const TimeRange all = navigator.window().range;
  EXPECT_EQ(all, (TimeRange{-20'000'000, 1'020'000'000}));
  EXPECT_FALSE(navigator.can_go_back());
  navigator.go({100, 10'100});
  navigator.go({200, 1'200});
  navigator.go_back();
  EXPECT_EQ(navigator.window().range, (TimeRange{100, 10'100}));
  navigator.go_back();
  EXPECT_EQ(navigator.window().range, all);
  navigator.go_back();  // nothing before
  EXPECT_EQ(navigator.window().range, all);
}

TEST(Navigator, MovesItsPastWithTheZero) {
  Navigator navigator;
  navigator.set_width(1000);
  navigator.reset({0, 1'000'000'000}, kRun);
  navigator.go({1000, 2000});
  navigator.go({3000, 4000});
  navigator.shift(-500);
  EXPECT_EQ(navigator.window().range, (TimeRange{2500, 3500}));
  navigator.go_back();
  EXPECT_EQ(navigator.window().range, (TimeRange{500, 1500}));
}

std::shared_ptr<const query::Lanes> named_lanes() {
  test::SampleRun run = test::lanes_run({{.begin_ns = 0, .duration_ns = 10, .lane = 0},
                                         {.begin_ns = 2, .duration_ns = 5, .lane = 0, .depth = 1},
                                         {.begin_ns = 0, .duration_ns = 10, .lane = 1},
                                         {.begin_ns = 0, .duration_ns = 10, .lane = 2}});
  run.header.lanes[0].name = "rank 0 compute";
  return test::loaded(run, test::Ending::finished);
}

class Layout : public ::testing::Test {
 protected:
  LaneLayout layout(const LayoutOptions& options) const {
    const std::vector<const query::Lanes*> runs{lanes_.get()};
    return make_layout(runs, options);
  }

  std::shared_ptr<const query::Lanes> lanes_ = named_lanes();
};

TEST_F(Layout, HasARowPerTrackThatHasSpans) {
  const LaneLayout rows = layout({.row_height = 20});
  // Steps; rank 0: compute, what lies inside, communication; rank 1: compute.
  ASSERT_EQ(rows.rows.size(), 5U);
  EXPECT_EQ(rows.rows[0].kind, LaneRow::Kind::steps);
  EXPECT_EQ(rows.rows[1].label, "compute");
  EXPECT_TRUE(rows.rows[1].first_of_rank);
  EXPECT_EQ(rows.rows[2].label, "");
  EXPECT_FALSE(rows.rows[2].first_of_rank);
  EXPECT_EQ(rows.rows[4].rank, 1);
  EXPECT_EQ(rows.rows[2].y - rows.rows[1].y, 20);
  EXPECT_EQ(rows.row_at(rows.rows[2].y + 19), &rows.rows[2]);
  EXPECT_EQ(rows.row_at(-1), nullptr);
}

TEST_F(Layout, ShowsCollapsedRanksAsOneRowOfStrips) {
  const LaneLayout rows = layout({.row_height = 20, .collapsed = {0}});
  ASSERT_EQ(rows.rows.size(), 3U);
  EXPECT_EQ(rows.rows[1].kind, LaneRow::Kind::rank);
  ASSERT_EQ(rows.rows[1].tracks.size(), 2U);  // not what lies inside other spans
  EXPECT_EQ(strip_of(rows.rows[1], 0).top, 0);
  EXPECT_EQ(strip_of(rows.rows[1], 0).height, 9);
  EXPECT_EQ(strip_of(rows.rows[1], 1).top, 10);
  EXPECT_EQ(strip_of(rows.rows[1], 1).height, 10);
}

TEST_F(Layout, LeavesHiddenRanksOut) {
  const LaneLayout rows = layout({.row_height = 20, .hidden = {0}});
  ASSERT_EQ(rows.rows.size(), 2U);
  EXPECT_EQ(rows.rows[1].rank, 1);
  EXPECT_EQ(rows.row_of(0, 0), nullptr);
}

TEST(ParseRanks, ReadsRanges) {
  const auto ranks = parse_ranks(" 0-2, 5 ,7-99", 9);
  ASSERT_TRUE(ranks && *ranks);
  EXPECT_EQ(**ranks, (std::set<int>{0, 1, 2, 5, 7, 8}));
  EXPECT_EQ(parse_ranks("  ", 9).value(), std::nullopt);
}

TEST(ParseRanks, RefusesWhatNamesNoRank) {
  for (const char* text : {"x", "1-", "-1", "3-1", "12", "1;2", "99999999999"}) {
    const auto ranks = parse_ranks(text, 9);
    ASSERT_FALSE(ranks) << text;
    EXPECT_EQ(ranks.error().code, Code::invalid_input);
  }
}

}  // namespace
}  // namespace k3::gui
