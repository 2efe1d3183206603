#include "gui/paint/pictures.h"

#include <QPainter>
#include <cmath>

#include "gui/paint/painter.h"

namespace k3::gui {

QImage image_of(const visual::DrawList& list, visual::Theme theme, double scale) {
  QImage image(static_cast<int>(std::ceil(list.width * scale)),
               static_cast<int>(std::ceil(list.height * scale)), QImage::Format_RGB32);
  image.fill(color_of(visual::Paint::of(visual::Role::background), theme));
  QPainter painter(&image);
  painter.scale(scale, scale);
  paint(painter, list, theme);
  return image;
}

}  // namespace k3::gui
