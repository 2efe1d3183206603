#include "engine/text/xml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace k3 {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

XmlDocument parsed(const std::string& text) {
  auto document = XmlDocument::parse(text, "a.xml");
  EXPECT_TRUE(document) << document.error().text();
  return *std::move(document);
}

std::string error_of(const std::string& text) {
  const auto document = XmlDocument::parse(text, "a.xml");
  EXPECT_FALSE(document);
  return document ? "" : document.error().text();
}

std::string nested(int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i)
    text += "<a>";
  for (int i = 0; i < depth; ++i)
    text += "</a>";
  return text;
}

TEST(Xml, KeepsOrderAttributesTextAndPlaces) {
  const XmlDocument document = parsed(
      "<?xml version=\"1.0\"?>\n<!DOCTYPE a SYSTEM \"x.dtd\">\n<a one='1' two=\"&lt;\">\n"
      "  t <!-- no --> <b>  x\n</b> u\n  <c/>\n</a>\n");
  const XmlElement& a = document.root();
  EXPECT_EQ(a.name, "a");
  ASSERT_EQ(a.attributes.size(), 2U);
  EXPECT_EQ(*a.attribute("two"), "<");
  EXPECT_EQ(a.attribute("three"), nullptr);
  EXPECT_EQ(a.child_text("b"), "x");
  EXPECT_THAT(a.text, StartsWith("t"));
  ASSERT_EQ(a.children.size(), 2U);
  EXPECT_EQ(document.where(a), "a.xml:3:2");
  EXPECT_EQ(document.where(a.children[1]), "a.xml:6:4");
}

TEST(Xml, PlacesCountFromTheBeginOfAFileWithAByteOrderMark) {
  EXPECT_EQ(parsed("\xef\xbb\xbf<a/>").where(parsed("\xef\xbb\xbf<a/>").root()), "a.xml:1:5");
}

TEST(Xml, PassesOverTextAroundTheRoot) {
  EXPECT_EQ(parsed("```json\n<a/>\n```\n").root().name, "a");
}

TEST(Xml, SyntaxErrorsNameLineAndColumn) {
  EXPECT_THAT(error_of("<a>\n  <b>\n</a>"), StartsWith("a.xml:3:"));
  EXPECT_THAT(error_of("<a>\n  <b>"), HasSubstr("complete"));
  EXPECT_THAT(error_of("<a b=1/>"), HasSubstr("name=\"value\""));
  EXPECT_THAT(error_of(""), HasSubstr("no element"));
  EXPECT_THAT(error_of("words"), HasSubstr("no element"));
  EXPECT_THAT(error_of("<a/>\n<b/>"), StartsWith("a.xml:2:2: a second root"));
  EXPECT_THAT(error_of("<a x='1' x='2'/>"), HasSubstr("`x` is given twice"));
  EXPECT_THAT(error_of(std::string("<a>\0</a>", 8)), StartsWith("a.xml:1:4: a zero byte"));
}

TEST(Xml, DepthAndAttributesAreLimited) {
  EXPECT_TRUE(XmlDocument::parse(nested(XmlDocument::kMaxDepth), "a.xml"));
  EXPECT_THAT(error_of(nested(XmlDocument::kMaxDepth + 1)), HasSubstr("inside each other"));
  EXPECT_THAT(error_of(nested(100'000)), HasSubstr("inside each other"));
  std::string many = "<a";
  for (std::size_t i = 0; i <= XmlDocument::kMaxAttributes; ++i)
    many += " x" + std::to_string(i) + "=''";
  EXPECT_THAT(error_of(many + "/>"), HasSubstr("attributes"));
}

TEST(Xml, EntitiesOfTheDocumentTypeAreNotExpanded) {
  const XmlDocument document = parsed(
      "<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c SYSTEM \"file:///etc/passwd\">]><a>&b;&c;</a>");
  EXPECT_EQ(document.root().text, "&b;&c;");
}

TEST(Xml, IntegersAreDecimalOrHexadecimalAndChecked) {
  const XmlDocument document = parsed("<a n='18' h='0x100000000000001' e='' w='-1' x='12a'/>");
  const XmlElement& a = document.root();
  EXPECT_EQ(**document.integer(a, "n"), 18);
  EXPECT_EQ(**document.integer(a, "h", 0, std::numeric_limits<std::int64_t>::max()),
            0x100000000000001);
  EXPECT_FALSE(document.integer(a, "e")->has_value());
  EXPECT_FALSE(document.integer(a, "none")->has_value());
  EXPECT_THAT(document.integer(a, "w").error().text(), HasSubstr("out of range"));
  EXPECT_EQ(document.integer(a, "x").error().text(),
            "a.xml:1:2: x=\"12a\" in <a> is no whole number; write one like \"18\"");
}

TEST(Xml, RealsAreFiniteAndNotNegative) {
  const XmlDocument document = parsed("<a n='45.5' e='' w='-1' x='1e999' y='2 GB'/>");
  const XmlElement& a = document.root();
  EXPECT_EQ(**document.real(a, "n"), 45.5);
  EXPECT_FALSE(document.real(a, "e")->has_value());
  for (const char* wrong : {"w", "x", "y"})
    EXPECT_THAT(document.real(a, wrong).error().text(), HasSubstr("is no number"));
}

}  // namespace
}  // namespace k3
