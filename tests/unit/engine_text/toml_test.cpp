#include "engine/text/toml.h"

#include <gtest/gtest.h>

namespace k3 {
namespace {

TEST(Toml, ReadsATreeWithPlaces) {
  const auto doc =
      parse_toml("title = \"x\"\n[b]\nn = 3\n[a]\nr = 1.5\nlist = [1, {k = true}]\n", "s");
  ASSERT_TRUE(doc) << doc.error().text();
  EXPECT_EQ(doc->dump(-1), R"({"title":"x","b":{"n":3},"a":{"r":1.5,"list":[1,{"k":true}]}})");
  EXPECT_EQ(doc->find("b")->members()[0].position.line, 3);
  EXPECT_EQ(doc->find("b")->members()[0].position.column, 1);
  EXPECT_EQ(doc->find("b")->find("n")->position().column, 5);
}

TEST(Toml, NamesThePlaceOfAnError) {
  const auto syntax = parse_toml("a = 1\nb = = 2\n", "s.toml");
  ASSERT_FALSE(syntax);
  EXPECT_EQ(syntax.error().where, "s.toml:2:5");
  const auto twice = parse_toml("a = 1\na = 2\n", "s.toml");
  ASSERT_FALSE(twice);
  EXPECT_TRUE(twice.error().where.starts_with("s.toml:2:")) << twice.error().text();
  const auto date = parse_toml("a = 1\nd = 2026-11-30\n", "s.toml");
  ASSERT_FALSE(date);
  EXPECT_EQ(date.error().text(), "s.toml:2:5: dates and times are not used here; write a string");
}

TEST(Toml, WritesWhatItReadsBack) {
  const auto doc = parse_toml(
      "[t.inner]\nq = \"a\\\"b\\\\\\n\\u007f\\u0001é\"\n[t]\n\"odd key\" = inf\nn = -7\n"
      "mixed = [1.0, [2], {a = 1, b = \"c\"}, []]\n[empty]\n",
      "s");
  ASSERT_TRUE(doc) << doc.error().text();
  const std::string text = dump_toml(*doc);
  const auto back = parse_toml(text, "back");
  ASSERT_TRUE(back) << back.error().text() << "\n" << text;
  EXPECT_EQ(*back, *doc) << text;
  EXPECT_EQ(dump_toml(*back), text);
}

TEST(Toml, OverridesByKeyPath) {
  Json doc = *parse_toml("[parallel]\nranks = 4\n", "s");
  ASSERT_TRUE(apply_override(doc, "parallel.ranks=8"));
  ASSERT_TRUE(apply_override(doc, "workload.context = \"128 Ki\""));
  ASSERT_TRUE(apply_override(doc, "workload.phase=decode"));
  ASSERT_TRUE(apply_override(doc, "title=two words = \"x\"\ny = 1"));
  ASSERT_TRUE(apply_override(doc, "list=[1, 2]"));
  EXPECT_EQ(
      doc.dump(-1),
      "{\"parallel\":{\"ranks\":8},\"workload\":{\"context\":\"128 Ki\",\"phase\":\"decode\"},"
      "\"title\":\"two words = \\\"x\\\"\\ny = 1\",\"list\":[1,2]}");
  EXPECT_EQ(doc.find("parallel")->find("ranks")->position().line, 0);
}

TEST(Toml, RefusesOverridesThatLeadNowhere) {
  Json doc = *parse_toml("ranks = 4\n", "s");
  EXPECT_EQ(apply_override(doc, "ranks").error().text(), "ranks: no value; write key.path=value");
  EXPECT_EQ(apply_override(doc, "a..b=1").error().text(),
            "a..b=1: empty key; write key.path=value");
  EXPECT_EQ(apply_override(doc, "ranks.x=1").error().text(),
            "ranks.x: `ranks` is an integer, not a table of keys");
}

}  // namespace
}  // namespace k3
