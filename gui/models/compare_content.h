#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "gui/models/view_content.h"

namespace k3::gui {

/// Both runs per kind and layer, as `k3rack compare` prints them.
Result<ViewContent> compare_content(const Runs& runs,
                                    const Selection& selection,
                                    const Room& room,
                                    const std::stop_token& stop);

}  // namespace k3::gui
