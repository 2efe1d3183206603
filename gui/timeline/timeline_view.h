#pragma once

#include "gui/timeline/hit.h"
#include "gui/views/view.h"

class QLabel;
class QLineEdit;
class QProgressBar;
class QStackedLayout;

namespace k3::gui {

class Finder;
class LaneLoader;
class LatestTask;
class LegendStrip;
class TimelineCanvas;

/// The first tab: every span of one run, or of two below each other on one axis.
class TimelineView : public View {
  Q_OBJECT

 public:
  explicit TimelineView(const ViewContext& context, QWidget* parent = nullptr);

  QString title() const override { return tr("Timeline"); }

  void set_theme(visual::Theme theme) override;
  bool settled() const override;
  void copy_picture() override;
  void copy_table() override;
  void save_picture() override;

  TimelineCanvas* canvas() { return canvas_; }

  QLineEdit* search_box() { return search_; }

 private:
  QLayout* make_bar();
  QWidget* make_waiting_page();
  void load();
  void show_loaded();
  void say(const QString& words);
  void summarise();
  void choose_ranks();
  void show_tip(const SpanRef& span, const QPoint& global);
  void show_menu(const Hit& hit, const QPoint& global);

  ViewContext context_;
  visual::Theme theme_ = visual::Theme::light;
  TimelineCanvas* canvas_;
  LaneLoader* loader_;
  Finder* finder_;
  LatestTask* summary_;
  QLabel* question_;
  QLabel* answer_;
  QLineEdit* search_;
  QLineEdit* ranks_;
  LegendStrip* legend_;
  QStackedLayout* pages_;
  QLabel* waiting_words_;
  QProgressBar* progress_;
  QWidget* cancel_;
  QWidget* again_;
};

}  // namespace k3::gui
