#include "profiler/cli/command.h"

#include <charconv>

#include <fmt/core.h>

#include "engine/base/check.h"

namespace k3::cli {

std::optional<std::string> Arguments::value(const std::string& option) const {
  const auto found = options_.find(option);
  if (found == options_.end() || found->second.empty()) return std::nullopt;
  return found->second.back();
}

std::vector<std::string> Arguments::values(const std::string& option) const {
  const auto found = options_.find(option);
  return found == options_.end() ? std::vector<std::string>{} : found->second;
}

Result<std::optional<std::int64_t>> Arguments::integer(const std::string& option,
                                                       std::int64_t minimum) const {
  const std::optional<std::string> given = value(option);
  if (!given) return std::optional<std::int64_t>{};
  std::int64_t number = 0;
  const char* end = given->data() + given->size();
  const auto [stop, error] = std::from_chars(given->data(), end, number);
  if (error != std::errc{} || stop != end || number < minimum) {
    return fail(Code::invalid_input,
                fmt::format("`{}` is not a whole number >= {}", *given, minimum), "--" + option);
  }
  return std::optional(number);
}

std::optional<std::string> Arguments::positional(std::size_t index) const {
  if (index >= positionals_.size()) return std::nullopt;
  return positionals_[index];
}

const std::string& Arguments::required(std::size_t index) const {
  K3_CHECK(index < positionals_.size(), "positional {} is optional or unknown", index);
  return positionals_[index];
}

}  // namespace k3::cli
