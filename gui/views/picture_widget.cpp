#include "gui/views/picture_widget.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>
#include <utility>

#include "gui/paint/painter.h"
#include "gui/paint/pictures.h"

namespace k3::gui {

PictureWidget::PictureWidget(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  setAttribute(Qt::WA_OpaquePaintEvent);
}

void PictureWidget::show_picture(Picture picture, visual::Theme theme) {
  picture_ = std::move(picture);
  theme_ = theme;
  painted_ = {};
  setAccessibleName(text_of(picture_.list.description));
  setFixedSize(sizeHint());
  update();
}

void PictureWidget::set_theme(visual::Theme theme) {
  theme_ = theme;
  painted_ = {};
  update();
}

QSize PictureWidget::sizeHint() const {
  return {static_cast<int>(std::ceil(picture_.list.width)),
          static_cast<int>(std::ceil(picture_.list.height))};
}

void PictureWidget::paintEvent(QPaintEvent* /*event*/) {
  const double scale = devicePixelRatioF();
  if (painted_.isNull() || painted_.devicePixelRatio() != scale) {
    painted_ = QPixmap::fromImage(image_of(picture_.list, theme_, scale));
    painted_.setDevicePixelRatio(scale);
  }
  QPainter(this).drawPixmap(0, 0, painted_);
}

const Target* PictureWidget::target_below(const QPointF& point) const {
  return target_at(picture_, {point.x(), point.y()});
}

bool PictureWidget::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const std::string tip =
        tip_at(picture_.list, {double(help->pos().x()), double(help->pos().y())});
    if (tip.empty()) {
      QToolTip::hideText();
    } else {
      QToolTip::showText(help->globalPos(), text_of(tip).toHtmlEscaped(), this);
    }
    return true;
  }
  return QWidget::event(event);
}

void PictureWidget::mouseMoveEvent(QMouseEvent* event) {
  setCursor(target_below(event->position()) != nullptr ? Qt::PointingHandCursor : Qt::ArrowCursor);
  QWidget::mouseMoveEvent(event);
}

void PictureWidget::mouseReleaseEvent(QMouseEvent* event) {
  const Target* target =
      event->button() == Qt::LeftButton ? target_below(event->position()) : nullptr;
  if (target != nullptr) {
    // NOTE: by value: the click may replace the picture.
    const Selection selection = target->selection;
    Q_EMIT clicked(selection);
    return;
  }
  QWidget::mouseReleaseEvent(event);
}

}  // namespace k3::gui
