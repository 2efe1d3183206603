#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/result.h"

namespace k3 {

/// Place in a text, both counted from 1 (columns in bytes); line 0: not read from a text.
struct TextPosition {
  int line = 0;
  int column = 0;
};

/// A tree of values: what JSON documents, TOML documents (toml.h) and the output of commands are
/// made of. Objects keep the order of their members and look names up one by one: walk large ones
/// instead of asking by name. Values read from a text remember their place; equality ignores places
/// and the order of members.
class Json {
 public:
  enum class Kind : std::uint8_t { null, boolean, integer, real, string, array, object };

  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;

  /// Deepest nesting that parse accepts, so that walking a tree never exhausts the stack.
  static constexpr int kMaxDepth = 128;

  // NOLINTBEGIN(google-explicit-constructor): builders read as the document they make.
  Json() = default;

  Json(std::nullptr_t);

  template <std::same_as<bool> T>
  Json(T value) : value_(value) {}

  /// An unsigned value beyond int64 becomes a double.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Json(T value);

  Json(double value);
  Json(std::string value);
  Json(std::string_view value);
  Json(const char* value);
  Json(Array values);
  // NOLINTEND(google-explicit-constructor)

  static Json array();
  static Json object();

  /// Reads exactly one document.
  /// Errors: `where:LINE:COLUMN`; syntax, duplicate keys, invalid UTF-8, numbers that fit neither
  /// int64 nor double, nesting beyond kMaxDepth
  static Result<Json> parse(std::string_view text, const std::string& where);

  /// One document, `indent` blanks per level; a negative indent gives a single line. Doubles are
  /// the shortest text that reads back to the same bits, always with a point or an exponent; NaN
  /// and infinities become null; bytes that are no UTF-8 become U+FFFD.
  std::string dump(int indent = 2) const;

  Kind kind() const { return static_cast<Kind>(value_.index()); }

  bool is(Kind kind) const { return this->kind() == kind; }

  bool is_number() const { return is(Kind::integer) || is(Kind::real); }

  /// The value, where the kind is known to fit (else K3_CHECK fails): check kind() first or read
  /// input through TextNode.
  bool boolean() const;
  std::int64_t integer() const;
  double number() const;  ///< of an integer or a real
  const std::string& string() const;
  const Array& items() const;
  const Object& members() const;
  Object& members();

  /// Member of an object, null pointer if absent or if this is no object.
  const Json* find(std::string_view key) const;
  Json* find(std::string_view key);

  /// Sets a member (null becomes an object), replacing an earlier one of that name.
  Json& set(std::string key, Json value);
  /// Appends to an array (null becomes an array).
  Json& push(Json value);
  /// Appends a member whose name is known to be new: O(1) where set is O(members).
  Json& add(Member member);

  TextPosition position() const { return position_; }

  void set_position(TextPosition position) { position_ = position; }

  friend bool operator==(const Json& a, const Json& b);

 private:
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> value_;
  TextPosition position_;
};

struct Json::Member {
  std::string key;
  Json value;
  TextPosition position;  ///< of the key
};

// NOTE: here and not in the class, as a variant needs Member to be complete.
inline Json::Json(std::nullptr_t) {}

template <std::integral T>
  requires(!std::same_as<T, bool>)
Json::Json(T value) {
  if (std::in_range<std::int64_t>(value)) {
    value_ = static_cast<std::int64_t>(value);
  } else {
    value_ = static_cast<double>(value);
  }
}

inline Json::Json(double value) : value_(value) {}

inline Json::Json(std::string value) : value_(std::move(value)) {}

inline Json::Json(std::string_view value) : value_(std::string(value)) {}

inline Json::Json(const char* value) : value_(std::string(value)) {}

/// "null", "a boolean", "an integer" …: for messages.
std::string_view name_of(Json::Kind kind);

/// Shortest text that reads back to the same double, always with a point or an exponent: "0.1",
/// "1.0".
std::string shortest_text(double value);

}  // namespace k3
