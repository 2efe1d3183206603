#include "gui/app/main_window.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QSignalSpy>
#include <QToolButton>
#include <QUrl>

#include <gtest/gtest.h>

#include "gui/app/shortcut_sheet.h"
#include "gui/views/view.h"
#include "tests/gui/wait_for.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/profiler_query/small_run.h"

namespace k3::gui {
namespace {

using test::wait_for;

class MainWindowTest : public ::testing::Test {
 protected:
  MainWindowTest()
      : settings_(QString::fromStdString((folder_.path() / "settings.ini").string()),
                  QSettings::IniFormat),
        window_(&settings_) {
    window_.show();
  }

  std::filesystem::path session(const std::string& name, RunKind kind = RunKind::measured) {
    const std::filesystem::path path = folder_.path() / name;
    EXPECT_TRUE(test::write_run(path, test::small_run(kind, 4), test::Ending::finished));
    return path;
  }

  void open(const std::vector<std::filesystem::path>& paths) {
    const QSignalSpy opened(window_.runs(), &RunService::opened);
    window_.open(paths);
    ASSERT_TRUE(wait_for([&] { return opened.count() == 1; }));
  }

  QAction* action(const QString& text) {
    for (QAction* candidate : window_.findChildren<QAction*>()) {
      if (QString(candidate->text()).remove('&') == text) return candidate;
    }
    return nullptr;
  }

  test::TempDir folder_;
  QSettings settings_;
  MainWindow window_;
};

TEST_F(MainWindowTest, ShowsEveryViewOfAnOpenedSession) {
  open({session("m.k3r")});
  EXPECT_EQ(window_.windowTitle().toStdString(), "m.k3r – K3Rack");
  ASSERT_FALSE(window_.views().empty());
  for (View* view : window_.views()) {
    window_.show_view(view);
    EXPECT_TRUE(wait_for([view] { return view->settled(); })) << view->title().toStdString();
  }
}

TEST_F(MainWindowTest, NamesWhatCannotBeOpenedAndStaysUsable) {
  open({session("m.k3r")});
  const QSignalSpy failed(window_.runs(), &RunService::failed);
  window_.open({folder_.path() / "absent.k3r"});
  ASSERT_TRUE(wait_for([&] { return failed.count() == 1; }));
  auto* box = window_.findChild<QMessageBox*>();
  ASSERT_NE(box, nullptr);
  EXPECT_NE(box->text().toStdString().find("absent.k3r"), std::string::npos);
  box->close();
  EXPECT_EQ(window_.windowTitle().toStdString(), "m.k3r – K3Rack");
}

TEST_F(MainWindowTest, OpensDroppedSessionsBesideEachOther) {
  QMimeData data;
  data.setUrls(
      {QUrl::fromLocalFile(QString::fromStdString(session("m.k3r").string())),
       QUrl::fromLocalFile(QString::fromStdString(session("s.k3r", RunKind::simulated).string()))});
  const QSignalSpy opened(window_.runs(), &RunService::opened);
  QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window_, &enter);
  ASSERT_TRUE(enter.isAccepted());
  QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window_, &drop);
  ASSERT_TRUE(wait_for([&] { return opened.count() == 1; }));
  EXPECT_EQ(window_.windowTitle().toStdString(), "m.k3r vs s.k3r – K3Rack");
}

TEST_F(MainWindowTest, RemembersRecentSessionsLatestFirst) {
  open({session("a.k3r")});
  open({session("b.k3r")});
  open({session("a.k3r2")});
  const QStringList recent = settings_.value("recent_sessions").toStringList();
  ASSERT_EQ(recent.size(), 3);
  EXPECT_TRUE(recent[0].endsWith("a.k3r2"));
  EXPECT_TRUE(recent[2].endsWith("a.k3r"));
}

TEST_F(MainWindowTest, SelectionBarOffersWhatTheRunHasAndShowsRestrictionsAsChips) {
  open({session("m.k3r")});
  QComboBox* steps = nullptr;
  for (QComboBox* box : window_.findChildren<QComboBox*>()) {
    if (box->accessibleName() == "step") steps = box;
  }
  ASSERT_NE(steps, nullptr);
  EXPECT_EQ(steps->count(), 1 + 5);  // all, and the five steps of the run
  QTest::keyClick(steps, Qt::Key_Down);
  ASSERT_TRUE(window_.selection()->current().step.has_value());
  QToolButton* chip = nullptr;
  for (QToolButton* button : window_.findChildren<QToolButton*>()) {
    if (button->text().startsWith("step ")) chip = button;
  }
  ASSERT_NE(chip, nullptr);
  QTest::mouseClick(chip, Qt::LeftButton);
  EXPECT_FALSE(window_.selection()->current().step.has_value());
}

TEST_F(MainWindowTest, GoesBackToTheFormerSelection) {
  open({session("m.k3r")});
  window_.selection()->select({.layer = 1});
  window_.selection()->select({.layer = 2});
  action("Back to the former selection")->trigger();
  EXPECT_EQ(window_.selection()->current().layer, 1);
  action("Forward")->trigger();
  EXPECT_EQ(window_.selection()->current().layer, 2);
  action("Select all")->trigger();
  EXPECT_EQ(window_.selection()->current(), Selection{});
}

TEST_F(MainWindowTest, ThemesDifferAndAreKept) {
  action("Dark")->trigger();
  const QColor dark = QApplication::palette().color(QPalette::Window);
  EXPECT_EQ(settings_.value("theme").toInt(), 2);
  action("Light")->trigger();
  const QColor light = QApplication::palette().color(QPalette::Window);
  EXPECT_LT(dark.lightness(), 80);
  EXPECT_GT(light.lightness(), 200);
}

TEST_F(MainWindowTest, ShortcutsAreUniqueAndOnTheSheet) {
  std::map<QString, QString> used;
  for (const QAction* candidate : window_.findChildren<QAction*>()) {
    for (const QKeySequence& key : candidate->shortcuts()) {
      const auto [other, is_new] = used.emplace(key.toString(), candidate->text());
      EXPECT_TRUE(is_new) << key.toString().toStdString() << ": " << other->second.toStdString()
                          << " and " << candidate->text().toStdString();
    }
  }
  EXPECT_GE(used.size(), 10U);
  ShortcutSheet sheet(&window_);
  sheet.show();
  EXPECT_FALSE(sheet.grab().isNull());
}

}  // namespace
}  // namespace k3::gui
