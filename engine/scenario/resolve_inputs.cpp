#include <array>
#include <limits>
#include <system_error>

#include <fmt/core.h>

#include "engine/hardware/topology.h"
#include "engine/scenario/resolve_internal.h"
#include "engine/scenario/section_internal.h"
#include "engine/text/suggest.h"

namespace k3 {
namespace {

namespace fs = std::filesystem;

/// The one of `keys` that the section has.
Result<TextNode> exactly_one(const TextNode& root,
                             const Section& section,
                             std::string_view name,
                             std::span<const std::string_view> keys) {
  std::optional<TextNode> chosen;
  std::string list;
  for (const std::string_view key : keys) {
    list += (list.empty() ? "" : " | ") + std::string(key);
    const auto node = section.find(key);
    if (!node) continue;
    if (chosen) return node->fail(fmt::format("contradicts {}; give only one", chosen->path()));
    chosen = node;
  }
  if (chosen) return *chosen;
  K3_TRY(const TextNode table, root.at(name, fmt::format("give {} = …", list)));
  return table.fail(fmt::format("names nothing; give {} = …", list));
}

Result<fs::path> find_preset(const Resolving& state, const TextNode& node, PresetKind kind) {
  K3_TRY(const std::string name, node.string());
  if (auto path = state.folders.preset(kind, name)) return *path;
  auto names = state.folders.presets(kind);
  if (kind == PresetKind::machine) names.emplace_back(kLocalMachine);
  const std::vector<std::string_view> known(names.begin(), names.end());
  return node.fail(fmt::format("there is no preset `{:.80}`; {}", name, suggestion(name, known)),
                   Code::not_found);
}

std::string absolute_text(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return (error ? path : absolute).lexically_normal().string();
}

}  // namespace

Result<fs::path> find_path(const Resolving& state, const TextNode& node) {
  K3_TRY(const std::string text, node.string());
  if (text.empty()) return node.fail("is empty; must be a path");
  const fs::path path = text;
  // NOTE: what came by an override was not read from the file; its place is the current folder.
  const bool from_file = node.value().position().line > 0;
  const fs::path near = (from_file ? state.scenario.folder : fs::path()) / path;
  std::error_code error;
  if (fs::exists(near, error)) return fs::path(absolute_text(near));
  std::string looked = path.is_absolute() ? "" : absolute_text(near.parent_path());
  if (!path.is_absolute()) {
    if (const auto found = state.folders.find(path)) return fs::path(absolute_text(*found));
    for (const fs::path& folder : state.folders.folders())
      looked += ", " + folder.string();
  }
  return node.fail(looked.empty()
                       ? fmt::format("`{:.200}` does not exist; must be a path", text)
                       : fmt::format("`{:.200}` does not exist; looked in {}", text, looked),
                   Code::not_found);
}

Result<void> read_model(Resolving& state) {
  constexpr std::array<std::string_view, 4> kKeys{"config", "checkpoint", "preset", "weights_seed"};
  K3_TRY(const Section section, Section::open(state.root, "model", kKeys));
  K3_TRY(const TextNode node, exactly_one(state.root, section, "model", std::span(kKeys).first(3)));
  Setup& setup = state.setup;
  std::string preset;
  if (section.find("preset")) {
    K3_TRY(setup.model_source, find_preset(state, node, PresetKind::model));
    preset = node.value().string();
    state.model_keys.set("preset", preset);
  } else {
    K3_TRY(setup.model_source, find_path(state, node));
    const bool checkpoint = section.find("checkpoint").has_value();
    if (checkpoint) setup.checkpoint = setup.model_source;
    state.model_keys.set(checkpoint ? "checkpoint" : "config", setup.model_source.string());
  }
  if (setup.checkpoint) {
    if (const auto seed = section.find("weights_seed")) {
      return seed->fail("has no effect on a checkpoint; remove the key");
    }
  } else {
    std::int64_t seed = 1;
    if (const auto given = section.find("weights_seed")) {
      K3_TRY(seed, given->integer(0));
    }
    setup.weights_seed = static_cast<std::uint64_t>(seed);
    state.model_keys.set("weights_seed", seed);
  }
  const fs::path config = setup.checkpoint ? *setup.checkpoint / "config.json" : setup.model_source;
  auto loaded = load_model_config(config);
  if (!loaded) return tl::unexpected(std::move(loaded.error()).at(node.where()));
  setup.model = std::move(*loaded);
  if (!preset.empty()) setup.model.name = preset;
  return {};
}

namespace {

/// This host: a name, and the calibration that says what it is.
Result<void> read_local(Resolving& state, const std::optional<TextNode>& calibration) {
  Machine& machine = state.setup.machine.emplace();
  machine.name = kLocalMachine;
  machine.num_gpus = std::numeric_limits<int>::max();
  state.machine_keys.set("preset", kLocalMachine);
  if (!calibration) return {};
  K3_TRY(state.setup.calibration, find_path(state, *calibration));
  state.machine_keys.set("calibration", state.setup.calibration->string());
  return {};
}

/// Adds the faults one by one, so that each error has its own place.
Result<void> read_faults(Resolving& state, const TextNode& list) {
  K3_TRY(const std::vector<TextNode> items, list.items());
  Json written = Json::array();
  Machine& machine = *state.setup.machine;
  for (const TextNode& item : items) {
    K3_TRY(const std::string text, item.string());
    auto fault = parse_fault(text);
    if (!fault) return tl::unexpected(std::move(fault.error()).at(item.where()));
    auto faulty = with_faults(std::move(machine), std::span(&*fault, 1));
    if (!faulty) return tl::unexpected(std::move(faulty.error()).at(item.where()));
    machine = *std::move(faulty);
  }
  for (const Fault& fault : machine.faults)
    written.push(fault.text);
  state.machine_keys.set("faults", std::move(written));
  return {};
}

}  // namespace

Result<void> read_machine(Resolving& state) {
  constexpr std::array<std::string_view, 4> kKeys{"preset", "file", "calibration", "faults"};
  K3_TRY(const Section section, Section::open(state.root, "machine", kKeys));
  if (!section.present()) return {};
  K3_TRY(const TextNode node,
         exactly_one(state.root, section, "machine", std::span(kKeys).first(2)));
  const auto calibration = section.find("calibration");
  if (const auto preset = section.find("preset"); preset &&
                                                  preset->value().is(Json::Kind::string) &&
                                                  preset->value().string() == kLocalMachine) {
    if (const auto faults = section.find("faults")) {
      return faults->fail("has no effect on this host, whose ranks are threads; remove the key");
    }
    return read_local(state, calibration);
  }
  if (calibration) {
    return calibration->fail("has no effect on this machine; only preset = \"local\" is measured");
  }
  fs::path path;
  if (section.find("preset")) {
    K3_TRY(path, find_preset(state, node, PresetKind::machine));
    state.machine_keys.set("preset", node.value().string());
  } else {
    K3_TRY(path, find_path(state, node));
    state.machine_keys.set("file", path.string());
  }
  auto loaded = load_machine(path);
  if (!loaded) return tl::unexpected(std::move(loaded.error()).at(node.where()));
  state.setup.machine = std::move(*loaded);
  const auto faults = section.find("faults");
  return faults ? read_faults(state, *faults) : Result<void>();
}

}  // namespace k3
