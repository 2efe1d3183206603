#include "engine/text/printable.h"

#include <gtest/gtest.h>

#include "engine/text/json.h"
#include "engine/text/node.h"

namespace k3 {
namespace {

TEST(Printable, EscapesWhatWouldBreakALine) {
  EXPECT_EQ(printable("a\nb\x1b[1m\xff é€"), "a\\nb\\x1b[1m\\xff é€");
  EXPECT_LT(printable(std::string(100000, 'x')).size(), 3000u);
}

TEST(Printable, KeepsErrorsOnOneLine) {
  const Json json = *Json::parse(R"({"a\nb": {"c": 1}})", "f");
  const TextNode root(json, "f");
  EXPECT_EQ(root.at("a\nb")->at("d").error().text(),
            "f:1:10: a\\nb.d: missing; the key is required");
  EXPECT_EQ(root.only_keys({}).error().text(), "f:1:2: a\\nb: unknown key `a\\nb`; there are none");
}

}  // namespace
}  // namespace k3
