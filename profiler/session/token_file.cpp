#include "profiler/session/token_file.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/core.h>

#include "engine/text/file.h"

namespace k3::session {
namespace {

constexpr std::string_view kBlanks = " \t\r";

Result<std::vector<std::int32_t>> parse_line(std::string_view line,
                                             const std::string& where,
                                             int vocab) {
  std::vector<std::int32_t> ids;
  std::size_t at = line.find_first_not_of(kBlanks);
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    const std::string_view word = line.substr(at, end - at);
    std::int32_t id = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc{} || stop != word.data() + word.size() || id < 0 || id >= vocab) {
      return fail(Code::invalid_input,
                  fmt::format("`{}` is not a token id; whole numbers from 0 to {}",
                              word.substr(0, 32), vocab - 1),
                  fmt::format("{}:{}", where, at + 1));
    }
    ids.push_back(id);
    at = line.find_first_not_of(kBlanks, end);
  }
  if (ids.empty()) {
    return fail(Code::invalid_input, "empty line; every line is one sequence of token ids", where);
  }
  return ids;
}

}  // namespace

Result<TokenLines> parse_token_lines(std::string_view text, const std::string& where, int vocab) {
  TokenLines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    K3_TRY(std::vector<std::int32_t> ids,
           parse_line(text.substr(0, end), fmt::format("{}:{}", where, lines.size() + 1), vocab));
    lines.push_back(std::move(ids));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (lines.empty()) {
    return fail(Code::invalid_input, "empty file; one sequence of token ids per line", where);
  }
  return lines;
}

Result<TokenLines> load_token_file(const std::filesystem::path& path, int vocab) {
  K3_TRY(const std::string text, read_text_file(path));
  return parse_token_lines(text, path.string(), vocab);
}

}  // namespace k3::session
