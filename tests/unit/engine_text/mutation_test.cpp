#include <gtest/gtest.h>

#include "engine/text/json.h"
#include "engine/text/toml.h"
#include "tests/support/mutate.h"

namespace k3 {
namespace {

TEST(JsonMutations, NeverCrashAndSurviveARoundTrip) {
  const std::string valid = R"({"a": [1, -2.5e3, "x\u00e9\n", true, null], "b": {"c": {"d": []}}})";
  Rng rng(1);
  int accepted = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto json = Json::parse(test::mutated(valid, rng), "m");
    if (!json) {
      EXPECT_FALSE(json.error().text().empty());
      continue;
    }
    ++accepted;
    const auto back = Json::parse(json->dump(), "m");
    ASSERT_TRUE(back) << json->dump();
    EXPECT_EQ(*back, *json);
  }
  EXPECT_GT(accepted, 100);
}

TEST(TomlMutations, NeverCrashAndSurviveARoundTrip) {
  const std::string valid =
      "title = \"x\"\nn = [1, 2.5, {a = true}]\n[t.u]\n'k' = '''raw'''\n[[arr]]\nb = 0x1f\n";
  Rng rng(2);
  int accepted = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto doc = parse_toml(test::mutated(valid, rng), "m");
    if (!doc) continue;
    ++accepted;
    const auto back = parse_toml(dump_toml(*doc), "m");
    ASSERT_TRUE(back) << back.error().text() << "\n" << dump_toml(*doc);
    EXPECT_EQ(*back, *doc) << dump_toml(*doc);
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace k3
