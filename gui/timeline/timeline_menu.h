#pragma once

#include "gui/timeline/hit.h"

class QMenu;
class QWidget;

namespace k3::gui {

class TimelineCanvas;

/// What can be done with what lies below the pointer, then all keys of the timeline.
QMenu* make_timeline_menu(TimelineCanvas* canvas, const Hit& hit, QWidget* parent);

}  // namespace k3::gui
