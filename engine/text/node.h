#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/json.h"

namespace k3 {

/// A value of a document together with its file and key path: the way to read input. Every error
/// names `FILE:LINE:COLUMN: key.path` and says what would be right. Refers to the tree, which must
/// outlive it.
class TextNode {
 public:
  /// The root of a document.
  TextNode(const Json& value, std::string file) : value_(&value), file_(std::move(file)) {}

  const Json& value() const { return *value_; }

  const std::string& path() const { return path_; }

  const std::string& file() const { return file_; }

  /// `FILE:LINE:COLUMN: key.path`; without the part that is not known.
  std::string where() const;

  /// An error at this value; what is not printable in the message is escaped.
  tl::unexpected<Error> fail(std::string_view message, Code code = Code::invalid_input) const;

  /// A member, nothing if it is absent or null.
  std::optional<TextNode> find(std::string_view key) const;
  /// Errors: missing (`expected` says what would be right), or this is no table
  Result<TextNode> at(std::string_view key,
                      std::string_view expected = "the key is required") const;

  Result<std::vector<TextNode>> items() const;
  Result<std::vector<TextNode>> members() const;
  Result<bool> boolean() const;
  Result<std::int64_t> integer(std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                               std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  Result<double> number() const;  ///< finite; integers count as numbers
  Result<std::string> string() const;
  /// Index of the string among `words`.
  /// Errors: lists the words, with the nearest one
  Result<std::size_t> one_of(std::span<const std::string_view> words) const;

  /// Errors: not a table, or a key that is not in `known` (with the nearest known key)
  Result<void> only_keys(std::span<const std::string_view> known) const;

  /// Where a key of this table is written.
  std::string where_key(const Json::Member& member) const;

 private:
  TextNode child(const Json& value, std::string path) const;
  tl::unexpected<Error> wrong_kind(std::string_view expected) const;

  const Json* value_;
  std::string file_;
  std::string path_;
};

}  // namespace k3
