#pragma once

#include <vector>

#include "gui/views/view.h"

namespace k3::gui {

/// The views of the window, in the order of its tabs.
std::vector<View*> make_views(const ViewContext& context, QWidget* parent);

}  // namespace k3::gui
