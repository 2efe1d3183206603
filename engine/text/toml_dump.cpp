#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/core.h>

#include "engine/text/toml.h"

namespace k3 {
namespace {

/// A basic string: JSON's escapes but for the characters that TOML wants escaped besides.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : Json(text).dump()) {
    if (c == '\x7f') {
      out += "\\u007f";
    } else {
      out += c;
    }
  }
  return out;
}

std::string key_text(const std::string& key) {
  const bool bare = !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  return bare ? key : quoted(key);
}

std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return shortest_text(value);
}

std::string inline_text(const Json& value);

template <class Items, class Write>
std::string list_text(std::string_view brackets, const Items& items, const Write& write) {
  std::string out(1, brackets[0]);
  for (const auto& item : items) {
    if (out.size() > 1) out += ", ";
    out += write(item);
  }
  return out + brackets[1];
}

std::string inline_text(const Json& value) {
  switch (value.kind()) {
    case Json::Kind::string:
      return quoted(value.string());
    case Json::Kind::real:
      return real_text(value.number());
    case Json::Kind::array:
      return list_text("[]", value.items(), inline_text);
    case Json::Kind::object:
      return list_text("{}", value.members(), [](const Json::Member& member) {
        return fmt::format("{} = {}", key_text(member.key), inline_text(member.value));
      });
    default:
      return value.dump();
  }
}

void write_table(const Json& table, const std::string& path, std::string& out) {
  for (const Json::Member& member : table.members()) {
    if (member.value.is(Json::Kind::object) || member.value.is(Json::Kind::null)) continue;
    fmt::format_to(std::back_inserter(out), "{} = {}\n", key_text(member.key),
                   inline_text(member.value));
  }
  for (const Json::Member& member : table.members()) {
    if (!member.value.is(Json::Kind::object)) continue;
    const std::string name =
        path.empty() ? key_text(member.key) : fmt::format("{}.{}", path, key_text(member.key));
    if (!out.empty()) out += '\n';
    fmt::format_to(std::back_inserter(out), "[{}]\n", name);
    write_table(member.value, name, out);
  }
}

}  // namespace

std::string dump_toml(const Json& document) {
  std::string out;
  write_table(document, "", out);
  return out;
}

}  // namespace k3
