#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/scenario/data_folders.h"

namespace k3::cli {

/// Where names are looked up: the folder of --data, $XDG_DATA_HOME/k3rack (or
/// ~/.local/share/k3rack), the installation that the program runs from, the source tree that it was
/// built from. Errors: the folder of --data does not exist
Result<DataFolders> search_data_folders(const std::optional<std::string>& data_option);

/// A file that the user names: as it stands, else below the data folders, else as a preset of
/// `kind`. Errors: not_found, with the presets there are
Result<std::filesystem::path> find_input(const std::string& name,
                                         PresetKind kind,
                                         const DataFolders& folders);

}  // namespace k3::cli
