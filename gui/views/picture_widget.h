#pragma once

#include <QPixmap>
#include <QWidget>

#include "gui/models/view_content.h"
#include "profiler/visual/palette.h"

namespace k3::gui {

/// Paints one picture of a view; hovering shows what is below the pointer, a click on a target
/// selects. The painted picture is kept until it, the theme or the screen's scale changes.
class PictureWidget : public QWidget {
  Q_OBJECT

 public:
  explicit PictureWidget(QWidget* parent = nullptr);

  void show_picture(Picture picture, visual::Theme theme);
  void set_theme(visual::Theme theme);

  const Picture& picture() const { return picture_; }

  QSize sizeHint() const override;

 Q_SIGNALS:
  void clicked(const k3::gui::Selection& selection);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  const Target* target_below(const QPointF& point) const;

  Picture picture_;
  visual::Theme theme_ = visual::Theme::light;
  QPixmap painted_;
};

}  // namespace k3::gui
