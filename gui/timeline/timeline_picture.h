#pragma once

#include "gui/timeline/scene.h"
#include "profiler/visual/draw_list.h"

namespace k3::gui {

/// A scene as a draw list, for files: the same rows, spans, steps and ruler as on the screen, down
/// to `height`.
visual::DrawList timeline_picture(const Scene& scene, int height);

}  // namespace k3::gui
