#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace k3 {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

/// The known word nearest to `word`, if it is near enough to be a slip of the pen.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> known);

/// Second half of a message about an unknown word: "did you mean `y`?", else "known: a, b, c".
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace k3
