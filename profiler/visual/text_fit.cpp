#include "profiler/visual/text_fit.h"

#include <cstddef>

namespace k3::visual {
namespace {

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

/// Width of an ASCII character in em.
double em_of(char c) {
  constexpr std::string_view kNarrow = " .,:;'|!iljI()[]ftr";
  constexpr std::string_view kWide = "mwMW%@";
  if (kNarrow.find(c) != std::string_view::npos) return 0.36;
  if (kWide.find(c) != std::string_view::npos) return 0.92;
  return c >= 'A' && c <= 'Z' ? 0.68 : 0.59;
}

}  // namespace

double text_width(std::string_view text, double size) {
  double em = 0;
  for (const char c : text) {
    if (continues_character(c)) continue;
    em += static_cast<unsigned char>(c) < 0x80U ? em_of(c) : 0.64;
  }
  return em * size;
}

std::string elided(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  std::string_view kept = text;
  std::size_t characters = 0;
  for (const char c : text)
    characters += continues_character(c) ? 0U : 1U;
  while (characters > 2) {
    while (!kept.empty() && continues_character(kept.back()))
      kept.remove_suffix(1);
    kept.remove_suffix(1);
    --characters;
    std::string candidate = std::string(kept) + "…";
    if (text_width(candidate, size) <= width) return candidate;
  }
  return {};
}

std::vector<std::string> wrapped(std::string_view text, double size, double width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (word.empty()) continue;
    std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
    if (!line.empty() && text_width(longer, size) > width) {
      lines.push_back(std::move(line));
      line = word;
    } else {
      line = std::move(longer);
    }
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace k3::visual
