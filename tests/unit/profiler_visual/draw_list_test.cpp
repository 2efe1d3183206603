#include "profiler/visual/draw_list.h"

#include <gtest/gtest.h>

#include "profiler/visual/text_fit.h"

namespace k3::visual {
namespace {

TEST(TextFit, ElidesBetweenCharactersNotInsideOfThem) {
  EXPECT_EQ(elided("experts", 10, 1000), "experts");
  const std::string shortened = elided("µµµµµµµµµµ", 10, 40);
  EXPECT_EQ(shortened, "µµµµµ…");
  EXPECT_LE(text_width(shortened, 10), 40);
  EXPECT_EQ(elided("experts", 10, 5), "");
}

TEST(TextFit, WrapsBetweenWords) {
  const std::vector<std::string> lines = wrapped("one two  threefourfive six", 10, 50);
  EXPECT_EQ(lines, (std::vector<std::string>{"one two", "threefourfive", "six"}));
  EXPECT_TRUE(wrapped("", 10, 50).empty());
}

TEST(PaintedText, FollowsItsFit) {
  Text text;
  text.text = "routed experts";
  text.size = 10;
  text.max_width = 40;
  EXPECT_EQ(painted_text(text), "routed experts");
  text.fit = Fit::drop;
  EXPECT_EQ(painted_text(text), "");
  text.fit = Fit::elide;
  EXPECT_EQ(painted_text(text), "routed…");
  text.max_width = -3;
  EXPECT_EQ(painted_text(text), "");
  text.max_width = 400;
  EXPECT_EQ(painted_text(text), "routed experts");
}

TEST(Provenance, DecidesTheLook) {
  const Paint kda = Paint::of(TaskKind::kda);
  EXPECT_EQ(marked_box(Provenance::measured, kda).hatch, Hatch::none);
  EXPECT_EQ(marked_box(Provenance::measured, kda).fill, kda);
  EXPECT_EQ(marked_box(Provenance::simulated, kda).hatch, Hatch::light);
  EXPECT_EQ(marked_box(Provenance::simulated, kda).outline, kda);
  EXPECT_FALSE(marked_box(Provenance::datasheet, kda).fill.visible());
  EXPECT_EQ(line_style(Provenance::measured), LineStyle::solid);
  EXPECT_EQ(line_style(Provenance::simulated), LineStyle::hollow);
  EXPECT_EQ(line_style(Provenance::fitted), LineStyle::dotted);
  EXPECT_EQ(line_style(Provenance::datasheet), LineStyle::thin);
}

TEST(DrawList, IsComparedAsText) {
  DrawList list{100, 50, "all items", {}};
  Box box = marked_box(Provenance::simulated, Paint::of(TaskKind::mla));
  box.x = 1.26;
  box.y = -0.01;
  box.width = 10;
  box.height = 5;
  box.tip = "MLA: 3 ms";
  list.items.emplace_back(box);
  list.items.emplace_back(
      Line{{{0, 1}, {2, 3}}, Paint::of(Role::axis), LineStyle::dotted, "a line"});
  list.items.emplace_back(Polygon{{{0, 0}, {1, 0}, {1, 1}}, Paint::amount(0.5), 0.25, ""});
  list.items.emplace_back(
      Marker{{5, 6}, 2.5, Paint::of(TaskKind::kda), Paint::of(Role::background), "point"});
  Text text;
  text.at = {7, 8};
  text.text = "label";
  text.anchor = Anchor::end;
  text.weight = Weight::bold;
  text.turn = Turn::left;
  list.items.emplace_back(text);
  EXPECT_EQ(to_text(list), R"text(100x50 "all items"
box 1.3,0 10x5 fill=mla hatch=light outline=mla tip="MLA: 3 ms"
line dotted 0,1 2,3 stroke=axis tip="a line"
polygon 0,0 1,0 1,1 fill=seq:0.50 opacity=0.25
marker 5,6 r=2.5 fill=kda outline=background tip="point"
text 7,8 end size=12 paint=text bold turned "label"
)text");
}

TEST(DrawList, AppendMovesEveryKindOfItem) {
  DrawList part{10, 10, "", {}};
  part.items.emplace_back(Box{});
  part.items.emplace_back(Line{{{0, 0}, {1, 1}}, {}, LineStyle::solid, ""});
  part.items.emplace_back(Polygon{{{0, 0}, {1, 0}, {1, 1}}, {}, 1, ""});
  part.items.emplace_back(Marker{});
  Text text;
  text.text = "t";
  part.items.emplace_back(text);
  DrawList list{20, 20, "", {}};
  append(list, part, {10, 5});
  EXPECT_EQ(to_text(list), R"text(20x20 ""
box 10,5 0x0
line solid 10,5 11,6
polygon 10,5 11,5 11,6
marker 10,5 r=3
text 10,5 start size=12 paint=text "t"
)text");
}

TEST(EmptyChart, SaysWhy) {
  EXPECT_EQ(to_text(empty_chart(300, 60, "no traffic was recorded.")),
            R"text(300x60 "Nothing to show: no traffic was recorded."
box 0.5,0.5 299x59 fill=panel outline=grid
text 150,34 middle size=13 paint=muted "no traffic was recorded."
)text");
}

}  // namespace
}  // namespace k3::visual
