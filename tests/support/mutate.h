#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "engine/base/rng.h"

namespace k3::test {

/// A valid text with one to four seeded slips: bytes changed, removed, doubled, cut off, or pieces
/// of the text and hostile words put elsewhere. For tests that readers never crash.
inline std::string mutated(std::string text, Rng& rng) {
  constexpr std::string_view kHostile[] = {"-1",   "0",    "1e308", "99999999999999999999",
                                           "\"\"", "[[",   "{",     "}",
                                           "]",    "null", "\xff",  "=",
                                           "\n",   "nan",  "true",  "2147483648",
                                           ",",    "'"};
  const auto below = [&](std::size_t n) {
    return n == 0 ? 0 : static_cast<std::size_t>(rng.next() % n);
  };
  const std::size_t slips = 1 + below(4);
  for (std::size_t i = 0; i < slips; ++i) {
    const std::size_t at = below(text.size());
    const std::size_t count = 1 + below(12);
    switch (below(7)) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(rng.next() & 0xff);
        break;
      case 1:
        text.erase(at, count);
        break;
      case 2:
        text.insert(at, text.substr(at, count));
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), count));
        break;
      case 4:
        if (below(8) == 0) text.resize(at);
        break;
      default:
        text.replace(at, below(2) * count, kHostile[below(std::size(kHostile))]);
        break;
    }
  }
  return text;
}

}  // namespace k3::test
