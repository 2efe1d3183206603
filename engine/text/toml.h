#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/text/json.h"

namespace k3 {

/// Reads a TOML document as a tree of values. TOML has JSON's data model but for dates, which are
/// refused (write them as strings). Keys keep the order and the places of the text. Errors:
/// `where:LINE:COLUMN`; syntax, duplicate keys, dates
Result<Json> parse_toml(std::string_view text, const std::string& where);

/// The same from a file.
Result<Json> load_toml(const std::filesystem::path& path);

/// Applies `key.path=value` to a document: makes the tables that lack, replaces an earlier value.
/// The value is TOML where it reads as TOML, else a bare string. Errors: no `=`, an empty key, or a
/// key that leads through something that is no table
Result<void> apply_override(Json& document, std::string_view assignment);

/// TOML text that parse_toml reads back to the same tree. Values of a table come first, then its
/// tables; tables inside arrays are written inline; null members are left out. Shape: `document` is
/// an object, without null inside arrays
std::string dump_toml(const Json& document);

}  // namespace k3
