#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "gui/models/view_content.h"

namespace k3::gui {

/// Who sends how much to whom: a matrix per run and their difference. A click on a cell selects the
/// pair of ranks; then the experts behind it are shown.
Result<ViewContent> traffic_content(const Runs& runs,
                                    const Selection& selection,
                                    const Room& room,
                                    const std::stop_token& stop);

}  // namespace k3::gui
