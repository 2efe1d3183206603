#include "engine/text/node.h"

#include <array>

#include <gtest/gtest.h>

namespace k3 {
namespace {

class Node : public testing::Test {
 protected:
  Json json_ = *Json::parse(
      "{\"text_config\": {\"hidden_size\": 64,\n \"eps\": 1e-5, \"act\": \"situ\", \"no\": null},\n"
      " \"list\": [1, \"two\"]}",
      "c.json");
  TextNode root_{json_, "c.json"};
};

TEST_F(Node, ReadsCheckedValues) {
  const auto text = root_.at("text_config");
  EXPECT_EQ(*text->at("hidden_size")->integer(1), 64);
  EXPECT_EQ(*text->at("hidden_size")->number(), 64.0);
  EXPECT_EQ(*text->at("act")->string(), "situ");
  EXPECT_FALSE(text->find("no").has_value());
  EXPECT_EQ(root_.at("list")->items()->at(1).path(), "list[1]");
}

TEST_F(Node, NamesFilePlaceAndKey) {
  const auto text = root_.at("text_config");
  EXPECT_EQ(text->at("vocab_size").error().text(),
            "c.json:1:17: text_config.vocab_size: missing; the key is required");
  EXPECT_EQ(text->at("eps")->integer().error().text(),
            "c.json:2:9: text_config.eps: is a number with a point; must be an integer");
  EXPECT_EQ(text->at("hidden_size")->integer(65).error().text(),
            "c.json:1:33: text_config.hidden_size: is 64; must be at least 65");
  EXPECT_EQ(root_.at("list")->at("x").error().text(),
            "c.json:3:10: list: is an array; must be a table of keys");
}

TEST_F(Node, NamesTheNearestWord) {
  constexpr std::array<std::string_view, 3> kKnown{"hidden_sizes", "eps", "act"};
  EXPECT_EQ(root_.at("text_config")->only_keys(kKnown).error().text(),
            "c.json:1:18: text_config.hidden_size: unknown key `hidden_size`; did you mean "
            "`hidden_sizes`?");
  constexpr std::array<std::string_view, 2> kWords{"gelu", "silu"};
  EXPECT_EQ(root_.at("text_config")->at("act")->one_of(kWords).error().text(),
            "c.json:2:22: text_config.act: unknown value `situ`; did you mean `silu`?");
}

TEST_F(Node, LeavesOutAPlaceThatIsNotKnown) {
  Json json = Json::object();
  json.set("a", 1);
  const TextNode root(json, "f");
  EXPECT_EQ(root.at("a")->string().error().text(), "a: is an integer; must be a string");
}

}  // namespace
}  // namespace k3
