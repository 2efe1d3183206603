#include "engine/text/toml.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <toml++/toml.h>

#include "engine/text/file.h"
#include "engine/text/printable.h"

namespace k3 {
namespace {

TextPosition position_of(const toml::source_region& region) {
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

/// Converts the library's tree; `where` is the file's name.
class Converter {
 public:
  explicit Converter(const std::string& where) : where_(where) {}

  Result<Json> convert(const toml::node& node) const {
    Json json;
    if (const auto* table = node.as_table()) {
      K3_TRY(json, convert_table(*table));
    } else if (const auto* array = node.as_array()) {
      json = Json::array();
      for (const toml::node& item : *array) {
        K3_TRY(Json value, convert(item));
        json.push(std::move(value));
      }
    } else if (const auto* text = node.as_string()) {
      json = text->get();
    } else if (const auto* whole = node.as_integer()) {
      json = whole->get();
    } else if (const auto* real = node.as_floating_point()) {
      json = real->get();
    } else if (const auto* flag = node.as_boolean()) {
      json = flag->get();
    } else {
      const TextPosition at = position_of(node.source());
      return fail(Code::invalid_input, "dates and times are not used here; write a string",
                  fmt::format("{}:{}:{}", where_, at.line, at.column));
    }
    json.set_position(position_of(node.source()));
    return json;
  }

 private:
  Result<Json> convert_table(const toml::table& table) const {
    Json json = Json::object();
    for (const auto& [key, value] : table) {
      K3_TRY(Json member, convert(value));
      json.add({std::string(key.str()), std::move(member), position_of(key.source())});
    }
    // The library sorts keys by name; the text's order is what a person wrote.
    std::ranges::stable_sort(json.members(), {}, [](const Json::Member& member) {
      return std::pair(member.position.line, member.position.column);
    });
    return json;
  }

  const std::string& where_;
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

void forget_positions(Json& json) {
  json.set_position({});
  if (json.is(Json::Kind::array)) {
    // NOTE: items are only handed out for reading; the tree is written anew.
    Json items = Json::array();
    for (Json item : json.items()) {
      forget_positions(item);
      items.push(std::move(item));
    }
    json = std::move(items);
  }
  if (!json.is(Json::Kind::object)) return;
  for (Json::Member& member : json.members()) {
    member.position = {};
    forget_positions(member.value);
  }
}

Json override_value(std::string_view text) {
  const auto parsed = parse_toml(fmt::format("value = {}", text), "");
  if (!parsed || parsed->members().size() != 1) return Json(text);
  Json value = parsed->members().front().value;
  forget_positions(value);
  return value;
}

}  // namespace

Result<Json> parse_toml(std::string_view text, const std::string& where) {
  // NOTE: the system's build of the library reports errors by exception only; it ends here.
  try {
    return Converter(where).convert(toml::parse(text));
  } catch (const toml::parse_error& error) {
    const TextPosition at = position_of(error.source());
    return fail(Code::invalid_input, printable(error.description()),
                fmt::format("{}:{}:{}", where, at.line, at.column));
  }
}

Result<Json> load_toml(const std::filesystem::path& path) {
  K3_TRY(const std::string text, read_text_file(path));
  return parse_toml(text, path.string());
}

Result<void> apply_override(Json& document, std::string_view assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    return fail(Code::invalid_input, "no value; write key.path=value", printable(assignment));
  }
  const std::string_view path = trimmed(assignment.substr(0, equals));
  Json* table = &document;
  std::string_view rest = path;
  while (true) {
    const auto dot = rest.find('.');
    const std::string key(trimmed(rest.substr(0, dot)));
    if (key.empty()) {
      return fail(Code::invalid_input, "empty key; write key.path=value", printable(assignment));
    }
    if (dot == std::string_view::npos) {
      table->set(key, override_value(trimmed(assignment.substr(equals + 1))));
      return {};
    }
    if (table->find(key) == nullptr) table->set(key, Json::object());
    table = table->find(key);
    if (!table->is(Json::Kind::object)) {
      return fail(
          Code::invalid_input,
          fmt::format("`{}` is {}, not a table of keys", printable(key), name_of(table->kind())),
          printable(path));
    }
    rest.remove_prefix(dot + 1);
  }
}

}  // namespace k3
