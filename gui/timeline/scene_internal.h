#pragma once

#include "gui/timeline/scene.h"

class QPainter;

namespace k3::gui {

void paint_rows(QImage& image, const Scene& scene, const Looks& looks, NameCache& names);

/// Bands and boundaries of the steps; what lies in others than the selected ones becomes pale.
void paint_steps(QPainter& painter, const Scene& scene, visual::Theme theme);

void paint_gutter(QPainter& painter, const Scene& scene, int height, visual::Theme theme);
void paint_ruler(QPainter& painter, const Scene& scene, visual::Theme theme);

}  // namespace k3::gui
