#include "gui/timeline/looks.h"

#include <cmath>

#include "engine/base/task_kind.h"
#include "gui/paint/painter.h"

namespace k3::gui {
namespace {

using visual::Paint;
using visual::Provenance;
using visual::Role;

// Shares of a span's colour over the track, as gui/paint/painter.cpp has them.
constexpr double kLightGround = 0.12;
constexpr double kLightStroke = 0.65;
constexpr double kDenseGround = 0.25;
constexpr double kDenseStroke = 0.9;
constexpr double kTextGround = 0.22;
/// What is left of a colour that is not in question.
constexpr double kPale = 0.22;

QRgb mixed(QRgb ground, QRgb color, double share) {
  const auto mix = [share](int a, int b) {
    return static_cast<int>(std::lround(a + (b - a) * share));
  };
  return qRgb(mix(qRed(ground), qRed(color)), mix(qGreen(ground), qGreen(color)),
              mix(qBlue(ground), qBlue(color)));
}

visual::Color color_of_rgb(QRgb rgb) {
  return {static_cast<std::uint8_t>(qRed(rgb)), static_cast<std::uint8_t>(qGreen(rgb)),
          static_cast<std::uint8_t>(qBlue(rgb))};
}

}  // namespace

Paint paint_of(std::uint8_t kind, SpanCategory category) {
  if (category == SpanCategory::wait) return Paint::of(Role::waiting);
  if (kind == query::kNoKind) return Paint::of(Role::axis);
  return Paint::of(static_cast<TaskKind>(kind));
}

Looks::Looks(visual::Theme theme, int stroke_width)
    : theme_(theme),
      background_(color_of(Paint::of(Role::background), theme).rgb()),
      track_(color_of(Paint::of(Role::panel), theme).rgb()),
      sets_{} {
  for (const Provenance provenance : {Provenance::measured, Provenance::simulated}) {
    for (const Strength strength : {Strength::full, Strength::pale}) {
      Set& set =
          sets_[provenance == Provenance::simulated ? 1 : 0][strength == Strength::pale ? 1 : 0];
      for (std::size_t kind = 0; kind < query::kNumKinds; ++kind) {
        set[kind] = make(paint_of(static_cast<std::uint8_t>(kind), SpanCategory::compute),
                         provenance, strength, stroke_width);
      }
      set.back() = make(Paint::of(Role::waiting), provenance, strength, stroke_width);
    }
  }
}

SpanLook Looks::make(const Paint& paint,
                     Provenance provenance,
                     Strength strength,
                     int stroke_width) const {
  const bool waits = paint == Paint::of(Role::waiting);
  const bool simulated = provenance == Provenance::simulated;
  const double part = strength == Strength::pale ? kPale : 1;
  const QRgb color = gui::color_of(paint, theme_).rgb();
  SpanLook look;
  look.hatched = waits || simulated;
  look.fill = mixed(track_, color, part);
  look.hatch = {.ground = mixed(track_, color, part * (waits ? kDenseGround : kLightGround)),
                .stroke = mixed(track_, color, part * (waits ? kDenseStroke : kLightStroke)),
                .stroke_width = waits ? 2 * stroke_width : stroke_width,
                .rising = !waits};
  look.edge = simulated ? mixed(track_, color, part) : mixed(look.fill, background_, 0.55);
  look.text_ground = mixed(track_, color, part * kTextGround);
  const visual::Color ink =
      visual::ink_on(color_of_rgb(look.hatched ? look.text_ground : look.fill));
  look.ink = mixed(look.hatched ? look.text_ground : look.fill, qRgb(ink.r, ink.g, ink.b),
                   strength == Strength::pale ? 0.5 : 1);
  return look;
}

const SpanLook& Looks::look(Provenance provenance,
                            std::uint8_t kind,
                            SpanCategory category,
                            Strength strength) const {
  const Set& set =
      sets_[provenance == Provenance::simulated ? 1 : 0][strength == Strength::pale ? 1 : 0];
  return category == SpanCategory::wait ? set.back() : set[kind];
}

}  // namespace k3::gui
