#pragma once

namespace k3::gui {

class TimelineCanvas;

/// Gives the canvas its keys, as actions with a name each, so that menus and the list of shortcuts
/// have them.
void add_timeline_actions(TimelineCanvas* canvas);

}  // namespace k3::gui
