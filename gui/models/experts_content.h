#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "gui/models/view_content.h"

namespace k3::gui {

/// Load of experts and ranks, layer by layer. A click on a row selects its layer; then the experts
/// of that layer are shown.
Result<ViewContent> experts_content(const Runs& runs,
                                    const Selection& selection,
                                    const Room& room,
                                    const std::stop_token& stop);

}  // namespace k3::gui
