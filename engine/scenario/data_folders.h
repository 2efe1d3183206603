#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace k3 {

/// What ships by name: data/hardware/NAME.toml, data/model/NAME.json, scenarios/NAME.toml (names of
/// scenarios have a folder: "nvl72/k3-decode-72").
enum class PresetKind : std::uint8_t { machine, model, scenario };

/// Folders that hold `data/` and `scenarios/`, in the order in which they are searched.
class DataFolders {
 public:
  explicit DataFolders(std::vector<std::filesystem::path> folders) : folders_(std::move(folders)) {}

  const std::vector<std::filesystem::path>& folders() const { return folders_; }

  /// The first folder's file or folder of this relative path, nothing if none has it.
  std::optional<std::filesystem::path> find(const std::filesystem::path& relative) const;

  /// File of a preset; nothing if it is unknown.
  std::optional<std::filesystem::path> preset(PresetKind kind, std::string_view name) const;

  /// Names of all presets, ascending, each once.
  std::vector<std::string> presets(PresetKind kind) const;

 private:
  std::vector<std::filesystem::path> folders_;
};

}  // namespace k3
