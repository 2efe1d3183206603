#include "gui/timeline/raster.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace k3::gui {
namespace {

/// Pixels from stroke to stroke along a row: those of gui/paint, 5 · √2.
constexpr int kPeriod = 7;

}  // namespace

Raster::Raster(QImage& image)
    : bits_(image.bits()),
      stride_(image.bytesPerLine()),
      width_(image.width()),
      height_(image.height()),
      clip_(0, 0, image.width(), image.height()) {}

void Raster::set_clip(const QRect& clip) {
  clip_ = clip & QRect(0, 0, width_, height_);
}

QRgb* Raster::line(int y) const {
  return reinterpret_cast<QRgb*>(bits_ + stride_ * y);
}

void Raster::fill(const QRect& area, QRgb color) {
  const QRect part = area & clip_;
  for (int y = part.top(); y <= part.bottom(); ++y)
    std::fill_n(line(y) + part.left(), part.width(), color);
}

void Raster::hatch(const QRect& area, const Hatch& hatch) {
  const QRect part = area & clip_;
  if (part.isEmpty()) return;
  // Two periods: a row begins anywhere in the first and is copied from there.
  std::array<QRgb, 2 * static_cast<std::size_t>(kPeriod)> pattern{};
  for (int i = 0; i < 2 * kPeriod; ++i)
    pattern[static_cast<std::size_t>(i)] =
        i % kPeriod < hatch.stroke_width ? hatch.stroke : hatch.ground;
  for (int y = part.top(); y <= part.bottom(); ++y) {
    QRgb* to = line(y) + part.left();
    int phase = (hatch.rising ? part.left() + y : part.left() - y) % kPeriod;
    if (phase < 0) phase += kPeriod;
    for (int left = part.width(); left > 0;) {
      const int run = std::min(left, kPeriod);
      std::copy_n(pattern.begin() + phase, run, to);
      to += run;
      left -= run;
    }
  }
}

void Raster::frame(const QRect& area, QRgb color) {
  if (area.isEmpty()) return;
  fill({area.left(), area.top(), area.width(), 1}, color);
  fill({area.left(), area.bottom(), area.width(), 1}, color);
  fill({area.left(), area.top(), 1, area.height()}, color);
  fill({area.right(), area.top(), 1, area.height()}, color);
}

}  // namespace k3::gui
