#include "profiler/cli/load_setup.h"

#include <string_view>

#include <fmt/core.h>

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

/// An override and how the user wrote it.
struct Override {
  std::string assignment;  ///< key.path=value
  std::string option;      ///< "--set key.path", or the option that stands for the key

  /// The key without the blanks that may stand around it.
  std::string key() const {
    const std::string text = assignment.substr(0, assignment.find('='));
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
  }
};

std::vector<Override> overrides_of(const Arguments& arguments, const std::vector<OptionKey>& keys) {
  std::vector<Override> overrides;
  for (const std::string& assignment : arguments.values("set")) {
    overrides.push_back({.assignment = assignment, .option = "--set"});
  }
  for (const OptionKey& key : keys) {
    const auto value = arguments.value(key.option);
    if (!value) continue;
    overrides.push_back({.assignment = key.key + '=' + (key.is_number ? *value : quoted(*value)),
                         .option = "--" + key.option});
  }
  return overrides;
}

/// Whether a place "a.b", "a.b.c", "a.b[0]" or "a.b: FILE" is below the key "a.b".
bool is_below(std::string_view place, std::string_view key) {
  if (key.empty() || !place.starts_with(key)) return false;
  const std::string_view rest = place.substr(key.size());
  return rest.empty() || rest.front() == '.' || rest.front() == '[' || rest.front() == ':';
}

/// What an override said has no line in a file: its error names the option instead.
Error name_option(Error error, const std::vector<Override>& overrides) {
  // The last one rules, as it does among values.
  for (auto given = overrides.rbegin(); given != overrides.rend(); ++given) {
    const std::string key = given->key();
    const bool is_text = error.where == given->assignment;  // not even an assignment
    // A section that only exists because of the override may be what is wrong.
    const bool is_section = !error.where.empty() && is_below(key, error.where);
    if (!is_text && !is_section && !is_below(error.where, key)) continue;
    error.where = given->option == "--set" ? "--set " + error.where
                                           : fmt::format("{} ({})", given->option, error.where);
    return error;
  }
  return error;
}

Result<Setup> load(const Arguments& arguments,
                   const std::vector<std::string>& overrides,
                   const Console& console) {
  if (const auto name = arguments.positional(0)) {
    return load_named_setup(*name, overrides, console);
  }
  K3_TRY(const Scenario scenario, scenario_from_text("", "command line", overrides));
  return resolve(scenario, console.folders());
}

}  // namespace

Result<Setup> load_setup(const Arguments& arguments,
                         const std::vector<OptionKey>& keys,
                         const Console& console) {
  const std::vector<Override> given = overrides_of(arguments, keys);
  std::vector<std::string> overrides;
  for (const Override& each : given)
    overrides.push_back(each.assignment);
  Result<Setup> setup = load(arguments, overrides, console);
  if (!setup) return tl::unexpected(name_option(std::move(setup).error(), given));
  return setup;
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
