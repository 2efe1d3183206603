#include "profiler/visual/palette.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <fmt/core.h>

namespace k3::visual {
namespace {

constexpr Color rgb(unsigned hex_value) {
  return {static_cast<std::uint8_t>(hex_value >> 16 & 0xffU),
          static_cast<std::uint8_t>(hex_value >> 8 & 0xffU),
          static_cast<std::uint8_t>(hex_value & 0xffU)};
}

struct RoleColors {
  std::string_view name;
  Color light;
  Color dark;
};

constexpr std::array<RoleColors, kNumRoles> kRoles{{
    {"text", rgb(0x1b1f24), rgb(0xe8eaed)},
    {"muted", rgb(0x57606a), rgb(0xa8b0b9)},
    {"axis", rgb(0x6e7781), rgb(0x8b949e)},
    {"grid", rgb(0xe4e7eb), rgb(0x30353c)},
    {"background", rgb(0xffffff), rgb(0x16191d)},
    {"panel", rgb(0xf5f6f8), rgb(0x1f2329)},
    {"waiting", rgb(0x7d858e), rgb(0x8f979f)},
    {"missing", rgb(0xd5d9de), rgb(0x3b4149)},
    {"fault", rgb(0xb00020), rgb(0xff6b7d)},
    {"bound", rgb(0x40464d), rgb(0xc3c9d0)},
}};

struct KindColor {
  Color color;
  std::string_view title;
};

/// In the order of TaskKind. The latent projections take the yellow of Okabe and Ito: they are too
/// large a part of a decode step to share the grey of the small tasks.
constexpr std::array<KindColor, kNumTaskKinds> kKinds{{
    {rgb(0x5c5c5c), "embedding"},
    {rgb(0xcc79a7), "attention residuals"},
    {rgb(0x8a8a8a), "norms"},
    {rgb(0x0072b2), "KDA"},
    {rgb(0xd55e00), "MLA (full attention)"},
    {rgb(0xb8860b), "dense feed-forward"},
    {rgb(0x8a8a8a), "router"},
    {rgb(0xf0e442), "latent projections"},
    {rgb(0x009e73), "dispatch"},
    {rgb(0xe69f00), "routed experts"},
    {rgb(0x56b4e9), "combine"},
    {rgb(0xb8860b), "shared experts"},
    {rgb(0x5c5c5c), "head"},
    {rgb(0x5c5c5c), "sampling"},
}};

/// Cylindrical OKLab: equal steps look equal.
/// Source: B. Ottosson, "A perceptual color space for image processing", 2020.
struct Oklch {
  double lightness = 0;
  double chroma = 0;
  double hue_degrees = 0;
};

struct Oklab {
  double l = 0;
  double a = 0;
  double b = 0;
};

Oklab lab_of(Oklch c) {
  const double h = c.hue_degrees * std::numbers::pi / 180;
  return {c.lightness, c.chroma * std::cos(h), c.chroma * std::sin(h)};
}

std::uint8_t encode(double linear) {
  const double v = std::clamp(linear, 0.0, 1.0);
  const double s = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(s * 255));
}

double decode(std::uint8_t encoded) {
  const double s = encoded / 255.0;
  return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
}

Color srgb_of(Oklab c) {
  const double l3 = c.l + 0.3963377774 * c.a + 0.2158037573 * c.b;
  const double m3 = c.l - 0.1055613458 * c.a - 0.0638541728 * c.b;
  const double s3 = c.l - 0.0894841775 * c.a - 1.2914855480 * c.b;
  const double l = l3 * l3 * l3;
  const double m = m3 * m3 * m3;
  const double s = s3 * s3 * s3;
  return {encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

/// Lightness runs evenly from `begin` to `end`; hue runs with it, chroma swells in the middle and
/// stays inside sRGB. Monotone lightness keeps the order when printed in grey.
struct Ramp {
  Oklch begin;
  Oklch end;
  double swell = 0;
};

constexpr Ramp kSequentialLight{{0.975, 0.012, 95}, {0.30, 0.10, 270}, 0.025};
constexpr Ramp kSequentialDark{{0.22, 0.045, 280}, {0.95, 0.08, 100}, 0.03};

/// A ramp as a table in which neighbours are equally far apart, whatever chroma and hue do.
class UniformRamp {
 public:
  explicit UniformRamp(const Ramp& ramp) {
    std::array<double, kFine + 1> distance{};
    for (std::size_t i = 1; i <= kFine; ++i) {
      const Oklab a = at(ramp, static_cast<double>(i - 1) / kFine);
      const Oklab b = at(ramp, static_cast<double>(i) / kFine);
      distance[i] = distance[i - 1] + std::hypot(a.l - b.l, a.a - b.a, a.b - b.b);
    }
    std::size_t fine = 0;
    for (std::size_t i = 0; i < kSteps; ++i) {
      const double target = distance[kFine] * static_cast<double>(i) / (kSteps - 1);
      while (fine < kFine && distance[fine] < target)
        ++fine;
      colors_[i] = srgb_of(at(ramp, static_cast<double>(fine) / kFine));
    }
  }

  Color operator()(double t) const {
    return colors_[static_cast<std::size_t>(std::lround(std::clamp(t, 0.0, 1.0) * (kSteps - 1)))];
  }

 private:
  static constexpr std::size_t kSteps = 256;
  static constexpr std::size_t kFine = 4096;

  static Oklab at(const Ramp& ramp, double t) {
    const auto mix = [t](double a, double b) { return a + (b - a) * t; };
    return lab_of(
        {mix(ramp.begin.lightness, ramp.end.lightness),
         mix(ramp.begin.chroma, ramp.end.chroma) + ramp.swell * std::sin(std::numbers::pi * t),
         mix(ramp.begin.hue_degrees, ramp.end.hue_degrees)});
  }

  std::array<Color, kSteps> colors_{};
};

double luminance(Color c) {
  return 0.2126 * decode(c.r) + 0.7152 * decode(c.g) + 0.0722 * decode(c.b);
}

}  // namespace

std::string hex(Color color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b);
}

std::string_view name_of(Role role) {
  return kRoles[static_cast<std::size_t>(role)].name;
}

Color color_of(Role role, Theme theme) {
  const RoleColors& colors = kRoles[static_cast<std::size_t>(role)];
  return theme == Theme::light ? colors.light : colors.dark;
}

Color color_of(TaskKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].color;
}

std::string_view title_of(TaskKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].title;
}

Color sequential(double t, Theme theme) {
  static const UniformRamp light(kSequentialLight);
  static const UniformRamp dark(kSequentialDark);
  if (std::isnan(t)) return color_of(Role::missing, theme);
  return theme == Theme::light ? light(t) : dark(t);
}

Color diverging(double t, Theme theme) {
  if (std::isnan(t)) return color_of(Role::missing, theme);
  const double size = std::min(std::abs(t), 1.0);
  const double middle = theme == Theme::light ? 0.96 : 0.26;
  const double end = theme == Theme::light ? 0.45 : 0.80;
  const double chroma = theme == Theme::light ? 0.115 : 0.095;
  const double hue = t < 0 ? 250 : 55;
  return srgb_of(lab_of({middle + (end - middle) * size, chroma * size, hue}));
}

Color ink_on(Color background) {
  constexpr Color kBlack{0, 0, 0};
  constexpr Color kWhite{255, 255, 255};
  return contrast(kBlack, background) >= contrast(kWhite, background) ? kBlack : kWhite;
}

double contrast(Color a, Color b) {
  const double la = luminance(a) + 0.05;
  const double lb = luminance(b) + 0.05;
  return std::max(la, lb) / std::min(la, lb);
}

Paint Paint::of(Role role) {
  Paint paint;
  paint.source = Source::role;
  paint.role = role;
  return paint;
}

Paint Paint::of(TaskKind kind) {
  Paint paint;
  paint.source = Source::kind;
  paint.kind = kind;
  return paint;
}

Paint Paint::of(Color color) {
  Paint paint;
  paint.source = Source::fixed;
  paint.fixed = color;
  return paint;
}

Paint Paint::amount(double t) {
  Paint paint;
  paint.source = Source::sequential;
  paint.level = static_cast<float>(t);
  return paint;
}

Paint Paint::difference(double t) {
  Paint paint;
  paint.source = Source::diverging;
  paint.level = static_cast<float>(t);
  return paint;
}

Color resolve(const Paint& paint, Theme theme) {
  switch (paint.source) {
    case Paint::Source::role:
      return color_of(paint.role, theme);
    case Paint::Source::kind:
      return color_of(paint.kind);
    case Paint::Source::sequential:
      return sequential(paint.level, theme);
    case Paint::Source::diverging:
      return diverging(paint.level, theme);
    case Paint::Source::fixed:
      return paint.fixed;
    case Paint::Source::none:
      break;
  }
  return color_of(Role::background, theme);
}

std::string text_of(const Paint& paint) {
  switch (paint.source) {
    case Paint::Source::role:
      return std::string(name_of(paint.role));
    case Paint::Source::kind:
      return std::string(k3::name_of(paint.kind));
    case Paint::Source::sequential:
      return fmt::format("seq:{:.2f}", paint.level);
    case Paint::Source::diverging:
      return fmt::format("div:{:.2f}", paint.level);
    case Paint::Source::fixed:
      return hex(paint.fixed);
    case Paint::Source::none:
      break;
  }
  return "none";
}

}  // namespace k3::visual
