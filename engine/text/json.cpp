#include "engine/text/json.h"

#include <algorithm>

#include "engine/base/check.h"

namespace k3 {

Json::Json(Array values) : value_(std::move(values)) {}

Json Json::array() {
  Json json;
  json.value_ = Array{};
  return json;
}

Json Json::object() {
  Json json;
  json.value_ = Object{};
  return json;
}

bool Json::boolean() const {
  K3_CHECK(is(Kind::boolean), "is {}", name_of(kind()));
  return std::get<bool>(value_);
}

std::int64_t Json::integer() const {
  K3_CHECK(is(Kind::integer), "is {}", name_of(kind()));
  return std::get<std::int64_t>(value_);
}

double Json::number() const {
  K3_CHECK(is_number(), "is {}", name_of(kind()));
  if (is(Kind::integer)) return static_cast<double>(std::get<std::int64_t>(value_));
  return std::get<double>(value_);
}

const std::string& Json::string() const {
  K3_CHECK(is(Kind::string), "is {}", name_of(kind()));
  return std::get<std::string>(value_);
}

const Json::Array& Json::items() const {
  K3_CHECK(is(Kind::array), "is {}", name_of(kind()));
  return std::get<Array>(value_);
}

const Json::Object& Json::members() const {
  K3_CHECK(is(Kind::object), "is {}", name_of(kind()));
  return std::get<Object>(value_);
}

Json::Object& Json::members() {
  K3_CHECK(is(Kind::object), "is {}", name_of(kind()));
  return std::get<Object>(value_);
}

const Json* Json::find(std::string_view key) const {
  const auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  const auto found = std::ranges::find(*object, key, &Member::key);
  return found == object->end() ? nullptr : &found->value;
}

Json* Json::find(std::string_view key) {
  return const_cast<Json*>(std::as_const(*this).find(key));
}

Json& Json::set(std::string key, Json value) {
  if (Json* old = find(key); old != nullptr) {
    *old = std::move(value);
    return *this;
  }
  return add({std::move(key), std::move(value), {}});
}

Json& Json::add(Member member) {
  if (is(Kind::null)) value_ = Object{};
  members().push_back(std::move(member));
  return *this;
}

Json& Json::push(Json value) {
  if (is(Kind::null)) value_ = Array{};
  K3_CHECK(is(Kind::array), "is {}", name_of(kind()));
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

namespace {

bool same_members(const Json::Object& a, const Json& b_object) {
  const Json::Object& b = b_object.members();
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Json* other = a[i].key == b[i].key ? &b[i].value : b_object.find(a[i].key);
    if (other == nullptr || !(a[i].value == *other)) return false;
  }
  return true;
}

}  // namespace

bool operator==(const Json& a, const Json& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is(Json::Kind::object)) return same_members(a.members(), b);
  if (a.is(Json::Kind::array)) return a.items() == b.items();
  if (a.is(Json::Kind::string)) return a.string() == b.string();
  if (a.is(Json::Kind::real)) return a.number() == b.number();
  if (a.is(Json::Kind::integer)) return a.integer() == b.integer();
  if (a.is(Json::Kind::boolean)) return a.boolean() == b.boolean();
  return true;
}

std::string_view name_of(Json::Kind kind) {
  switch (kind) {
    case Json::Kind::null:
      return "null";
    case Json::Kind::boolean:
      return "a boolean";
    case Json::Kind::integer:
      return "an integer";
    case Json::Kind::real:
      return "a number with a point";
    case Json::Kind::string:
      return "a string";
    case Json::Kind::array:
      return "an array";
    case Json::Kind::object:
      return "a table of keys";
  }
  return "?";
}

}  // namespace k3
