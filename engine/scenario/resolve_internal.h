#pragma once

#include "engine/scenario/scenario.h"
#include "engine/text/node.h"

namespace k3 {

/// A setup in the making. `model_keys` and `machine_keys` are the sections as the resolved scenario
/// writes them: with the names that were given, paths absolute.
struct Resolving {
  const Scenario& scenario;
  const DataFolders& folders;
  TextNode root;
  Setup setup;
  Json model_keys;
  Json machine_keys;
};

/// The file or folder that a node names: absolute, else relative to the file that names it (to the
/// current folder for overrides), else in the data folders.
Result<std::filesystem::path> find_path(const Resolving& state, const TextNode& node);

// One section (or a group of them) each; an absent section leaves the defaults.
Result<void> read_model(Resolving& state);
Result<void> read_machine(Resolving& state);
Result<void> read_parallel(Resolving& state);
Result<void> read_workload(Resolving& state);
Result<void> read_routing(Resolving& state);
Result<void> read_placement(Resolving& state);
Result<void> read_precision(Resolving& state);
Result<void> read_execution(Resolving& state);
Result<void> read_executor(Resolving& state);

/// All keys with their values, as TOML that resolves to the same setup.
std::string resolved_toml(const Resolving& state);

}  // namespace k3
