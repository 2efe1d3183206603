#pragma once

#include <QWidget>

namespace k3::gui {

/// A dock's inside.
class Panel : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;

  /// True when everything asked for is on the screen.
  virtual bool settled() const = 0;
};

}  // namespace k3::gui
