#pragma once

#include <QColor>
#include <QImage>
#include <QRect>
#include <cstdint>

namespace k3::gui {

/// Rectangles written straight into the pixels of an image: tens of thousands of them per frame,
/// several times faster than a painter. Everything is clipped. No painter may be open on the image
/// meanwhile.
class Raster {
 public:
  /// `image` has format RGB32 and outlives the raster.
  explicit Raster(QImage& image);

  QSize size() const { return {width_, height_}; }

  void set_clip(const QRect& clip);
  void fill(const QRect& area, QRgb color);

  /// Strokes that keep their place in the picture, so that neighbours join.
  struct Hatch {
    QRgb ground = 0;
    QRgb stroke = 0;
    int stroke_width = 1;
    bool rising = true;  ///< from bottom left to top right
  };

  void hatch(const QRect& area, const Hatch& hatch);
  void frame(const QRect& area, QRgb color);

 private:
  QRgb* line(int y) const;

  unsigned char* bits_;
  qsizetype stride_;
  int width_;
  int height_;
  QRect clip_;
};

}  // namespace k3::gui
