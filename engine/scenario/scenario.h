#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/scenario/data_folders.h"
#include "engine/scenario/setup.h"
#include "engine/text/json.h"

namespace k3 {

/// A scenario as written, nothing looked up yet: the tree of its TOML text with the places of all
/// keys, after overrides.
struct Scenario {
  std::string where;             ///< its name in errors
  std::filesystem::path folder;  ///< relative paths in the file start here
  Json document;
};

/// Reads a scenario file and applies `key.path=value` overrides.
/// Errors: the file, its syntax, an override that leads nowhere
Result<Scenario> load_scenario(const std::filesystem::path& path,
                               std::span<const std::string> overrides = {});

/// The same from text; relative paths in it start at the current folder.
Result<Scenario> scenario_from_text(std::string_view toml,
                                    const std::string& where,
                                    std::span<const std::string> overrides = {});

/// Checks every key, reads the model and the machine and gives plain values, units normalised.
/// Errors: FILE:LINE:COLUMN: key; unknown keys and words with the nearest known one; what the
/// design has but this version has not is `unsupported`
Result<Setup> resolve(const Scenario& scenario, const DataFolders& folders);

}  // namespace k3
