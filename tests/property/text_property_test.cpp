// What is written reads back equal, for any document.

#include <cmath>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/text/json.h"
#include "engine/text/toml.h"

namespace k3 {
namespace {

rc::Gen<std::string> any_text() {
  return rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::inRange<char>(1, 127), rc::gen::element('"', '\\', '\n', '\'', '.')));
}

rc::Gen<double> any_real() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::arbitrary<std::int64_t>(), rc::gen::inRange(-300, 300)),
      [](const std::pair<std::int64_t, int>& parts) {
        return std::ldexp(static_cast<double>(parts.first), parts.second);
      });
}

rc::Gen<Json> any_value(int depth);

rc::Gen<Json> any_array(int depth) {
  return rc::gen::map(rc::gen::container<std::vector<Json>>(any_value(depth - 1)),
                      [](std::vector<Json> items) { return Json(std::move(items)); });
}

rc::Gen<Json> any_object(int depth) {
  using Members = std::map<std::string, Json>;
  return rc::gen::map(rc::gen::container<Members>(any_text(), any_value(depth - 1)),
                      [](const Members& members) {
                        Json object = Json::object();
                        for (const auto& [key, value] : members)
                          object.set(key, value);
                        return object;
                      });
}

rc::Gen<Json> any_value(int depth) {
  const auto scalar = rc::gen::oneOf(
      rc::gen::map(rc::gen::arbitrary<bool>(), [](bool value) { return Json(value); }),
      rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t v) { return Json(v); }),
      rc::gen::map(any_real(), [](double value) { return Json(value); }),
      rc::gen::map(any_text(), [](const std::string& value) { return Json(value); }));
  if (depth == 0) return scalar;
  return rc::gen::oneOf(scalar, any_array(depth), any_object(depth));
}

RC_GTEST_PROP(JsonProperty, ReadsBackWhatItWrote, ()) {
  const Json document = *rc::gen::resize(8, any_value(3));
  for (const int indent : {-1, 2}) {
    const auto again = Json::parse(document.dump(indent), "dump");
    RC_ASSERT(again.has_value());
    RC_ASSERT(*again == document);
  }
}

RC_GTEST_PROP(TomlProperty, ReadsBackWhatItWrote, ()) {
  const Json document = *rc::gen::resize(8, any_object(3));
  const auto again = parse_toml(dump_toml(document), "dump");
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == document);
}

}  // namespace
}  // namespace k3
