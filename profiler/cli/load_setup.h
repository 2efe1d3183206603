#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/scenario/setup.h"
#include "profiler/cli/command.h"
#include "profiler/cli/console.h"

namespace k3::cli {

/// `option value` becomes `key=value` for the scenario, where the option was given.
struct OptionKey {
  std::string option;
  std::string key;
  bool is_number = false;
};

/// Loads and resolves the scenario named by the first positional (none: an empty one), with `--set`
/// and the options of `keys` applied in this order.
Result<Setup> load_setup(const Arguments& arguments,
                         const std::vector<OptionKey>& keys,
                         const Console& console);

/// Loads and resolves a scenario that ships, by its name below the data folders.
Result<Setup> load_named_setup(const std::string& name,
                               const std::vector<std::string>& overrides,
                               const Console& console);

}  // namespace k3::cli
