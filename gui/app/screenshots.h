#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/visual/palette.h"

namespace k3::gui {

class MainWindow;

/// Shows every view of the window in turn and writes it as VIEW.png, 1600 × 1000 pixels, into
/// `folder`, which is made if it is not there; of two themes as VIEW-dark.png and VIEW-light.png.
/// Returns the files. Errors: a session that cannot be opened, a folder that cannot be written
Result<std::vector<std::filesystem::path>> write_screenshots(
    MainWindow& window,
    const std::vector<std::filesystem::path>& sessions,
    const std::filesystem::path& folder,
    const std::vector<visual::Theme>& themes);

}  // namespace k3::gui
