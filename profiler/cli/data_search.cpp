#include "profiler/cli/data_search.h"

#include <cstdlib>
#include <system_error>
#include <utility>
#include <vector>

#include "profiler/cli/suggest_word.h"

namespace k3::cli {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> user_folder() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data == '/') {
    return fs::path(data) / "k3rack";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return fs::path(home) / ".local/share/k3rack";
  }
  return std::nullopt;
}

}  // namespace

Result<DataFolders> search_data_folders(const std::optional<std::string>& data_option) {
  std::error_code ignored;
  std::vector<fs::path> folders;
  if (data_option) {
    if (!fs::is_directory(*data_option, ignored)) {
      return fail(Code::not_found,
                  "no such folder; --data names one that holds data/ or scenarios/", *data_option);
    }
    folders.emplace_back(*data_option);
  }
  const auto add = [&](const fs::path& folder) {
    if (fs::is_directory(folder, ignored)) folders.push_back(folder);
  };
  if (const auto user = user_folder()) add(*user);
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) add((program.parent_path() / K3_INSTALLED_DATA).lexically_normal());
  add(K3_SOURCE_DIR);
  return DataFolders(std::move(folders));
}

Result<fs::path> find_input(const std::string& name, PresetKind kind, const DataFolders& folders) {
  std::error_code ignored;
  if (fs::exists(name, ignored)) return fs::path(name);
  if (const auto found = folders.find(name)) return *found;
  if (const auto found = folders.preset(kind, name)) return *found;
  return fail(Code::not_found,
              "no such file or preset; " + suggest_word(name, folders.presets(kind)), name);
}

}  // namespace k3::cli
