#pragma once

#include <QImage>

#include "profiler/visual/draw_list.h"
#include "profiler/visual/palette.h"

namespace k3::gui {

/// The list on its theme's background, `scale` pixels per unit: what "copy picture" copies.
QImage image_of(const visual::DrawList& list, visual::Theme theme, double scale);

}  // namespace k3::gui
