#include "engine/scenario/scenario.h"

#include "engine/text/file.h"
#include "engine/text/toml.h"

namespace k3 {

Result<Scenario> scenario_from_text(std::string_view toml,
                                    const std::string& where,
                                    std::span<const std::string> overrides) {
  Scenario scenario;
  scenario.where = where;
  K3_TRY(scenario.document, parse_toml(toml, where));
  for (const std::string& assignment : overrides) {
    K3_TRY_VOID(apply_override(scenario.document, assignment));
  }
  return scenario;
}

Result<Scenario> load_scenario(const std::filesystem::path& path,
                               std::span<const std::string> overrides) {
  K3_TRY(const std::string text, read_text_file(path));
  K3_TRY(Scenario scenario, scenario_from_text(text, path.string(), overrides));
  scenario.folder = path.parent_path();
  if (scenario.document.find("title") == nullptr) {
    scenario.document.set("title", path.stem().string());
  }
  return scenario;
}

}  // namespace k3
