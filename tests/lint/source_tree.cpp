#include "tests/lint/source_tree.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "tests/support/shared_data.h"

namespace k3::lint {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> read_lines(const fs::path& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

bool is_text(const fs::path& path) {
  constexpr std::array<std::string_view, 10> kExtensions = {
      ".h", ".cpp", ".cu", ".cuh", ".cmake", ".txt", ".toml", ".json", ".md", ".in"};
  constexpr std::array<std::string_view, 5> kNames = {"bootstrap", "run", ".clang-format",
                                                      ".clang-tidy", ".gitignore"};
  return std::ranges::count(kExtensions, path.extension().string()) > 0 ||
         std::ranges::count(kNames, path.filename().string()) > 0;
}

bool is_skipped_folder(const std::string& name) {
  return name == "build" || name == ".git" || name == ".cache" || name == "k3rack-demo";
}

std::vector<SourceFile> read_tree() {
  const fs::path root = test::source_dir();
  std::vector<SourceFile> files;
  for (fs::recursive_directory_iterator it(root), end; it != end; ++it) {
    if (it->is_directory() && is_skipped_folder(it->path().filename().string())) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file() && is_text(it->path())) {
      files.push_back({fs::relative(it->path(), root).generic_string(), read_lines(it->path())});
    }
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

}  // namespace

std::string SourceFile::folder() const {
  const std::size_t first = path.find('/');
  const std::size_t second = first == std::string::npos ? first : path.find('/', first + 1);
  return second == std::string::npos ? std::string() : path.substr(0, second);
}

const std::vector<SourceFile>& source_tree() {
  static const std::vector<SourceFile> kTree = read_tree();
  return kTree;
}

std::vector<Include> includes_of(const SourceFile& file) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*(["<])([^">]+)[">])");
  std::vector<Include> found;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    std::smatch match;
    if (std::regex_search(file.lines[i], match, kInclude)) {
      found.push_back({match[2], match[1] == "\"", i + 1});
    }
  }
  return found;
}

Arrows read_arrows(const std::string& name) {
  Arrows arrows;
  for (const std::string& line : read_lines(test::source_dir() / "tests/lint" / name)) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string from;
    std::string arrow;
    words >> from >> arrow;
    if (arrow != "->") throw std::runtime_error(name + ": no arrow in: " + line);
    std::vector<std::string> to;
    for (std::string word; words >> word;)
      to.push_back(word);
    if (!arrows.emplace(from, to).second) throw std::runtime_error(name + ": twice: " + from);
  }
  return arrows;
}

bool is_layered(const SourceFile& file) {
  return file.is_below("engine") || file.is_below("kernels") || file.is_below("sim") ||
         file.is_below("profiler") || file.is_below("gui");
}

}  // namespace k3::lint
