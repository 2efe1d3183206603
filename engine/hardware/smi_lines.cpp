#include <charconv>

#include "engine/hardware/smi_lines_internal.h"

namespace k3 {
namespace {

/// Without escape sequences of a terminal: ESC [ … letter. Copying can lose the ESC of colours.
std::string without_escapes(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\x1b';
    const std::size_t bracket = escape ? i + 1 : i;
    if (bracket < line.size() && line[bracket] == '[') {
      const std::size_t end = line.find_first_not_of("0123456789;", bracket + 1);
      const bool letter =
          end != std::string_view::npos &&
          ((line[end] >= 'a' && line[end] <= 'z') || (line[end] >= 'A' && line[end] <= 'Z'));
      if (letter && (escape || line[end] == 'm')) {
        i = end;
        continue;
      }
    }
    if (!escape && line[i] != '\r') out += line[i];
  }
  return out;
}

}  // namespace

std::vector<SmiLine> smi_lines(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<SmiLine> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    SmiLine line;
    line.number = static_cast<int>(lines.size()) + 1;
    line.text = without_escapes(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    constexpr std::string_view kBlank = " \t";
    for (std::size_t at = line.text.find_first_not_of(kBlank); at != std::string::npos;) {
      const std::size_t stop = std::min(line.text.find_first_of(kBlank, at), line.text.size());
      line.words.push_back({line.text.substr(at, stop - at), static_cast<int>(at) + 1});
      at = line.text.find_first_not_of(kBlank, stop);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

int number_after(std::string_view prefix, std::string_view word) {
  if (!word.starts_with(prefix)) return -1;
  int number = -1;
  const char* end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data() + prefix.size(), end, number);
  return error == std::errc() && rest == end && number >= 0 ? number : -1;
}

}  // namespace k3
