#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/task_kind.h"

namespace k3::visual {

/// An sRGB colour.
struct Color {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;

  friend constexpr bool operator==(Color, Color) = default;
};

/// "#0072b2"
std::string hex(Color color);

enum class Theme : std::uint8_t { light, dark };

/// What a colour is for, where the theme decides what it looks like.
enum class Role : std::uint8_t {
  text,        ///< what is read
  muted,       ///< tick labels, notes
  axis,        ///< axes and frames
  grid,        ///< grid lines
  background,  ///< behind everything, also the inside of hollow marks
  panel,       ///< surface of an empty chart, a legend, a track
  waiting,     ///< time spent waiting: always hatched
  missing,     ///< no value
  fault,       ///< refused, overloaded, broken: always beside a symbol or a word
  bound,       ///< datasheet values, bounds, diagonals
};
inline constexpr int kNumRoles = 10;

/// "text", "muted", …
std::string_view name_of(Role role);

Color color_of(Role role, Theme theme);

/// The colour of a task kind, the same in both themes (Okabe-Ito based).
Color color_of(TaskKind kind);

/// The words a reader sees for a kind: "MLA (full attention)".
std::string_view title_of(TaskKind kind);

/// Perceptually uniform map for amounts, 0 ≤ t ≤ 1 (clamped; NaN: the colour of Role::missing).
/// Dark is little in the dark theme, light is little in the light theme.
Color sequential(double t, Theme theme);

/// Map for differences, −1 ≤ t ≤ 1 (clamped): blue is less, orange is more, exactly 0 is a grey
/// without hue. Equal distances from 0 are equally light.
Color diverging(double t, Theme theme);

/// Black or white, whichever reads better on `background`.
Color ink_on(Color background);

/// WCAG contrast of two colours, 1 … 21.
double contrast(Color a, Color b);

/// A colour as charts name it: resolved by whoever paints, so that one list serves both themes.
struct Paint {
  enum class Source : std::uint8_t { none, role, kind, sequential, diverging, fixed };

  Source source = Source::none;
  Role role = Role::text;
  TaskKind kind = TaskKind::embed;
  Color fixed;
  float level = 0;  ///< argument of the map

  static Paint of(Role role);
  static Paint of(TaskKind kind);
  static Paint of(Color color);
  static Paint amount(double t);
  static Paint difference(double t);

  bool visible() const { return source != Source::none; }

  friend bool operator==(const Paint&, const Paint&) = default;
};

Color resolve(const Paint& paint, Theme theme);

/// "kda", "text", "seq:0.50", "div:-0.25", "#0072b2", "none"
std::string text_of(const Paint& paint);

}  // namespace k3::visual
