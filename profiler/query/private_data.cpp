#include "profiler/query/private_data.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include <fmt/core.h>

namespace k3::query {
namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// True if an absolute path begins at `i`: not inside of a word such as GB/s.
bool path_begins(std::string_view text, std::size_t i) {
  constexpr std::string_view kBefore = " \t\n\"'`(=[{,:;<>|";
  if (i > 0 && kBefore.find(text[i - 1]) == std::string_view::npos) return false;
  const std::string_view rest = text.substr(i);
  if (rest.size() < 2) return false;
  if (rest[0] == '/') return rest[1] != ' ';
  if (rest[0] == '~') return rest[1] == '/' || is_letter(rest[1]);
  if (rest[0] == '\\') return rest[1] == '\\';
  return is_letter(rest[0]) && rest[1] == ':' && rest.size() > 2 &&
         (rest[2] == '\\' || rest[2] == '/');
}

/// Where the path that begins at `i` ends: at the closing quote if it is quoted, else at a blank.
std::size_t path_end(std::string_view text, std::size_t i) {
  const char before = i > 0 ? text[i - 1] : ' ';
  if (before == '"' || before == '\'' || before == '`') {
    const std::size_t quote = text.find(before, i);
    if (quote != std::string_view::npos) return quote;
  }
  return std::min(text.find_first_of(" \t\n\"'`)]},;<>|", i), text.size());
}

}  // namespace

std::string file_name(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string without_folders(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (!path_begins(text, i)) {
      out += text[i++];
      continue;
    }
    const std::size_t end = path_end(text, i);
    std::string_view path = text.substr(i, end - i);
    while (path.size() > 1 && (path.back() == '/' || path.back() == '\\'))
      path.remove_suffix(1);
    out += file_name(path);
    i = end;
  }
  return out;
}

std::string public_scenario(std::string_view toml) {
  std::string out;
  while (!toml.empty()) {
    const std::size_t end = std::min(toml.find('\n'), toml.size());
    const std::string_view line = toml.substr(0, end);
    const std::string_view key = line.substr(0, line.find('='));
    if (key.find("host") == std::string_view::npos && key.find("user") == std::string_view::npos) {
      out += without_folders(line) + "\n";
    }
    toml.remove_prefix(std::min(end + 1, toml.size()));
  }
  return out;
}

bool is_private_key(std::string_view key) {
  constexpr std::string_view kPrivate[] = {"host", "user",   "command", "environ",
                                           "path", "folder", "argv",    "cwd"};
  return std::any_of(std::begin(kPrivate), std::end(kPrivate), [key](std::string_view word) {
    return key.find(word) != std::string_view::npos;
  });
}

std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("{:016x}", hash);
}

}  // namespace k3::query
