#pragma once

#include <QApplication>
#include <QMouseEvent>
#include <QTest>
#include <QWheelEvent>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gui/models/run_service.h"
#include "gui/models/selection.h"
#include "gui/models/timeline_focus.h"
#include "gui/timeline/canvas.h"
#include "gui/timeline/timeline_view.h"
#include "tests/gui/wait_for.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/profiler_query/lanes_run.h"

namespace k3::test {

/// A timeline over sessions that the test writes, in a window of 1000 × 600.
class TimelineFixture : public ::testing::Test {
 protected:
  TimelineFixture() { view_.resize(1000, 600); }

  void open(const std::vector<SampleRun>& runs, Ending ending = Ending::finished) {
    std::vector<std::filesystem::path> paths;
    for (const SampleRun& run : runs) {
      paths.push_back(dir_ / (std::to_string(num_files_++) + ".k3r"));
      const auto written = write_run(paths.back(), run, ending);
      ASSERT_TRUE(written) << written.error().text();
    }
    view_.show();
    QApplication::setActiveWindow(&view_);
    std::string failure;
    const auto watch =
        QObject::connect(&service_, &gui::RunService::failed, &service_,
                         [&](const QString& message) { failure = message.toStdString(); });
    service_.open(paths);
    ASSERT_TRUE(wait_for([&] { return !service_.busy(); }));
    QObject::disconnect(watch);
    ASSERT_EQ(failure, "");
    ASSERT_TRUE(wait_for([&] { return view_.settled(); }));
  }

  gui::TimelineCanvas& canvas() { return *view_.canvas(); }

  gui::TimeRange window() { return canvas().navigator().window().range; }

  QWidget* plot() { return canvas().viewport(); }

  /// The index of the first span with that begin.
  gui::SpanRef span_at(std::int64_t begin_ns, std::int32_t lane = 0, std::size_t run = 0) {
    const query::Lanes& lanes = *focus_.runs()[run].lanes;
    for (const query::Track& track : lanes.tracks_of(lane)) {
      for (std::size_t i = track.first; i < track.first + track.count; ++i) {
        if (lanes.begin_ns[i] == begin_ns) return {run, i};
      }
    }
    ADD_FAILURE() << "no span at " << begin_ns;
    return {};
  }

  QPoint middle_of(const gui::SpanRef& span) {
    return gui::rect_of(canvas().scene(), span).center();
  }

  void wheel(const QPoint& point, int notches, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(point, plot()->mapToGlobal(point), {}, {0, 120 * notches}, Qt::NoButton,
                      modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(plot(), &event);
  }

  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    canvas().setFocus();
    QTest::keyClick(&canvas(), key, modifiers);
  }

  void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mousePress(plot(), Qt::LeftButton, modifiers, from);
    for (int i = 1; i <= 4; ++i) {
      const QPoint point = from + (to - from) * i / 4;
      QMouseEvent move(QEvent::MouseMove, point, plot()->mapToGlobal(point), Qt::NoButton,
                       Qt::LeftButton, modifiers);
      QApplication::sendEvent(plot(), &move);
    }
    QTest::mouseRelease(plot(), Qt::LeftButton, modifiers, to);
  }

  TempDir dir_;
  int num_files_ = 0;
  gui::RunService service_;
  gui::SelectionModel selection_;
  gui::TimelineFocus focus_;
  gui::TimelineView view_{{&service_, &selection_, &focus_}};
};

/// Two steps of 1000 ns, the second beginning at 2000. Rank 0 computes (KDA) and then dispatches;
/// rank 1 computes longer (MLA), so that rank 0 waits.
inline SampleRun two_steps() {
  SampleRun run = lanes_run({});
  run.steps.clear();
  for (std::int32_t step = 0; step < 2; ++step) {
    const std::int64_t t = 2000 * step;
    const auto span = [&](std::int64_t begin, std::int64_t ns, std::int32_t lane, std::int32_t task,
                          SpanCategory category) {
      return Span{.begin_ns = t + begin,
                  .duration_ns = ns,
                  .lane = lane,
                  .task = task,
                  .layer = static_cast<std::int16_t>(task < 2 ? task : 1),
                  .category = category,
                  .name = task,
                  .flops = 1e6,
                  .bytes = 500};
    };
    run.steps.push_back(step_of(
        step, t, 1000,
        {span(0, 300, 0, 0, SpanCategory::compute), span(300, 400, 1, 2, SpanCategory::wait),
         span(700, 200, 1, 2, SpanCategory::transfer), span(0, 700, 2, 1, SpanCategory::compute),
         span(700, 300, 3, 2, SpanCategory::transfer)}));
  }
  return run;
}

}  // namespace k3::test
