#include "profiler/visual/palette.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace k3::visual {
namespace {

constexpr Theme kThemes[] = {Theme::light, Theme::dark};

/// OKLab of a colour, written from the definition (not from the code under test).
std::array<double, 3> oklab(Color color) {
  const auto linear = [](std::uint8_t c) {
    const double s = c / 255.0;
    return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
  };
  const double r = linear(color.r);
  const double g = linear(color.g);
  const double b = linear(color.b);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double distance(Color a, Color b) {
  const auto x = oklab(a);
  const auto y = oklab(b);
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

TEST(Palette, KindsHaveTheColoursOfTheVisualGrammar) {
  EXPECT_EQ(hex(color_of(TaskKind::kda)), "#0072b2");
  EXPECT_EQ(hex(color_of(TaskKind::mla)), "#d55e00");
  EXPECT_EQ(hex(color_of(TaskKind::experts)), "#e69f00");
  EXPECT_EQ(hex(color_of(TaskKind::attn_res)), "#cc79a7");
  EXPECT_EQ(hex(color_of(TaskKind::dispatch)), "#009e73");
  EXPECT_EQ(hex(color_of(TaskKind::combine)), "#56b4e9");
  EXPECT_EQ(hex(color_of(TaskKind::shared)), "#b8860b");
  EXPECT_EQ(hex(color_of(TaskKind::dense)), "#b8860b");
  EXPECT_EQ(hex(color_of(TaskKind::router)), "#8a8a8a");
  EXPECT_EQ(hex(color_of(TaskKind::norm)), "#8a8a8a");
  EXPECT_EQ(hex(color_of(TaskKind::embed)), "#5c5c5c");
  EXPECT_EQ(hex(color_of(TaskKind::head)), "#5c5c5c");
  EXPECT_EQ(hex(color_of(Role::fault, Theme::light)), "#b00020");
}

TEST(Palette, TextIsReadableInBothThemes) {
  for (const Theme theme : kThemes) {
    const Color background = color_of(Role::background, theme);
    const Color panel = color_of(Role::panel, theme);
    EXPECT_GE(contrast(color_of(Role::text, theme), background), 7);
    EXPECT_GE(contrast(color_of(Role::muted, theme), background), 4.5);
    EXPECT_GE(contrast(color_of(Role::muted, theme), panel), 4.5);
    EXPECT_GE(contrast(color_of(Role::fault, theme), background), 4.5);
    EXPECT_GE(contrast(color_of(Role::axis, theme), background), 3);
  }
}

TEST(Palette, InkOnEveryKindIsReadable) {
  for (int k = 0; k < kNumTaskKinds; ++k) {
    const Color color = color_of(static_cast<TaskKind>(k));
    EXPECT_GE(contrast(ink_on(color), color), 4.5) << title_of(static_cast<TaskKind>(k));
  }
}

TEST(Sequential, LittleIsNearTheBackgroundAndLightnessIsMonotone) {
  for (const Theme theme : kThemes) {
    const double direction = theme == Theme::light ? -1 : 1;
    double last = oklab(sequential(0, theme))[0];
    EXPECT_NEAR(last, oklab(color_of(Role::background, theme))[0], 0.08);
    for (int i = 1; i <= 32; ++i) {
      const double lightness = oklab(sequential(i / 32.0, theme))[0];
      EXPECT_GT((lightness - last) * direction, 0) << i;
      last = lightness;
    }
  }
}

TEST(Sequential, EqualStepsLookEqual) {
  for (const Theme theme : kThemes) {
    double smallest = 1;
    double largest = 0;
    for (int i = 0; i < 17; ++i) {
      const double step = distance(sequential(i / 17.0, theme), sequential((i + 1) / 17.0, theme));
      smallest = std::min(smallest, step);
      largest = std::max(largest, step);
    }
    EXPECT_LT(largest / smallest, 1.2);
  }
}

TEST(Sequential, ClampsAndMarksWhatIsMissing) {
  EXPECT_EQ(sequential(-3, Theme::dark), sequential(0, Theme::dark));
  EXPECT_EQ(sequential(7, Theme::dark), sequential(1, Theme::dark));
  EXPECT_EQ(sequential(std::numeric_limits<double>::quiet_NaN(), Theme::light),
            color_of(Role::missing, Theme::light));
}

TEST(Diverging, IsNeutralAtExactlyZeroAndBalancedAroundIt) {
  for (const Theme theme : kThemes) {
    const Color zero = diverging(0, theme);
    EXPECT_EQ(zero.r, zero.g);
    EXPECT_EQ(zero.g, zero.b);
    EXPECT_EQ(diverging(-0.0, theme), zero);
    for (const double t : {0.1, 0.5, 1.0}) {
      EXPECT_NEAR(oklab(diverging(t, theme))[0], oklab(diverging(-t, theme))[0], 0.01);
      EXPECT_GT(oklab(diverging(t, theme))[2], 0.005) << "more is orange";
      EXPECT_LT(oklab(diverging(-t, theme))[2], -0.005) << "less is blue";
    }
  }
}

TEST(Paint, NamesItselfAndResolvesByTheme) {
  EXPECT_EQ(text_of(Paint::of(TaskKind::kda)), "kda");
  EXPECT_EQ(text_of(Paint::of(Role::muted)), "muted");
  EXPECT_EQ(text_of(Paint::of(Color{1, 2, 255})), "#0102ff");
  EXPECT_EQ(text_of(Paint::amount(0.5)), "seq:0.50");
  EXPECT_EQ(text_of(Paint::difference(-0.25)), "div:-0.25");
  EXPECT_EQ(text_of(Paint{}), "none");
  EXPECT_EQ(resolve(Paint::of(Role::text), Theme::dark), color_of(Role::text, Theme::dark));
  EXPECT_EQ(resolve(Paint::amount(1), Theme::light), sequential(1, Theme::light));
}

}  // namespace
}  // namespace k3::visual
