#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <algorithm>

#include <gtest/gtest.h>

#include "gui/models/events_model.h"
#include "gui/models/facts.h"
#include "gui/models/timeline_statistics.h"
#include "gui/timeline/events_panel.h"
#include "gui/timeline/inspector_panel.h"
#include "gui/timeline/statistics_panel.h"
#include "gui/views/sql_panel.h"
#include "profiler/query/lane_statistics.h"
#include "tests/gui/timeline_fixture.h"

namespace k3::gui {
namespace {

using test::two_steps;
using test::wait_for;

class Panels : public test::TimelineFixture {};

double number_at(const DataTable& table, std::size_t row, std::size_t column) {
  return std::get<double>(table.rows[row][column]);
}

TEST_F(Panels, StatisticsAreThoseOfTheQuery) {
  open({two_steps()});
  focus_.set_range(TimeRange{100, 2500});
  const std::vector<std::int32_t> lanes{0, 1, 2, 3};
  const auto expected = query::range_statistics(*focus_.runs()[0].lanes, {100, 2500}, lanes);
  const DataTable table = timeline_statistics(statistics_request(focus_, {})).table;
  // KDA, MLA, dispatch. Of the first KDA span 200 ns lie inside, of the second 300.
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_DOUBLE_EQ(number_at(table, 0, 2), 500e-9);
  const auto dispatch = static_cast<std::uint8_t>(TaskKind::dispatch);
  EXPECT_DOUBLE_EQ(number_at(table, 2, 1), static_cast<double>(expected.num_spans(dispatch)));
  EXPECT_DOUBLE_EQ(number_at(table, 2, 2), 1e-9 * static_cast<double>(expected.kind_ns(dispatch)));
  EXPECT_DOUBLE_EQ(number_at(table, 2, 3),
                   1e-9 * static_cast<double>(expected.kind_wait_ns(dispatch)));
  const double shares = number_at(table, 0, 5) + number_at(table, 1, 5) + number_at(table, 2, 5);
  EXPECT_DOUBLE_EQ(shares, 1);
}

TEST_F(Panels, StatisticsCountShownAndSelectedRanksOnly) {
  open({two_steps()});
  Selection rank_0;
  rank_0.rank = 0;
  EXPECT_EQ(timeline_statistics(statistics_request(focus_, rank_0)).table.rows.size(), 2U);
  focus_.set_hidden_ranks({0});
  EXPECT_EQ(timeline_statistics(statistics_request(focus_, {})).table.rows.size(), 2U);
}

TEST_F(Panels, StatisticsSayWhereTheTimeGoes) {
  open({two_steps()});
  focus_.set_range(TimeRange{0, 1000});
  // Of 2 · 1000 ns: KDA 300 and MLA 700 compute, 200 and 300 move, 400 wait.
  EXPECT_EQ(timeline_statistics(statistics_request(focus_, {})).sentence,
            "measured: 1.00 µs of 2 ranks marked: computing 50.0 %, moving "
            "25.0 %, waiting 20.0 %.");
}

TEST_F(Panels, StatisticsPanelFollowsTheWindow) {
  open({two_steps()});
  StatisticsPanel panel(&focus_, &selection_);
  const QAbstractItemModelTester tester(const_cast<DataTableModel*>(&panel.model()),
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  ASSERT_TRUE(wait_for([&] { return panel.settled(); }));
  EXPECT_EQ(panel.model().rowCount(), 3);
  canvas().zoom_to({320, 600});  // nothing but waiting and MLA
  ASSERT_TRUE(wait_for([&] { return panel.settled(); }));
  EXPECT_EQ(panel.model().rowCount(), 2);
}

TEST_F(Panels, EventsAreThoseInSight) {
  open({two_steps()});
  EventRequest request = event_request(focus_, {});
  EXPECT_EQ(list_events(request).rows.size(), 10U);
  focus_.set_range(TimeRange{320, 600});
  request = event_request(focus_, {});
  EXPECT_EQ(list_events(request).rows.size(), 2U);
  request.text = "mla";
  EXPECT_EQ(list_events(request).rows.size(), 1U);
  request.text = "nothing has this name";
  EXPECT_EQ(list_events(request).rows.size(), 0U);
}

TEST_F(Panels, EventsFollowStepLayerAndRank) {
  open({two_steps()});
  Selection selection;
  selection.step = 1;
  EXPECT_EQ(list_events(event_request(focus_, selection)).rows.size(), 5U);
  selection.layer = 0;  // KDA of rank 0
  EXPECT_EQ(list_events(event_request(focus_, selection)).rows.size(), 1U);
  selection.layer.reset();
  selection.rank = 1;
  EXPECT_EQ(list_events(event_request(focus_, selection)).rows.size(), 2U);
}

TEST_F(Panels, EventsAreSortedByEveryColumn) {
  open({two_steps()});
  for (int column = 0; column < kNumEventColumns; ++column) {
    EventRequest request = event_request(focus_, {});
    request.order = static_cast<EventColumn>(column);
    request.direction = Qt::DescendingOrder;
    EventsModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.show(request, list_events(request));
    ASSERT_EQ(model.rowCount(), 10);
    if (column == static_cast<int>(EventColumn::kind)) continue;      // in the order of the plan
    if (column == static_cast<int>(EventColumn::spent_on)) continue;  // as the file numbers them
    for (int row = 1; row < model.rowCount(); ++row) {
      const QVariant before = model.index(row - 1, column).data();
      const QVariant now = model.index(row, column).data();
      bool number = false;
      const double value = now.toString().toDouble(&number);
      if (number) {
        EXPECT_GE(before.toString().toDouble(), value) << column;
      } else {
        EXPECT_GE(before.toString(), now.toString()) << column;
      }
    }
  }
}

TEST_F(Panels, EventsBeyondTheLimitAreCounted) {
  open({two_steps()});
  EventRequest request = event_request(focus_, {});
  request.order = EventColumn::duration;
  request.direction = Qt::DescendingOrder;
  request.limit = 2;
  const EventList list = list_events(request);
  EXPECT_EQ(list.total, 10U);
  ASSERT_EQ(list.rows.size(), 2U);  // the longest ones: MLA, 700 ns
  EXPECT_EQ(list.rows[0].span, span_at(0, 2).span);
  EXPECT_EQ(list.rows[1].span, span_at(2000, 2).span);
}

TEST_F(Panels, EventsPanelFiltersAndGoesToASpan) {
  open({two_steps()});
  EventsPanel panel(&focus_, &selection_);
  panel.resize(600, 300);
  panel.show();
  ASSERT_TRUE(wait_for([&] { return panel.settled() && panel.model().rowCount() == 10; }));
  QTest::keyClicks(&panel.filter(), "kda");
  ASSERT_TRUE(wait_for([&] { return panel.settled() && panel.model().rowCount() == 2; }));
  panel.model().sort(static_cast<int>(EventColumn::step), Qt::DescendingOrder);
  ASSERT_TRUE(wait_for([&] { return panel.settled(); }));
  EXPECT_EQ(panel.model().span_at(0), span_at(2000, 0));
  canvas().zoom_to({0, 500});
  focus_.zoom_to(panel.model().span_at(0));
  EXPECT_EQ(focus_.span(), span_at(2000, 0));
  EXPECT_EQ(window(), (TimeRange{1970, 2330}));  // 2000 to 2300 and a tenth at each side
}

TEST_F(Panels, InspectorShowsASpanWithWhatTheFileSays) {
  open({two_steps()});
  InspectorPanel panel(&service_, &focus_, &selection_);
  EXPECT_TRUE(panel.shown().empty());
  focus_.set_span(span_at(2000, 0));
  ASSERT_TRUE(wait_for([&] { return !service_.busy(); }));
  const std::string text = to_text(panel.shown());
  for (const char* line :
       {"kda.recur\n", "  duration: 300 ns (300 ns) [measured]\n",
        "  begin in step: 0 s (0 ns) [measured]\n", "  step: 1 (decode) [measured]\n",
        "  layer: 0 [measured]\n", "  rank: 0 [measured]\n", "bytes: 500 B [measured]\n",
        "bytes per second: 1.67 GB/s [measured, over its duration]\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
  focus_.set_span(std::nullopt);
  EXPECT_TRUE(panel.shown().empty());
}

class Sql : public Panels {
 protected:
  void run(SqlPanel& panel, const QString& sql) {
    panel.editor().setPlainText(sql);
    panel.run();
    ASSERT_TRUE(wait_for([&] { return panel.settled(); }));
  }

  QSettings settings_{QString::fromStdString((dir_ / "settings.ini").string()),
                      QSettings::IniFormat};
};

TEST_F(Sql, ListsRows) {
  open({two_steps()});
  SqlPanel panel(&service_, &settings_);
  run(panel, "SELECT count(*) AS n, max(duration_ns) FROM span");
  EXPECT_EQ(panel.message(), "1 rows");
  ASSERT_EQ(panel.model().rowCount(), 1);
  EXPECT_EQ(panel.model().headerData(0, Qt::Horizontal).toString(), "n");
  EXPECT_EQ(panel.model().index(0, 0).data(Qt::UserRole).toDouble(), 10);
}

TEST_F(Sql, SaysWhatIsWrong) {
  open({two_steps()});
  SqlPanel panel(&service_, &settings_);
  run(panel, "SELECT nothing FROM span");
  EXPECT_TRUE(panel.message().contains("nothing")) << panel.message().toStdString();
  run(panel, "DELETE FROM span");
  EXPECT_EQ(panel.model().rowCount(), 0);
  run(panel, "SELECT count(*) FROM span");
  EXPECT_EQ(panel.model().index(0, 0).data(Qt::UserRole).toDouble(), 10);
}

TEST_F(Sql, IsCancelled) {
  open({two_steps()});
  SqlPanel panel(&service_, &settings_);
  panel.editor().setPlainText(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n");
  panel.run();
  EXPECT_FALSE(panel.settled());
  for (QPushButton* button : panel.findChildren<QPushButton*>()) {
    if (button->text() == "Cancel") button->click();
  }
  EXPECT_TRUE(panel.settled());
  EXPECT_EQ(panel.message(), "cancelled");
  run(panel, "SELECT 1");  // the endless one does not hold this up
  EXPECT_EQ(panel.model().rowCount(), 1);
}

}  // namespace
}  // namespace k3::gui
