#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "gui/models/view_content.h"

namespace k3::gui {

/// What each layer costs, and how attention grows with context. A click selects a layer; then its
/// stages are shown.
Result<ViewContent> layers_content(const Runs& runs,
                                   const Selection& selection,
                                   const Room& room,
                                   const std::stop_token& stop);

}  // namespace k3::gui
