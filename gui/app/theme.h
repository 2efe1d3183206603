#pragma once

#include <cstdint>

#include "profiler/visual/palette.h"

class QApplication;

namespace k3::gui {

/// What the user chose; `system` follows the desktop.
enum class ThemeChoice : std::uint8_t { system, light, dark };

/// The theme that a choice means now.
visual::Theme theme_of(ThemeChoice choice);

/// Colours of windows and controls to go with the pictures of a theme.
void apply_theme(QApplication& application, visual::Theme theme);

}  // namespace k3::gui
