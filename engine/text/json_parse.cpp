#include <iterator>
#include <limits>
#include <optional>
#include <unordered_set>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "engine/text/json.h"
#include "engine/text/printable.h"

namespace k3 {
namespace {

/// Walks the text and tells how far the parser has read.
class Cursor {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor() = default;

  Cursor(const char* at, const char** seen) : at_(at), seen_(seen) {}

  reference operator*() const { return *at_; }

  Cursor& operator++() {
    *seen_ = ++at_;
    return *this;
  }

  Cursor operator++(int) {
    Cursor before = *this;
    ++*this;
    return before;
  }

  friend bool operator==(const Cursor& a, const Cursor& b) { return a.at_ == b.at_; }

 private:
  const char* at_ = nullptr;
  const char** seen_ = nullptr;
};

/// Lines and columns of ascending places of a text.
class LineCounter {
 public:
  explicit LineCounter(const char* begin) : at_(begin), line_begin_(begin) {}

  TextPosition position(const char* place) {
    for (; at_ < place; ++at_) {
      if (*at_ != '\n') continue;
      if (line_ < std::numeric_limits<int>::max()) ++line_;
      line_begin_ = at_ + 1;
    }
    const auto column = place - line_begin_ + 1;
    return {line_,
            static_cast<int>(std::min<std::ptrdiff_t>(column, std::numeric_limits<int>::max()))};
  }

 private:
  const char* at_;
  const char* line_begin_;
  int line_ = 1;
};

/// Builds the tree from the parser's events; a `false` stops the parser with `error_` set.
class Builder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  Builder(std::string_view text, const std::string& where)
      : seen_(text.data()),
        token_end_(text.data()),
        text_end_(text.data() + text.size()),
        lines_(text.data()),
        where_(where) {}

  const char** seen() { return &seen_; }

  Result<Json> result() {
    if (error_) return tl::unexpected(std::move(*error_));
    return std::move(root_);
  }

  bool null() { return value(Json()); }

  bool boolean(bool v) { return value(Json(v)); }

  bool number_integer(number_integer_t v) { return value(Json(v)); }

  bool number_unsigned(number_unsigned_t v) {
    if (!std::in_range<std::int64_t>(v)) return huge_integer(std::to_string(v));
    return value(Json(v));
  }

  bool number_float(number_float_t v, const string_t& text) {
    if (text.find_first_of(".eE") == string_t::npos) return huge_integer(text);
    return value(Json(v));
  }

  bool string(string_t& v) { return value(Json(std::move(v))); }

  bool binary(binary_t& /*v*/) { return stop("binary value"); }  // not part of JSON text

  bool start_object(std::size_t /*size*/) { return open(Json::object()); }

  bool start_array(std::size_t /*size*/) { return open(Json::array()); }

  bool key(string_t& name) {
    Frame& frame = stack_.back();
    key_position_ = token_position();
    if (!frame.keys.insert(name).second) {
      return stop(fmt::format("key `{:.200}` occurs twice in one object", printable(name)),
                  key_position_);
    }
    key_ = std::move(name);
    return true;
  }

  bool end_object() { return close(); }

  bool end_array() { return close(); }

  bool parse_error(std::size_t offset,
                   const std::string& /*last_token*/,
                   const nlohmann::detail::exception& problem) {
    // The library's text: "[json.exception.…] parse error at line 1, column 2: what is wrong".
    std::string what = problem.what();
    const auto colon = what.find(": ");
    if (colon != std::string::npos) {
      what.erase(0, colon + 2);
    } else if (const auto bracket = what.find("] "); bracket != std::string::npos) {
      what.erase(0, bracket + 2);
    }
    // NOTE: `offset` counts what was read, the offending character included; out-of-range numbers
    // report the same way.
    const char* place = std::min(seen_, text_end_);
    if (offset > 0 && place > token_end_) --place;
    return stop(printable(what), lines_.position(std::max(place, token_end_)));
  }

 private:
  struct Frame {
    Json json;
    std::string key;  ///< under which the parent takes it
    TextPosition key_position;
    std::unordered_set<std::string> keys;
  };

  /// Begin of the token that was just read; remembers its end.
  TextPosition token_position() {
    const char* begin = token_end_;
    while (begin < seen_ &&
           std::string_view(" \t\r\n,:]}\xef\xbb\xbf").find(*begin) != std::string_view::npos) {
      ++begin;
    }
    token_end_ = seen_;
    return lines_.position(begin);
  }

  bool value(Json json) {
    json.set_position(token_position());
    return attach(std::move(json), std::move(key_), key_position_);
  }

  bool attach(Json json, std::string key, TextPosition key_position) {
    if (stack_.empty()) {
      root_ = std::move(json);
    } else if (Json& parent = stack_.back().json; parent.is(Json::Kind::array)) {
      parent.push(std::move(json));
    } else {
      parent.add({std::move(key), std::move(json), key_position});
    }
    return true;
  }

  bool open(Json json) {
    json.set_position(token_position());
    if (stack_.size() >= static_cast<std::size_t>(Json::kMaxDepth)) {
      return stop(fmt::format("nested more than {} levels deep", Json::kMaxDepth), json.position());
    }
    stack_.push_back({std::move(json), std::move(key_), key_position_, {}});
    return true;
  }

  bool close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    token_end_ = seen_;
    return attach(std::move(frame.json), std::move(frame.key), frame.key_position);
  }

  bool huge_integer(const std::string& text) {
    return stop(fmt::format("integer {:.60} is too large; at most 9223372036854775807", text),
                token_position());
  }

  bool stop(std::string message, TextPosition at = {1, 1}) {
    error_ = Error{Code::invalid_input, std::move(message),
                   fmt::format("{}:{}:{}", where_, at.line, at.column)};
    return false;
  }

  const char* seen_;
  const char* token_end_;
  const char* text_end_;
  LineCounter lines_;
  const std::string& where_;
  std::vector<Frame> stack_;
  std::string key_;
  TextPosition key_position_;
  Json root_;
  std::optional<Error> error_;
};

}  // namespace

Result<Json> Json::parse(std::string_view text, const std::string& where) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail(Code::invalid_input, "empty; a JSON document is expected", where);
  }
  Builder builder(text, where);
  const Cursor begin(text.data(), builder.seen());
  const Cursor end(text.data() + text.size(), builder.seen());
  nlohmann::json::sax_parse(begin, end, &builder);
  return builder.result();
}

}  // namespace k3
