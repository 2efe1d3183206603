#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "gui/models/view_content.h"

namespace k3::gui {

/// What is open: facts of the runs, their steps, memory per part; what `k3rack inspect` prints.
Result<ViewContent> overview(const Runs& runs,
                             const Selection& selection,
                             const Room& room,
                             const std::stop_token& stop);

}  // namespace k3::gui
