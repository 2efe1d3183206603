#pragma once

#include <QString>
#include <QWidget>

#include "gui/models/run_service.h"
#include "gui/models/selection.h"
#include "gui/models/timeline_focus.h"
#include "profiler/visual/palette.h"

namespace k3::gui {

/// What every view gets from the window.
struct ViewContext {
  RunService* runs = nullptr;
  SelectionModel* selection = nullptr;
  TimelineFocus* focus = nullptr;
};

/// A tab of the window: looks at the open runs through the shared selection.
class View : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;

  virtual QString title() const = 0;

  virtual void set_theme(visual::Theme theme) = 0;

  /// True when everything asked for is on the screen.
  virtual bool settled() const = 0;

  /// The picture as `copy picture` and `--screenshot` take it.
  virtual void copy_picture() = 0;
  virtual void copy_table() = 0;
  virtual void save_picture() = 0;

 Q_SIGNALS:
  /// Words for the status bar.
  void hint(const QString& text);
};

}  // namespace k3::gui
