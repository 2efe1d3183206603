#include "engine/text/suggest.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/core.h>

namespace k3 {

int edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment over three rows: i, i − 1 and i − 2 characters of `a`.
  std::array<std::vector<int>, 3> rows;
  for (auto& row : rows)
    row.resize(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    rows[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], rows[(i + 1) % 3][j - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
}

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> known) {
  constexpr std::size_t kLongestWord = 200;  // keeps hostile input from costing time
  if (word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string_view> best;
  int best_distance = 0;
  for (const std::string_view candidate : known) {
    const int distance = edit_distance(word, candidate);
    const int limit = std::max(1, static_cast<int>(std::max(word.size(), candidate.size())) / 3);
    if (distance > limit || (best && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  if (const auto near = nearest(word, known)) return fmt::format("did you mean `{}`?", *near);
  if (known.empty()) return "there are none";
  std::string list = "known: ";
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0) list += ", ";
    list += known[i];
  }
  return list;
}

}  // namespace k3
