#include "engine/scenario/data_folders.h"

#include <algorithm>
#include <system_error>

namespace k3 {
namespace {

namespace fs = std::filesystem;

struct PresetPlace {
  std::string_view folder;
  std::string_view extension;
};

PresetPlace place_of(PresetKind kind) {
  switch (kind) {
    case PresetKind::machine:
      return {"data/hardware", ".toml"};
    case PresetKind::model:
      return {"data/model", ".json"};
    case PresetKind::scenario:
      return {"scenarios", ".toml"};
  }
  return {};
}

void append_presets(const fs::path& folder,
                    std::string_view extension,
                    std::vector<std::string>& names) {
  std::error_code error;
  // NOTE: folders that are absent or closed to us have nothing to offer; that is no error.
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() != extension) continue;
    names.push_back((path.lexically_relative(folder).parent_path() / path.stem()).generic_string());
  }
}

}  // namespace

std::optional<fs::path> DataFolders::find(const fs::path& relative) const {
  for (const fs::path& folder : folders_) {
    std::error_code error;
    fs::path path = folder / relative;
    if (fs::exists(path, error)) return path;
  }
  return std::nullopt;
}

std::optional<fs::path> DataFolders::preset(PresetKind kind, std::string_view name) const {
  const auto names = presets(kind);
  if (!std::ranges::binary_search(names, name)) return std::nullopt;
  const PresetPlace place = place_of(kind);
  return find(fs::path(place.folder) / (std::string(name) + std::string(place.extension)));
}

std::vector<std::string> DataFolders::presets(PresetKind kind) const {
  const PresetPlace place = place_of(kind);
  std::vector<std::string> names;
  for (const fs::path& folder : folders_) {
    append_presets(folder / place.folder, place.extension, names);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace k3
