#include <QLineEdit>
#include <cstdlib>

#include <gtest/gtest.h>

#include "gui/timeline/hit.h"
#include "tests/gui/timeline_fixture.h"

namespace k3::gui {
namespace {

using test::lanes_run;
using test::two_steps;

class Canvas : public test::TimelineFixture {};

TEST_F(Canvas, ShowsTheWholeRunAtFirst) {
  open({two_steps()});
  EXPECT_EQ(window(), (TimeRange{-60, 3060}));  // 0 to 3000 and 2 % at each side
  EXPECT_TRUE(canvas().isVisible());
}

TEST_F(Canvas, KeepsTheTimeBelowThePointer_WhenZoomedByWheel) {
  open({two_steps()});
  const QPoint point(400, 200);
  const int x = point.x() - canvas().scene().gutter;
  const std::int64_t before = canvas().navigator().window().time_at(x);
  wheel(point, 5, Qt::ControlModifier);
  const TimeWindow& now = canvas().navigator().window();
  EXPECT_LT(now.duration_ns(), 3120 / 1.9);  // 1.15^5 = 2.01
  EXPECT_LE(std::abs(now.time_at(x) - before), 4);
}

TEST_F(Canvas, PansByShiftAndWheel) {
  open({two_steps()});
  wheel({400, 200}, -1, Qt::ShiftModifier);
  const int width = canvas().navigator().window().width;
  EXPECT_EQ(window().begin_ns, -60 + 3120 * 120 / width);
}

TEST_F(Canvas, PansByDragging) {
  open({two_steps()});
  const int width = canvas().navigator().window().width;
  const QPoint from(500, 400);
  drag(from, from - QPoint(100, 0));
  EXPECT_NEAR(static_cast<double>(window().begin_ns), -60 + 3120.0 * 100 / width, 5);
  key(Qt::Key_Backspace);
  EXPECT_EQ(window(), (TimeRange{-60, 3060}));
}

TEST_F(Canvas, MovesByKeys) {
  open({two_steps()});
  key(Qt::Key_W);
  EXPECT_EQ(window().end_ns - window().begin_ns, 2080);  // 3120 / 1.5
  key(Qt::Key_D);
  const std::int64_t begin = window().begin_ns;
  key(Qt::Key_A);
  EXPECT_LT(window().begin_ns, begin);
  key(Qt::Key_S);
  EXPECT_EQ(window().end_ns - window().begin_ns, 3120);
  key(Qt::Key_W);
  key(Qt::Key_W);
  key(Qt::Key_F);
  EXPECT_EQ(window(), (TimeRange{-60, 3060}));
}

TEST_F(Canvas, GoesToBeginAndEnd) {
  open({two_steps()});
  canvas().zoom_to({1000, 1500});
  key(Qt::Key_Home);
  EXPECT_EQ(window(), (TimeRange{-10, 490}));
  key(Qt::Key_End);
  EXPECT_EQ(window(), (TimeRange{2510, 3010}));
}

TEST_F(Canvas, SelectsTheSpanThatIsClicked) {
  open({two_steps()});
  const SpanRef span = span_at(2300, 1);
  QTest::mouseClick(plot(), Qt::LeftButton, {}, middle_of(span));
  EXPECT_EQ(focus_.span(), span);
  key(Qt::Key_Escape);
  EXPECT_EQ(focus_.span(), std::nullopt);
}

TEST_F(Canvas, ZoomsToASpan_OnDoubleClick) {
  open({two_steps()});
  QTest::mouseDClick(plot(), Qt::LeftButton, {}, middle_of(span_at(2300, 1)));
  EXPECT_EQ(window(), (TimeRange{2260, 2740}));  // 2300 to 2700 and a tenth at each side
  key(Qt::Key_Backspace);
  EXPECT_EQ(window(), (TimeRange{-60, 3060}));
}

TEST_F(Canvas, MarksARange_OnTheRulerOrWithShift) {
  open({two_steps()});
  const Scene scene = canvas().scene();
  for (const auto& [y, modifiers] : {std::pair(5, Qt::KeyboardModifiers()),
                                     std::pair(300, Qt::KeyboardModifiers(Qt::ShiftModifier))}) {
    drag({scene.x_of(300), y}, {scene.x_of(900), y}, modifiers);
    ASSERT_TRUE(focus_.range());
    EXPECT_NEAR(static_cast<double>(focus_.range()->begin_ns), 300, 4);
    EXPECT_NEAR(static_cast<double>(focus_.range()->end_ns), 900, 4);
    EXPECT_EQ(selection_.current().time, focus_.range());  // the zero is the run's begin
    EXPECT_EQ(window(), (TimeRange{-60, 3060}));
    key(Qt::Key_Escape);
    EXPECT_FALSE(focus_.range());
    EXPECT_FALSE(selection_.current().time);
  }
}

TEST_F(Canvas, ZoomsToTheRange) {
  open({two_steps()});
  const Scene scene = canvas().scene();
  drag({scene.x_of(300), 5}, {scene.x_of(900), 5});
  const TimeRange range = *focus_.range();
  key(Qt::Key_Z);
  EXPECT_EQ(window(), range);
}

TEST_F(Canvas, HasItsZeroAtTheSelectedStep) {
  open({two_steps()});
  key(Qt::Key_BracketRight);  // the step in the middle, which is the first one
  EXPECT_EQ(selection_.current().step, 0);
  key(Qt::Key_BracketRight);
  EXPECT_EQ(selection_.current().step, 1);
  EXPECT_EQ(focus_.zero_ns(0), 2000);
  EXPECT_EQ(window(), (TimeRange{-20, 1020}));
  key(Qt::Key_BracketRight);  // there is no third
  EXPECT_EQ(selection_.current().step, 1);
  key(Qt::Key_BracketLeft);
  EXPECT_EQ(selection_.current().step, 0);
  selection_.clear();
  EXPECT_EQ(focus_.zero_ns(0), 0);
}

TEST_F(Canvas, AlignsTwoRunsAtTheSelectedStep) {
  test::SampleRun other = two_steps();
  other.header.kind = RunKind::simulated;
  for (StepRecord& step : other.steps) {
    step.begin_ns += 777;
    for (Span& span : step.spans)
      span.begin_ns += 777;
  }
  open({two_steps(), other});
  EXPECT_EQ(canvas().scene().runs[1].provenance, visual::Provenance::simulated);
  Selection selection;
  selection.step = 1;
  selection_.select(selection);
  EXPECT_EQ(focus_.zeros(), (std::vector<std::int64_t>{2000, 2777}));
  EXPECT_EQ(focus_.time_of(span_at(2000, 0, 0)), focus_.time_of(span_at(2777, 0, 1)));
}

TEST_F(Canvas, CollapsesARank_WhenItsArrowIsClicked) {
  open({two_steps()});
  const std::size_t rows = canvas().layout_of_rows().rows.size();
  const LaneRow& row = canvas().layout_of_rows().rows[1];
  const QPoint arrow(8, canvas().scene().top + row.y + row.height / 2);
  QTest::mouseClick(plot(), Qt::LeftButton, {}, arrow);
  EXPECT_EQ(canvas().layout_of_rows().rows.size(), rows - 1);
  key(Qt::Key_C);
  EXPECT_EQ(canvas().layout_of_rows().rows.size(), rows);
}

TEST_F(Canvas, SelectsARank_WhenItsNameIsClicked) {
  open({two_steps()});
  const LaneRow& row = canvas().layout_of_rows().rows[3];
  const QPoint label(80, canvas().scene().top + row.y + row.height / 2);
  QTest::mouseClick(plot(), Qt::LeftButton, {}, label);
  EXPECT_EQ(selection_.current().rank, 1);
  EXPECT_TRUE(canvas().scene().is_pale(0));
  QTest::mouseClick(plot(), Qt::LeftButton, {}, label);
  EXPECT_EQ(selection_.current().rank, std::nullopt);
}

TEST_F(Canvas, GivesRankAndLayerToAllViews_OnReturn) {
  open({two_steps()});
  focus_.set_span(span_at(0, 2));
  key(Qt::Key_Return);
  EXPECT_EQ(selection_.current().rank, 1);
  EXPECT_EQ(selection_.current().layer, 1);
}

TEST_F(Canvas, HidesRanks_ThatAreNotNamed) {
  open({two_steps()});
  LayoutOptions options = canvas().options();
  options.hidden = {0};
  canvas().set_options(options);
  EXPECT_EQ(focus_.hidden_ranks(), (std::set<int>{0}));
  EXPECT_EQ(focus_.shown_lanes(0, std::nullopt), (std::vector<std::int32_t>{2, 3}));
  // What is searched for is shown all the same.
  focus_.go_to(span_at(0, 0));
  EXPECT_TRUE(focus_.hidden_ranks().empty());
}

TEST_F(Canvas, FindsSpansOneAfterTheOther) {
  open({two_steps()});
  key(Qt::Key_Slash);
  EXPECT_TRUE(view_.search_box()->hasFocus());
  QTest::keyClicks(view_.search_box(), "DISP");
  QTest::keyClick(view_.search_box(), Qt::Key_Return);
  const auto shown = [&](std::int64_t begin, std::int32_t lane) {
    return test::wait_for([&] { return view_.settled() && focus_.span() == span_at(begin, lane); });
  };
  EXPECT_TRUE(shown(300, 1));
  key(Qt::Key_N);
  EXPECT_TRUE(shown(700, 1));
  key(Qt::Key_N);
  key(Qt::Key_N, Qt::ShiftModifier);
  key(Qt::Key_N, Qt::ShiftModifier);
  EXPECT_TRUE(test::wait_for([&] { return view_.settled(); }));
}

TEST_F(Canvas, DrawsFlowsOfTheSelectedExchange) {
  open({two_steps()});
  focus_.set_span(span_at(700, 1));
  ASSERT_TRUE(test::wait_for([&] { return canvas().settled(); }));
  const QImage with = canvas().picture();
  focus_.set_span(std::nullopt);
  ASSERT_TRUE(test::wait_for([&] { return canvas().settled(); }));
  EXPECT_NE(with, canvas().picture());
}

TEST_F(Canvas, ListsItsKeys) {
  open({two_steps()});
  QStringList keys;
  for (const QAction* action : canvas().actions())
    keys << action->shortcut().toString();
  for (const char* key : {"W", "A", "S", "D", "F", "Z", "Backspace", "Home", "End", "[", "]", "/",
                          "N", "Shift+N", "M", "Esc"})
    EXPECT_TRUE(keys.contains(key)) << key;
}

TEST_F(Canvas, SaysWhy_WhenNothingIsThere) {
  test::SampleRun empty = lanes_run({});
  open({empty});
  EXPECT_FALSE(canvas().isVisible());
  key(Qt::Key_F);
  wheel({400, 200}, 5, Qt::ControlModifier);
  canvas().picture();
}

TEST_F(Canvas, ShowsARunThatWasInterrupted) {
  open({two_steps()}, test::Ending::interrupted);
  EXPECT_EQ(window(), (TimeRange{-60, 3060}));
}

TEST_F(Canvas, ShowsOneSpanAndSpansWithoutLength) {
  for (const std::int64_t ns :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{1'000'000'000'000}}) {
    open({lanes_run({{.begin_ns = 5, .duration_ns = ns, .lane = 0}})});
    const SpanRef span = span_at(5);
    for (int i = 0; i < 100; ++i)
      wheel(middle_of(span), 3, Qt::ControlModifier);
    EXPECT_EQ(window().end_ns - window().begin_ns, kMinWindowNs) << ns;
    ASSERT_TRUE(test::wait_for([&] { return view_.settled(); }));
    canvas().picture();
    key(Qt::Key_F);
    QTest::mouseClick(plot(), Qt::LeftButton, {}, middle_of(span));
    EXPECT_EQ(focus_.span(), span) << ns;
    key(Qt::Key_Z);
  }
}

TEST_F(Canvas, FitsWithoutStraySpans) {
  std::vector<Span> spans;
  for (int i = 0; i < 1000; ++i)
    spans.push_back({.begin_ns = 1'000'000'000 + i * 10, .duration_ns = 10, .lane = 0});
  spans.push_back({.begin_ns = 0, .duration_ns = 0, .lane = 2});
  open({lanes_run(spans)});
  EXPECT_GT(window().begin_ns, 999'000'000);
  // It can still be gone to.
  focus_.go_to(span_at(0, 2));
  EXPECT_LE(window().begin_ns, 0);
  EXPECT_GT(window().end_ns, 0);
}

TEST_F(Canvas, ForgetsTheFormerRun_WhenAnotherIsOpened) {
  open({two_steps()});
  focus_.set_span(span_at(2300, 1));
  focus_.set_range(TimeRange{0, 10});
  open({lanes_run({{.begin_ns = 0, .duration_ns = 50, .lane = 0}})});
  EXPECT_EQ(focus_.span(), std::nullopt);
  EXPECT_EQ(focus_.range(), std::nullopt);
  EXPECT_EQ(window(), (TimeRange{-1, 51}));
}

}  // namespace
}  // namespace k3::gui
