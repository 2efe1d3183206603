// Headers from outside only where tests/lint/vendor_headers.txt allows them.

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/lint/source_tree.h"

namespace k3::lint {
namespace {

bool is_standard(const std::string& header) {
  return header.find_first_of("./+") == std::string::npos && !header.starts_with('Q');
}

/// The longest prefix of the table that fits the header, or the table's end.
Arrows::const_iterator rule_for(const Arrows& rules, const std::string& header) {
  auto best = rules.end();
  for (auto it = rules.begin(); it != rules.end(); ++it) {
    if (header.starts_with(it->first) &&
        (best == rules.end() || it->first.size() > best->first.size())) {
      best = it;
    }
  }
  return best;
}

bool is_allowed_in(const SourceFile& file, const std::vector<std::string>& places) {
  return std::ranges::any_of(places, [&](const std::string& place) {
    return place == "any" || (place == "sources" && !file.is_header()) || place == file.folder();
  });
}

TEST(VendorHeaders, StayWhereTheTableAllowsThem) {
  const Arrows rules = read_arrows("vendor_headers.txt");
  std::size_t num_checked = 0;
  for (const SourceFile& file : source_tree()) {
    if (!is_layered(file) || !file.is_cpp()) continue;
    for (const Include& include : includes_of(file)) {
      if (include.quoted || is_standard(include.target)) continue;
      ++num_checked;
      const auto rule = rule_for(rules, include.target);
      const std::string place =
          file.path + ":" + std::to_string(include.line) + ": <" + include.target + ">";
      if (rule == rules.end()) {
        ADD_FAILURE() << place << " is not in vendor_headers.txt";
      } else {
        EXPECT_TRUE(is_allowed_in(file, rule->second)) << place << " is not allowed here";
      }
    }
  }
  EXPECT_GT(num_checked, 0U);
}

TEST(VendorHeaders, OwnHeadersAreIncludedFromTheRoot) {
  for (const SourceFile& file : source_tree()) {
    if (!file.is_cpp()) continue;
    for (const Include& include : includes_of(file)) {
      if (!include.quoted) continue;
      EXPECT_FALSE(SourceFile(include.target, {}).folder().empty())
          << file.path << ":" << include.line << ": \"" << include.target
          << "\" is not a path from the root";
    }
  }
}

}  // namespace
}  // namespace k3::lint
