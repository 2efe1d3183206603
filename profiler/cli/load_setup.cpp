#include "profiler/cli/load_setup.h"

#include "engine/scenario/scenario.h"
#include "profiler/cli/data_search.h"

namespace k3::cli {
namespace {

/// A TOML string: overrides are TOML where they read as TOML, and a path may look like a number.
std::string quoted(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

}  // namespace

Result<Setup> load_setup(const Arguments& arguments,
                         const std::vector<OptionKey>& keys,
                         const Console& console) {
  std::vector<std::string> overrides = arguments.values("set");
  for (const OptionKey& key : keys) {
    const auto value = arguments.value(key.option);
    if (!value) continue;
    overrides.push_back(key.key + '=' + (key.is_number ? *value : quoted(*value)));
  }
  const auto name = arguments.positional(0);
  if (!name) {
    K3_TRY(const Scenario scenario, scenario_from_text("", "command line", overrides));
    return resolve(scenario, console.folders());
  }
  return load_named_setup(*name, overrides, console);
}

Result<Setup> load_named_setup(const std::string& name,
                               const std::vector<std::string>& overrides,
                               const Console& console) {
  K3_TRY(const std::filesystem::path path,
         find_input(name, PresetKind::scenario, console.folders()));
  K3_TRY(const Scenario scenario, load_scenario(path, overrides));
  return resolve(scenario, console.folders());
}

}  // namespace k3::cli
