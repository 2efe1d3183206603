#include "engine/text/node.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "engine/text/printable.h"
#include "engine/text/suggest.h"

namespace k3 {
namespace {

std::string place(const std::string& file, TextPosition position, const std::string& path) {
  if (position.line == 0) return path.empty() ? file : printable(path);
  const std::string at = fmt::format("{}:{}:{}", file, position.line, position.column);
  return path.empty() ? at : at + ": " + printable(path);
}

std::string joined(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

}  // namespace

std::string TextNode::where() const {
  return place(file_, value_->position(), path_);
}

std::string TextNode::where_key(const Json::Member& member) const {
  return place(file_, member.position, joined(path_, member.key));
}

tl::unexpected<Error> TextNode::fail(std::string_view message, Code code) const {
  return k3::fail(code, printable(message), where());
}

tl::unexpected<Error> TextNode::wrong_kind(std::string_view expected) const {
  return fail(fmt::format("is {}; must be {}", name_of(value_->kind()), expected));
}

TextNode TextNode::child(const Json& value, std::string path) const {
  TextNode node(value, file_);
  node.path_ = std::move(path);
  return node;
}

std::optional<TextNode> TextNode::find(std::string_view key) const {
  const Json* value = value_->find(key);
  if (value == nullptr || value->is(Json::Kind::null)) return std::nullopt;
  return child(*value, joined(path_, key));
}

Result<TextNode> TextNode::at(std::string_view key, std::string_view expected) const {
  if (!value_->is(Json::Kind::object)) return wrong_kind("a table of keys");
  if (auto node = find(key)) return *node;
  return k3::fail(Code::invalid_input, fmt::format("missing; {}", expected),
                  place(file_, value_->position(), joined(path_, key)));
}

Result<std::vector<TextNode>> TextNode::items() const {
  if (!value_->is(Json::Kind::array)) return wrong_kind("an array");
  std::vector<TextNode> nodes;
  for (const Json& item : value_->items()) {
    nodes.push_back(child(item, fmt::format("{}[{}]", path_, nodes.size())));
  }
  return nodes;
}

Result<std::vector<TextNode>> TextNode::members() const {
  if (!value_->is(Json::Kind::object)) return wrong_kind("a table of keys");
  std::vector<TextNode> nodes;
  for (const Json::Member& member : value_->members()) {
    nodes.push_back(child(member.value, joined(path_, member.key)));
  }
  return nodes;
}

Result<bool> TextNode::boolean() const {
  if (!value_->is(Json::Kind::boolean)) return wrong_kind("true or false");
  return value_->boolean();
}

Result<std::int64_t> TextNode::integer(std::int64_t least, std::int64_t most) const {
  if (!value_->is(Json::Kind::integer)) return wrong_kind("an integer");
  const std::int64_t value = value_->integer();
  if (value < least) return fail(fmt::format("is {}; must be at least {}", value, least));
  if (value > most) return fail(fmt::format("is {}; must be at most {}", value, most));
  return value;
}

Result<double> TextNode::number() const {
  if (!value_->is_number()) return wrong_kind("a number");
  if (!std::isfinite(value_->number())) return fail("is not finite; must be a finite number");
  return value_->number();
}

Result<std::string> TextNode::string() const {
  if (!value_->is(Json::Kind::string)) return wrong_kind("a string");
  return value_->string();
}

Result<std::size_t> TextNode::one_of(std::span<const std::string_view> words) const {
  K3_TRY(const std::string word, string());
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) {
    return fail(fmt::format("unknown value `{:.80}`; {}", word, suggestion(word, words)));
  }
  return static_cast<std::size_t>(found - words.begin());
}

Result<void> TextNode::only_keys(std::span<const std::string_view> known) const {
  if (!value_->is(Json::Kind::object)) return wrong_kind("a table of keys");
  for (const Json::Member& member : value_->members()) {
    if (std::ranges::find(known, member.key) != known.end()) continue;
    return k3::fail(Code::invalid_input,
                    fmt::format("unknown key `{:.80}`; {}", printable(member.key),
                                suggestion(member.key, known)),
                    where_key(member));
  }
  return {};
}

}  // namespace k3
