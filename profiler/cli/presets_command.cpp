#include <fmt/core.h>

#include "engine/hardware/machine.h"
#include "engine/scenario/data_folders.h"
#include "engine/scenario/setup.h"
#include "engine/text/file.h"
#include "engine/text/json.h"
#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/options.h"

namespace k3::cli {
namespace {

/// A scenario's first line says what it shows.
Result<std::string> header_of(const std::filesystem::path& path) {
  K3_TRY(const std::string text, read_text_file(path));
  std::string line = text.substr(0, text.find('\n'));
  line.erase(0, std::min(line.find_first_not_of("# "), line.size()));
  return line;
}

Result<std::string> description(PresetKind kind, const std::filesystem::path& path) {
  if (kind == PresetKind::scenario) return header_of(path);
  if (kind == PresetKind::model) return std::string();
  K3_TRY(const Machine machine, load_machine(path));
  return machine.title;
}

Result<int> run_presets(const Arguments& arguments, Console& console) {
  constexpr std::pair<PresetKind, const char*> kKinds[] = {{PresetKind::machine, "machines"},
                                                           {PresetKind::model, "models"},
                                                           {PresetKind::scenario, "scenarios"}};
  Json json = Json::object();
  std::string text;
  for (const auto& [kind, title] : kKinds) {
    Json list = Json::array();
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", title);
    for (const std::string& name : console.folders().presets(kind)) {
      const std::filesystem::path path = *console.folders().preset(kind, name);
      K3_TRY(const std::string about, description(kind, path));
      list.push(Json::object().set("name", name).set("about", about).set("path", path.string()));
      text += fmt::format("  {:<24}  {}\n", name, about);
    }
    if (kind == PresetKind::machine) {
      constexpr std::string_view kAbout = "this computer, once measured: k3rack calibrate --local";
      list.push(
          Json::object().set("name", kLocalMachine).set("about", kAbout).set("path", nullptr));
      text += fmt::format("  {:<24}  {}\n", kLocalMachine, kAbout);
    }
    json.set(title, list);
  }
  if (arguments.has("json")) {
    console.print_json(json);
  } else {
    console.print(text);
  }
  return 0;
}

}  // namespace

Command presets_command() {
  return {.name = "presets",
          .summary = "machines, models and scenarios that ship",
          .details = "",
          .positionals = {},
          .options = {json_option()},
          .run = run_presets};
}

}  // namespace k3::cli
