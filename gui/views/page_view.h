#pragma once

#include <string>
#include <vector>

#include "gui/models/view_content.h"
#include "gui/views/view.h"

class QLabel;
class QScrollArea;
class QSplitter;
class QTimer;

namespace k3::gui {

class PictureWidget;
class TablePanel;

/// A view made of a question, its answer, pictures and the tables behind them. What it shows is
/// computed by its builder on the thread of RunService, anew whenever the runs, the selection or
/// the width change; until then the former content stays.
class PageView : public View {
  Q_OBJECT

 public:
  PageView(QString title,
           ContentBuilder builder,
           const ViewContext& context,
           QWidget* parent = nullptr);

  QString title() const override { return title_; }

  void set_theme(visual::Theme theme) override;
  bool settled() const override;
  void copy_picture() override;
  void copy_table() override;
  void save_picture() override;

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void request();
  void show_content(ViewContent content);
  void show_pictures(std::vector<Picture> pictures);
  void say_empty(const QString& reason);
  Room room() const;
  /// The picture below the pointer, else the first; null: there is none.
  const PictureWidget* chosen_picture() const;

  QString title_;
  ContentBuilder builder_;
  ViewContext context_;
  visual::Theme theme_ = visual::Theme::light;
  bool stale_ = true;     ///< what is shown is older than runs, selection or width
  bool waiting_ = false;  ///< asked and not answered
  QLabel* question_;
  QLabel* answer_;
  QLabel* note_;
  QLabel* empty_;
  QScrollArea* scroll_;
  QWidget* canvas_;
  QSplitter* splitter_;
  TablePanel* tables_;
  QTimer* resize_delay_;
  std::vector<PictureWidget*> pictures_;
  double shown_width_ = 0;
};

}  // namespace k3::gui
