// The layering of the tree: tests/lint/layers.txt against the includes and the link dependencies.

#include <algorithm>
#include <functional>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "tests/lint/source_tree.h"

namespace k3::lint {
namespace {

using Folders = std::set<std::string>;

std::string place(const SourceFile& file, const Include& include) {
  return file.path + ":" + std::to_string(include.line) + ": includes " + include.target;
}

std::string folder_of(const Include& include) {
  return SourceFile{include.target, {}}.folder();
}

Folders layered_folders() {
  Folders folders;
  for (const SourceFile& file : source_tree()) {
    if (is_layered(file) && !file.folder().empty()) folders.insert(file.folder());
  }
  return folders;
}

bool is_allowed(const Arrows& layers, const std::string& from, const std::string& to) {
  if (from == to || to == "engine/base") return true;
  const auto found = layers.find(from);
  return found != layers.end() && std::ranges::count(found->second, to) > 0;
}

/// The folders behind the `k3::engine_plan` names in a folder's CMakeLists.txt.
Folders linked_folders(const SourceFile& cmake_lists) {
  static const std::regex kTarget("k3::([a-z0-9]+)_([a-z0-9_]+)");
  Folders folders;
  for (const std::string& line : cmake_lists.lines) {
    for (std::sregex_iterator it(line.begin(), line.end(), kTarget), end; it != end; ++it) {
      folders.insert((*it)[1].str() + "/" + (*it)[2].str());
    }
  }
  return folders;
}

TEST(Layers, EveryFolderHasItsLineAndEveryLineItsFolder) {
  const Folders folders = layered_folders();
  const Arrows layers = read_arrows("layers.txt");
  for (const std::string& folder : folders) {
    EXPECT_TRUE(layers.contains(folder)) << folder << " has no line in layers.txt";
  }
  for (const auto& [folder, allowed] : layers) {
    EXPECT_TRUE(folders.contains(folder))
        << "layers.txt names " << folder << ", which is not there";
    for (const std::string& to : allowed) {
      EXPECT_TRUE(layers.contains(to)) << folder << " -> " << to << ": no such line";
    }
  }
}

TEST(Layers, ArrowsFormNoCycle) {
  const Arrows layers = read_arrows("layers.txt");
  Folders done;
  std::vector<std::string> path;
  const std::function<bool(const std::string&)> is_acyclic = [&](const std::string& folder) {
    if (done.contains(folder)) return true;
    if (std::ranges::count(path, folder) > 0) return false;
    path.push_back(folder);
    for (const std::string& to : layers.at(folder)) {
      if (!is_acyclic(to)) return false;
    }
    path.pop_back();
    done.insert(folder);
    return true;
  };
  for (const auto& [folder, allowed] : layers) {
    ASSERT_TRUE(is_acyclic(folder)) << "cycle through " << testing::PrintToString(path);
  }
}

TEST(Layers, IncludesFollowTheArrows) {
  const Arrows layers = read_arrows("layers.txt");
  std::size_t num_checked = 0;
  for (const SourceFile& file : source_tree()) {
    if (!is_layered(file) || !file.is_cpp()) continue;
    for (const Include& include : includes_of(file)) {
      if (!include.quoted) continue;
      ++num_checked;
      EXPECT_TRUE(is_allowed(layers, file.folder(), folder_of(include)))
          << place(file, include) << "; layers.txt has no such arrow";
    }
  }
  EXPECT_GT(num_checked, 0U);
}

TEST(Layers, InternalHeadersStayInTheirFolder) {
  for (const SourceFile& file : source_tree()) {
    if (!file.is_cpp()) continue;
    for (const Include& include : includes_of(file)) {
      if (!include.quoted || !include.target.ends_with("_internal.h")) continue;
      EXPECT_EQ(file.folder(), folder_of(include)) << place(file, include);
    }
  }
}

TEST(Layers, LinkDependenciesAreTheArrowsAndCoverTheIncludes) {
  const Arrows layers = read_arrows("layers.txt");
  std::map<std::string, Folders> linked;
  for (const SourceFile& file : source_tree()) {
    if (!is_layered(file) || file.folder().empty() || !file.path.ends_with("/CMakeLists.txt")) {
      continue;
    }
    linked[file.folder()] = linked_folders(file);
    for (const std::string& to : linked[file.folder()]) {
      EXPECT_TRUE(is_allowed(layers, file.folder(), to)) << file.path << " links " << to;
    }
  }
  for (const SourceFile& file : source_tree()) {
    if (!is_layered(file) || !file.is_cpp() || !linked.contains(file.folder())) continue;
    for (const Include& include : includes_of(file)) {
      const std::string to = folder_of(include);
      if (!include.quoted || to == file.folder()) continue;
      // NOTE: engine/base comes along with every other library, so nobody need name it.
      EXPECT_TRUE(to == "engine/base" || linked[file.folder()].contains(to))
          << place(file, include) << ", but its library is not in DEPS";
    }
  }
}

}  // namespace
}  // namespace k3::lint
