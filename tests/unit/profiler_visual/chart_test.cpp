#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/visual/chart_bars.h"
#include "profiler/visual/chart_curve.h"
#include "profiler/visual/chart_dots.h"
#include "profiler/visual/chart_scatter.h"
#include "profiler/visual/chart_stack.h"

namespace k3::visual {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The items of one kind, in order.
template <class T>
std::vector<T> all(const DrawList& list) {
  std::vector<T> out;
  for (const Item& item : list.items) {
    if (const T* found = std::get_if<T>(&item)) out.push_back(*found);
  }
  return out;
}

std::vector<Box> boxes_with_tip(const DrawList& list) {
  std::vector<Box> boxes = all<Box>(list);
  std::erase_if(boxes, [](const Box& box) { return box.tip.empty(); });
  return boxes;
}

GroupedBars two_layers() {
  const Paint kda = Paint::of(TaskKind::kda);
  const Paint mla = Paint::of(TaskKind::mla);
  GroupedBars chart;
  chart.description = "two layers";
  chart.categories = {"0", "1"};
  chart.category_title = "layer";
  chart.value_title = "time";
  chart.series = {{"measured", Provenance::measured, {{2e-3, kda, "m0"}, {4e-3, mla, "m1"}}},
                  {"simulated", Provenance::simulated, {{1e-3, kda, "s0"}, {4e-3, mla, "s1"}}}};
  chart.width = 260;
  chart.height = 160;
  return chart;
}

TEST(GroupedBars, AreDrawnAsText) {
  EXPECT_EQ(to_text(draw(two_layers())), R"text(260x160 "two layers"
box 4,5 14x10 fill=muted outline=muted
text 24,14 start size=12 paint=text "measured"
box 99.8,5 14x10 fill=muted hatch=light outline=muted
text 119.8,14 start size=12 paint=text "simulated"
line thin 52,118 252,118 stroke=grid
text 46,122 end size=11 paint=muted "0"
line thin 52,82.4 252,82.4 stroke=grid
text 46,86.4 end size=11 paint=muted "2"
line thin 52,46.8 252,46.8 stroke=grid
text 46,50.8 end size=11 paint=muted "4"
line thin 52,44 52,118 stroke=axis
text 4,35 start size=12 paint=text "time (ms)"
box 57.5,82.4 44x35.6 fill=kda outline=kda tip="m0"
box 157.5,46.8 44x71.2 fill=mla outline=mla tip="m1"
box 102.5,100.2 44x17.8 fill=kda hatch=light outline=kda tip="s0"
box 202.5,46.8 44x71.2 fill=mla hatch=light outline=mla tip="s1"
line thin 52,118 252,118 stroke=axis
text 152,151 middle size=12 paint=text "layer"
text 102,133 middle size=11 paint=muted "0"
text 202,133 middle size=11 paint=muted "1"
)text");
}

TEST(GroupedBars, ShareTheScaleOfOtherPanels) {
  GroupedBars chart = two_layers();
  chart.shared_largest = 8e-3;
  const double tall = boxes_with_tip(draw(two_layers()))[1].height;
  EXPECT_NEAR(boxes_with_tip(draw(chart))[1].height, tall / 2, 1e-9);
}

TEST(GroupedBars, LeaveOutWhatHasNoValue) {
  GroupedBars chart = two_layers();
  chart.series[0].bars[0].value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(boxes_with_tip(draw(chart)).size(), 3U);
}

TEST(GroupedBars, MergeByMaximumWhereBarsWouldBeTooThin) {
  GroupedBars chart;
  chart.category_title = "layer";
  chart.series = {{"measured", Provenance::measured, {}}};
  for (int i = 0; i < 1000; ++i) {
    chart.categories.push_back(std::to_string(i));
    chart.series[0].bars.push_back(
        {static_cast<double>(i + 1), Paint::of(TaskKind::kda), std::to_string(i)});
  }
  const DrawList list = draw(chart);
  const std::vector<Box> boxes = boxes_with_tip(list);
  ASSERT_EQ(boxes.size(), 250U);
  EXPECT_EQ(boxes[0].tip, "3");
  EXPECT_EQ(boxes[249].tip, "999");
  EXPECT_THAT(to_text(list), HasSubstr("layer, each bar the largest of 4"));
}

TEST(GroupedBars, WithoutValuesSayWhy) {
  EXPECT_THAT(draw(GroupedBars{}).description, HasSubstr("Nothing to show"));
  GroupedBars chart = two_layers();
  for (BarSeries& series : chart.series)
    series.bars = {{}, {}};
  EXPECT_THAT(draw(chart).description, HasSubstr("Nothing to show"));
}

StackedBars small_stack() {
  StackedBars chart;
  chart.description = "a step";
  chart.value_title = "time";
  chart.width = 400;
  chart.rows = {{"measured",
                 Provenance::measured,
                 {{"KDA", 3e-3, Paint::of(TaskKind::kda), Hatch::none},
                  {"waiting", 1e-3, Paint::of(Role::waiting), Hatch::dense}}},
                {"simulated",
                 Provenance::simulated,
                 {{"KDA", 2e-3, Paint::of(TaskKind::kda), Hatch::none},
                  {"nothing", 0, Paint::of(TaskKind::mla), Hatch::none}}}};
  return chart;
}

TEST(StackedBars, PutPartsEndToEndOnOneScale) {
  const std::vector<Box> boxes = boxes_with_tip(draw(small_stack()));
  ASSERT_EQ(boxes.size(), 3U);
  EXPECT_EQ(boxes[0].tip, "KDA: 3.00 ms, 75.0 % of the bar, measured");
  EXPECT_DOUBLE_EQ(boxes[0].x + boxes[0].width, boxes[1].x);
  EXPECT_NEAR(boxes[0].width, 3 * boxes[1].width, 1e-9);
  EXPECT_NEAR(boxes[2].width, 2 * boxes[1].width, 1e-9);
}

TEST(StackedBars, ShowWaitingHatchedAndSimulationAsOutline) {
  const std::vector<Box> boxes = boxes_with_tip(draw(small_stack()));
  EXPECT_EQ(boxes[0].hatch, Hatch::none);
  EXPECT_EQ(boxes[1].hatch, Hatch::dense);
  EXPECT_EQ(text_of(boxes[1].fill), "waiting");
  EXPECT_EQ(boxes[2].hatch, Hatch::light);
}

TEST(StackedBars, NameEveryPartOnceInTheLegend) {
  const std::string text = to_text(draw(small_stack()));
  EXPECT_THAT(text, HasSubstr("\"KDA\""));
  EXPECT_THAT(text, HasSubstr("\"4.00 ms\""));
  EXPECT_THAT(text, HasSubstr("\"time (ms)\""));
  EXPECT_THAT(text, Not(HasSubstr("nothing")));
}

TEST(StackedBars, WithoutTimeSayWhy) {
  StackedBars chart = small_stack();
  for (StackRow& row : chart.rows) {
    for (StackPart& part : row.parts)
      part.value = std::numeric_limits<double>::quiet_NaN();
  }
  EXPECT_THAT(draw(chart).description, HasSubstr("Nothing to show"));
}

TEST(Curves, DrawHollowLinesBelowSolidOnes) {
  CurveChart chart;
  const Paint paint = Paint::of(TaskKind::experts);
  chart.curves = {{"measured", Provenance::measured, paint, {{0, 2}, {1, 1}}, ""},
                  {"simulated", Provenance::simulated, paint, {{0, 3}, {1, 1}}, ""}};
  chart.bands = {{"5–95 % of layers", paint, {{0, 1}, {1, 0}}, {{0, 4}, {1, 2}}}};
  chart.reference = ReferenceLine{1, "even"};
  const DrawList list = draw(chart);
  std::vector<Line> named = all<Line>(list);
  std::erase_if(named, [](const Line& line) { return line.tip.empty(); });
  ASSERT_EQ(named.size(), 3U);
  EXPECT_EQ(named[0].tip, "simulated");
  EXPECT_EQ(named[0].style, LineStyle::hollow);
  EXPECT_EQ(named[1].tip, "measured");
  EXPECT_EQ(named[2].tip, "even");
  ASSERT_EQ(all<Polygon>(list).size(), 1U);
  EXPECT_EQ(all<Polygon>(list)[0].points.size(), 4U);
  EXPECT_THAT(to_text(list), HasSubstr("\"5–95 % of layers\""));
}

TEST(Curves, WithoutPointsSayWhy) {
  CurveChart chart;
  chart.reference = ReferenceLine{1, "even"};
  EXPECT_THAT(draw(chart).description, HasSubstr("Nothing to show"));
}

TEST(Scatter, PutsEqualTimesOnTheDiagonal) {
  ScatterChart chart;
  chart.width = 400;
  chart.height = 400;
  chart.points = {{1e-6, 1e-6, Paint::of(TaskKind::kda), "equal"},
                  {1e-3, 2e-3, Paint::of(TaskKind::mla), "twice"},
                  {0, 1e-3, Paint::of(TaskKind::mla), "unmeasured"}};
  chart.fitted_ratio = 2;
  const DrawList list = draw(chart);
  const std::vector<Marker> markers = all<Marker>(list);
  ASSERT_EQ(markers.size(), 2U);
  // The diagonal is the first line with the tip of ratio 1.
  std::vector<Line> lines = all<Line>(list);
  const auto diagonal = std::find_if(lines.begin(), lines.end(),
                                     [](const Line& line) { return line.tip == "1.00×"; });
  ASSERT_NE(diagonal, lines.end());
  const auto [x0, y0] = diagonal->points[0];
  const auto [x1, y1] = diagonal->points[1];
  const auto height_at = [&](double x) { return y0 + (y1 - y0) * (x - x0) / (x1 - x0); };
  EXPECT_NEAR(markers[0].at.y, height_at(markers[0].at.x), 1e-9);
  EXPECT_LT(markers[1].at.y, height_at(markers[1].at.x) - 1) << "twice lies above";
  const std::string text = to_text(list);
  EXPECT_THAT(text, HasSubstr("\"±20 %\""));
  EXPECT_THAT(text, HasSubstr("\"median ratio 2.00×\""));
  EXPECT_THAT(text, HasSubstr("\"1 without a time above zero not drawn\""));
}

TEST(Scatter, WithoutPointsSaysWhy) {
  EXPECT_THAT(draw(ScatterChart{}).description, HasSubstr("Nothing to show"));
}

TEST(Dots, PlaceTwiceAndHalfEquallyFarFromEqual) {
  DotChart chart;
  const Paint paint = Paint::of(TaskKind::kda);
  chart.rows = {
      {"a", paint, 2, 1, 4, ""}, {"b", paint, 0.5, 0.25, 1, ""}, {"c", paint, 0, 0, 0, ""}};
  const DrawList list = draw(chart);
  const std::vector<Marker> markers = all<Marker>(list);
  ASSERT_EQ(markers.size(), 2U) << "a ratio of 0 cannot be drawn";
  std::vector<Line> lines = all<Line>(list);
  const auto equal = std::find_if(lines.begin(), lines.end(),
                                  [](const Line& line) { return line.tip == "equal"; });
  ASSERT_NE(equal, lines.end());
  EXPECT_NEAR(markers[0].at.x - equal->points[0].x, equal->points[0].x - markers[1].at.x, 1e-9);
  EXPECT_THAT(to_text(list), HasSubstr("\"2.00×\""));
}

TEST(Dots, WithoutRowsSayWhy) {
  EXPECT_THAT(draw(DotChart{}).description, HasSubstr("Nothing to show"));
}

}  // namespace
}  // namespace k3::visual
