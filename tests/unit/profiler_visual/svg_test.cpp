#include "profiler/visual/svg.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/visual/chart_heat.h"
#include "tests/unit/profiler_visual/markup_check.h"

namespace k3::visual {
namespace {

using test::markup_error;
using testing::HasSubstr;
using testing::Not;

DrawList one_of_each() {
  DrawList list{100, 50, "a \"quoted\" <picture>", {}};
  Box box = marked_box(Provenance::simulated, Paint::of(TaskKind::mla));
  box.width = 10;
  box.height = 5;
  box.tip = "MLA & more: 3 ms";
  list.items.emplace_back(box);
  Box waiting;
  waiting.fill = Paint::of(Role::waiting);
  waiting.hatch = Hatch::dense;
  list.items.emplace_back(waiting);
  Box cell;
  cell.fill = Paint::amount(1);
  cell.width = 2;
  cell.height = 3;
  cell.tip = "0 → 1: 2 MB";
  list.items.emplace_back(cell);
  list.items.emplace_back(Line{{{0, 1}, {2, 3}}, Paint::of(Role::axis), LineStyle::hollow, "line"});
  list.items.emplace_back(Line{{{0, 1}, {2, 3}}, Paint::of(Role::axis), LineStyle::dotted, ""});
  list.items.emplace_back(Polygon{{{0, 0}, {1, 0}, {1, 1}}, Paint::difference(0), 0.25, "band"});
  list.items.emplace_back(Marker{{5, 6}, 2, Paint::of(TaskKind::kda), {}, "point"});
  Text text;
  text.text = "<script>alert('x')</script>";
  text.turn = Turn::left;
  text.halo = Paint::of(Role::background);
  list.items.emplace_back(text);
  return list;
}

TEST(Svg, IsWellFormed) {
  for (const SvgColors colors : {SvgColors::variables, SvgColors::light, SvgColors::dark}) {
    EXPECT_EQ(markup_error(to_svg(one_of_each(), {colors, "x"})), "");
  }
}

TEST(Svg, IsNamedForReadersWhoCannotSeeIt) {
  const std::string svg = to_svg(one_of_each());
  EXPECT_THAT(svg, HasSubstr("role=\"img\" aria-label=\"a &quot;quoted&quot; &lt;picture&gt;\""));
  EXPECT_THAT(svg, HasSubstr("<title>MLA &amp; more: 3 ms</title></rect>"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST(Svg, InsideAPageNamesColoursAndNoAddress) {
  const std::string svg = to_svg(one_of_each());
  EXPECT_THAT(svg, HasSubstr("var(--k3-kind-mla)"));
  EXPECT_THAT(svg, HasSubstr("var(--k3-s63)"));
  EXPECT_THAT(svg, HasSubstr("var(--k3-d0)"));
  EXPECT_THAT(svg, Not(HasSubstr("http")));
}

TEST(Svg, AloneHasFixedColoursOfItsTheme) {
  const std::string svg = to_svg(one_of_each(), {SvgColors::dark, "x"});
  EXPECT_THAT(svg, HasSubstr("xmlns="));
  EXPECT_THAT(svg, HasSubstr("fill=\"" + hex(color_of(Role::background, Theme::dark)) + "\""));
  EXPECT_THAT(svg, Not(HasSubstr("var(")));
}

TEST(Svg, HatchesByPatternsOfItsOwn) {
  const std::string svg = to_svg(one_of_each(), {SvgColors::variables, "fig1"});
  EXPECT_THAT(svg, HasSubstr("<pattern id=\"fig1-h0\""));
  EXPECT_THAT(svg, HasSubstr("fill=\"url(#fig1-h0)\""));
  EXPECT_THAT(svg, HasSubstr("fill=\"url(#fig1-h1)\""));
}

TEST(Svg, DefinesEveryVariableItUses) {
  DrawList list = one_of_each();
  for (int i = -100; i <= 100; ++i) {
    Box box;
    box.fill = Paint::difference(i / 100.0);
    list.items.emplace_back(box);
    box.fill = Paint::amount(i / 100.0);
    list.items.emplace_back(box);
  }
  const std::string svg = to_svg(list);
  const std::string style = svg_style();
  for (std::size_t at = svg.find("var("); at != std::string::npos; at = svg.find("var(", at + 1)) {
    const std::string name = svg.substr(at + 4, svg.find(')', at) - at - 4);
    ASSERT_THAT(style, HasSubstr(name + ":#")) << name;
  }
}

TEST(Svg, StyleFollowsTheReaderAndPrintsLight) {
  EXPECT_THAT(svg_style(), HasSubstr("@media screen and (prefers-color-scheme:dark)"));
}

TEST(Svg, EscapesAndRepairsText) {
  EXPECT_EQ(escaped("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(escaped("µs → 12\u202f300"), "µs → 12\u202f300");
  EXPECT_EQ(escaped(std::string("\0\x01\x7f", 3)), "\ufffd\ufffd\ufffd");
  EXPECT_EQ(escaped("\xff\xc3"), "\ufffd\ufffd");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\ufffd\ufffd\ufffd") << "a lone surrogate";
  EXPECT_EQ(escaped("\xc0\xaf"), "\ufffd\ufffd") << "an overlong slash";
}

TEST(Svg, CellsOfAMatrixAreShort) {
  HeatMap map;
  map.rows = 72;
  map.columns = 72;
  map.values.assign(72 * 72, 1e6);
  map.high = 2e6;
  const std::string svg = to_svg(draw(map));
  EXPECT_LT(svg.size(), 72 * 72 * 125U);
  EXPECT_EQ(markup_error(svg), "");
}

TEST(MarkupCheck, FindsWhatIsBroken) {
  EXPECT_EQ(markup_error("<a b=\"c\"><d/>text &amp; more</a>"), "");
  EXPECT_NE(markup_error("<a><b></a></b>"), "");
  EXPECT_NE(markup_error("<a>"), "");
  EXPECT_NE(markup_error("<a b=c/>"), "");
  EXPECT_NE(markup_error("<a>&nbsp;</a>"), "");
  EXPECT_NE(markup_error("<a b=\"<\"/>"), "");
  EXPECT_NE(markup_error("<a><b id=\"x\"/><b id=\"x\"/></a>"), "");
}

}  // namespace
}  // namespace k3::visual
