#include "engine/text/json.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace k3 {
namespace {

std::string error_of(std::string_view text) {
  const auto parsed = Json::parse(text, "a.json");
  return parsed ? "no error" : parsed.error().text();
}

TEST(Json, KeepsKindsAndOrderOfWhatItReads) {
  const auto json = Json::parse(R"({"b": [1, 1.0, "x", true, null], "a": {}})", "a.json");
  ASSERT_TRUE(json) << json.error().text();
  EXPECT_EQ(json->dump(-1), R"({"b":[1,1.0,"x",true,null],"a":{}})");
  EXPECT_EQ(json->find("b")->items()[0].kind(), Json::Kind::integer);
  EXPECT_EQ(json->find("b")->items()[1].kind(), Json::Kind::real);
  EXPECT_EQ(json->find("c"), nullptr);
}

TEST(Json, BuildsCommandOutput) {
  Json json = Json::object();
  json.set("step_ms", 1.5).set("tasks", 3).set("rows", Json::array().push("a").push(true));
  json.set("tasks", std::uint64_t{4});
  EXPECT_EQ(json.dump(),
            "{\n  \"step_ms\": 1.5,\n  \"tasks\": 4,\n  \"rows\": [\n    \"a\",\n    true\n  ]\n}");
}

TEST(Json, WritesDoublesThatReadBackToTheSameBits) {
  for (const double value : {0.1, 1.0 / 3, 1e300, 5e-324, -0.0, 14.255029059621577, 1e22, 3.0}) {
    const std::string text = Json(value).dump();
    const auto back = Json::parse(text, "");
    ASSERT_TRUE(back) << text;
    EXPECT_EQ(back->kind(), Json::Kind::real) << text;
    EXPECT_EQ(std::signbit(back->number()), std::signbit(value));
    EXPECT_EQ(back->number(), value) << text;
  }
}

TEST(Json, WritesWhatIsNoNumberAsNull) {
  EXPECT_EQ(Json(std::numeric_limits<double>::quiet_NaN()).dump(), "null");
  EXPECT_EQ(Json(-std::numeric_limits<double>::infinity()).dump(), "null");
}

TEST(Json, EscapesAndRepairsStrings) {
  EXPECT_EQ(Json("a\"\\\n\x01").dump(), R"("a\"\\\n\u0001")");
  EXPECT_EQ(Json("é€").dump(), "\"é€\"");
  EXPECT_EQ(Json("\xc3(\xff").dump(), "\"\xef\xbf\xbd(\xef\xbf\xbd\"");
}

TEST(Json, RemembersPlaces) {
  const auto json = Json::parse("{\n  \"a\": 12,\n  \"b\": [ true, {\"c\": \"x\"}]\n}", "a.json");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->members()[0].position.line, 2);
  EXPECT_EQ(json->members()[0].position.column, 3);
  EXPECT_EQ(json->find("a")->position().column, 8);
  const Json& b = *json->find("b");
  EXPECT_EQ(b.position().column, 8);
  EXPECT_EQ(b.items()[0].position().column, 10);
  EXPECT_EQ(b.items()[1].position().column, 16);
  EXPECT_EQ(b.items()[1].find("c")->position().column, 22);
}

TEST(Json, NamesThePlaceOfASyntaxError) {
  EXPECT_TRUE(error_of("{\"a\": 1,\n  oops}").starts_with("a.json:2:3: syntax error"))
      << error_of("{\"a\": 1,\n  oops}");
  EXPECT_TRUE(error_of("[1, 2").starts_with("a.json:1:")) << error_of("[1, 2");
  EXPECT_TRUE(error_of("[1] 2").starts_with("a.json:1:5: syntax error")) << error_of("[1] 2");
  EXPECT_EQ(error_of(" \n"), "a.json: empty; a JSON document is expected");
}

TEST(Json, RefusesAKeyThatOccursTwice) {
  EXPECT_EQ(error_of("{\"a\": 1,\n \"a\": 2}"), "a.json:2:2: key `a` occurs twice in one object");
}

TEST(Json, RefusesNumbersThatFitNoType) {
  EXPECT_EQ(error_of("[9223372036854775808]"),
            "a.json:1:2: integer 9223372036854775808 is too large; at most 9223372036854775807");
  EXPECT_EQ(error_of("[-99999999999999999999]"),
            "a.json:1:2: integer -99999999999999999999 is too large; at most 9223372036854775807");
  EXPECT_TRUE(error_of("[1e999]").starts_with("a.json:1:")) << error_of("[1e999]");
}

TEST(Json, RefusesInvalidUtf8) {
  EXPECT_TRUE(error_of("\"\xff\"").starts_with("a.json:1:")) << error_of("\"\xff\"");
}

TEST(Json, RefusesDeepNestingInsteadOfOverflowing) {
  EXPECT_EQ(error_of(std::string(1000000, '[')), "a.json:1:129: nested more than 128 levels deep");
  const std::string deepest = std::string(128, '[') + std::string(128, ']');
  EXPECT_EQ(error_of(deepest), "no error");
}

TEST(Json, IsEqualWhateverTheOrderOfMembers) {
  const auto a = Json::parse(R"({"x": 1, "y": [2]})", "");
  const auto b = Json::parse("{\"y\":\n[2], \"x\": 1}", "");
  EXPECT_EQ(*a, *b);
  EXPECT_FALSE(*a == *Json::parse(R"({"x": 1, "y": [2.0]})", ""));
  EXPECT_FALSE(*a == *Json::parse(R"({"x": 1, "z": [2]})", ""));
}

}  // namespace
}  // namespace k3
