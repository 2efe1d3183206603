// Limits on the files themselves: size, forbidden text, open ends.

#include <cstdio>
#include <regex>

#include <gtest/gtest.h>

#include "tests/lint/source_tree.h"

namespace k3::lint {
namespace {

constexpr std::size_t kMaxSourceLines = 600;     // never more
constexpr std::size_t kWantedSourceLines = 400;  // above: named in the output
constexpr std::size_t kMaxReadmeLines = 150;

TEST(Tree, SourceFilesStayShort) {
  for (const SourceFile& file : source_tree()) {
    if (!file.is_cpp()) continue;
    EXPECT_LE(file.lines.size(), kMaxSourceLines) << file.path;
    if (file.lines.size() > kWantedSourceLines) {
      std::printf("%s: %zu lines, wanted are at most %zu\n", file.path.c_str(), file.lines.size(),
                  kWantedSourceLines);
    }
  }
}

TEST(Tree, ReadmeStaysShort) {
  for (const SourceFile& file : source_tree()) {
    if (file.path != "README.md") continue;
    EXPECT_LE(file.lines.size(), kMaxReadmeLines) << file.path;
  }
}

TEST(Tree, HoldsNoMachinePathsAndNoPackageMirrors) {
  for (const auto& [word, reason] : read_arrows("forbidden.txt")) {
    for (const SourceFile& file : source_tree()) {
      if (file.path == "tests/lint/forbidden.txt") continue;
      for (std::size_t i = 0; i < file.lines.size(); ++i) {
        if (file.lines[i].find(word) == std::string::npos) continue;
        ADD_FAILURE() << file.path << ":" << i + 1 << ": " << word << " is in forbidden.txt";
      }
    }
  }
}

TEST(Tree, OpenEndsNameTheirIssue) {
  static const std::regex kOpenEnd(R"(\b(TODO|FIXME|XXX)\b(?!\(#[0-9]+\)))");
  for (const SourceFile& file : source_tree()) {
    if (!file.is_cpp() || file.path == "tests/lint/tree_test.cpp") continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      EXPECT_FALSE(std::regex_search(file.lines[i], kOpenEnd))
          << file.path << ":" << i + 1 << ": write it as TODO(#NUMBER)";
    }
  }
}

}  // namespace
}  // namespace k3::lint
