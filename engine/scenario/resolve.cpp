#include <array>

#include "engine/scenario/resolve_internal.h"

namespace k3 {

Result<Setup> resolve(const Scenario& scenario, const DataFolders& folders) {
  constexpr std::array<std::string_view, 13> kSections{
      "title",    "model",   "machine",   "parallel",  "workload",   "routing", "placement",
      "dispatch", "combine", "precision", "execution", "simulation", "executor"};
  Resolving state{scenario, folders, TextNode(scenario.document, scenario.where), {}, {}, {}};
  K3_TRY_VOID(state.root.only_keys(kSections));
  if (const auto title = state.root.find("title")) {
    K3_TRY(state.setup.title, title->string());
  }
  K3_TRY_VOID(read_model(state));
  K3_TRY_VOID(read_machine(state));
  K3_TRY_VOID(read_parallel(state));
  K3_TRY_VOID(read_workload(state));
  K3_TRY_VOID(read_routing(state));
  K3_TRY_VOID(read_placement(state));
  K3_TRY_VOID(read_precision(state));
  K3_TRY_VOID(read_execution(state));
  K3_TRY_VOID(read_executor(state));
  state.setup.resolved_toml = resolved_toml(state);
  return std::move(state.setup);
}

}  // namespace k3
