#include "engine/text/file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

namespace k3 {
namespace {

tl::unexpected<Error> system_failure(const std::filesystem::path& path, int reason) {
  // What the user may have named by mistake is the request's fault, a failing disk is not.
  const bool wrong_name = reason == EISDIR || reason == EACCES || reason == ENOTDIR;
  return fail(reason == ENOENT ? Code::not_found
              : wrong_name     ? Code::invalid_input
                               : Code::io,
              fmt::format("cannot read: {}", std::generic_category().message(reason)),
              path.string());
}

}  // namespace

Result<std::string> read_text_file(const std::filesystem::path& path) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  if (!file) return system_failure(path, errno);
  std::string text;
  std::array<char, 65536> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), file.get())) {
    text.append(part.data(), count);
    if (static_cast<std::int64_t>(text.size()) > kMaxTextFileBytes) {
      return fail(Code::io,
                  fmt::format("too large for a text file; at most {} GiB", kMaxTextFileBytes >> 30),
                  path.string());
    }
  }
  if (std::ferror(file.get()) != 0) return system_failure(path, errno);
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // of UTF-8, as some editors write it
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

}  // namespace k3
