#include "gui/paint/painter.h"

#include <QFont>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "profiler/visual/text_fit.h"

namespace k3::gui {
namespace {

using visual::Box;
using visual::DrawList;
using visual::Hatch;
using visual::Line;
using visual::LineStyle;
using visual::Marker;
using visual::Paint;
using visual::Point;
using visual::Polygon;
using visual::Raster;
using visual::Role;
using visual::Text;

// The widths and tints of profiler/visual/svg.cpp.
constexpr double kBroad = 4.5;
constexpr double kNormal = 2.2;
constexpr double kThin = 1;
constexpr double kHatchStep = 5;

QPolygonF polygon_of(const std::vector<Point>& points) {
  QPolygonF polygon;
  polygon.reserve(static_cast<qsizetype>(points.size()));
  for (const Point& p : points)
    polygon << QPointF(p.x, p.y);
  return polygon;
}

QColor with_opacity(QColor color, double opacity) {
  color.setAlphaF(static_cast<float>(std::clamp(opacity, 0.0, 1.0)));
  return color;
}

class ItemPainter {
 public:
  ItemPainter(QPainter& painter, visual::Theme theme) : painter_(painter), theme_(theme) {}

  void operator()(const Box& box) {
    const QRectF area(box.x, box.y, std::max(0.0, box.width), std::max(0.0, box.height));
    painter_.setRenderHint(QPainter::Antialiasing, false);
    if (box.fill.visible()) {
      const QColor color = color_of(box.fill, theme_);
      if (box.hatch == Hatch::none) {
        painter_.fillRect(area, with_opacity(color, box.opacity));
      } else {
        hatch(area, color, box);
      }
    }
    if (!box.outline.visible()) return;
    painter_.setPen(QPen(color_of(box.outline, theme_), kThin));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRect(area);
  }

  void operator()(const Line& line) {
    if (line.points.size() < 2) return;
    painter_.setRenderHint(QPainter::Antialiasing, true);
    const QPolygonF points = polygon_of(line.points);
    QPen pen(color_of(line.stroke, theme_), line.style == LineStyle::hollow ? kBroad
                                            : line.style == LineStyle::thin ? kThin
                                                                            : kNormal);
    if (line.style == LineStyle::dotted) {
      pen.setCapStyle(Qt::RoundCap);
      pen.setDashPattern({0.05, 2});  // NOTE: in widths of the pen
    }
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(pen);
    painter_.drawPolyline(points);
    if (line.style != LineStyle::hollow) return;
    painter_.setPen(QPen(color_of(Paint::of(Role::background), theme_), kNormal));
    painter_.drawPolyline(points);
  }

  void operator()(const Polygon& polygon) {
    if (!polygon.fill.visible()) return;
    painter_.setRenderHint(QPainter::Antialiasing, true);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(with_opacity(color_of(polygon.fill, theme_), polygon.opacity));
    painter_.drawPolygon(polygon_of(polygon.points));
  }

  void operator()(const Marker& marker) {
    painter_.setRenderHint(QPainter::Antialiasing, true);
    painter_.setPen(marker.outline.visible() ? QPen(color_of(marker.outline, theme_), kThin)
                                             : QPen(Qt::NoPen));
    painter_.setBrush(marker.fill.visible() ? QBrush(color_of(marker.fill, theme_))
                                            : QBrush(Qt::NoBrush));
    painter_.drawEllipse(QPointF(marker.at.x, marker.at.y), marker.radius, marker.radius);
  }

  void operator()(const Text& text) {
    const std::string painted = visual::painted_text(text);
    if (painted.empty()) return;
    const QString words = text_of(painted);
    QFont font = painter_.font();
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(text.size))));
    font.setWeight(text.weight == visual::Weight::bold ? QFont::DemiBold : QFont::Normal);
    painter_.setFont(font);
    painter_.setRenderHint(QPainter::Antialiasing, true);
    const double width = QFontMetricsF(font, painter_.device()).horizontalAdvance(words);
    const double shift = text.anchor == visual::Anchor::start    ? 0
                         : text.anchor == visual::Anchor::middle ? -width / 2
                                                                 : -width;
    painter_.save();
    painter_.translate(text.at.x, text.at.y);
    if (text.turn == visual::Turn::left) painter_.rotate(-90);
    if (text.halo.visible()) {
      QPainterPath outline;
      outline.addText(shift, 0, font, words);
      painter_.strokePath(outline, QPen(color_of(text.halo, theme_), 3, Qt::SolidLine, Qt::RoundCap,
                                        Qt::RoundJoin));
    }
    painter_.setPen(color_of(text.paint, theme_));
    painter_.drawText(QPointF(shift, 0), words);
    painter_.restore();
  }

  /// As an image with a pixel per cell, which the painter enlarges without smoothing.
  void operator()(const Raster& raster) {
    if (raster.rows <= 0 || raster.columns <= 0) return;
    QImage image(raster.columns, raster.rows, QImage::Format_ARGB32);
    const bool amounts = raster.map == Raster::Map::amount;
    std::size_t cell = 0;
    for (int row = 0; row < raster.rows; ++row) {
      auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
      for (int column = 0; column < raster.columns; ++column, ++cell) {
        const double level = static_cast<double>(raster.levels[cell]);
        if (std::isnan(level)) {
          line[column] = 0;
          continue;
        }
        const visual::Color color =
            amounts ? visual::sequential(level, theme_) : visual::diverging(level, theme_);
        line[column] = qRgb(color.r, color.g, color.b);
      }
    }
    painter_.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter_.drawImage(QRectF(raster.x, raster.y, raster.width, raster.height), image);
  }

 private:
  /// Strokes over a faint tint: what is not solid can be told apart without its colour.
  void hatch(const QRectF& area, const QColor& color, const Box& box) {
    const bool dense = box.hatch == Hatch::dense;
    painter_.fillRect(area, with_opacity(color, box.opacity * (dense ? 0.25 : 0.12)));
    painter_.save();
    painter_.setClipRect(area, Qt::IntersectClip);
    painter_.setRenderHint(QPainter::Antialiasing, true);
    painter_.setPen(QPen(with_opacity(color, box.opacity * (dense ? 0.9 : 0.65)), dense ? 2 : 1.2));
    const double step = kHatchStep * std::sqrt(2.0);
    // NOTE: strokes keep their place in the picture, not in the box: neighbours join.
    const double slope = dense ? 1 : -1;
    const double first = area.left() - (dense ? area.bottom() : -area.top());
    const double last = area.right() - (dense ? area.top() : -area.bottom());
    for (double at = std::floor(first / step) * step; at <= last; at += step) {
      painter_.drawLine(QPointF(at + slope * area.top(), area.top()),
                        QPointF(at + slope * area.bottom(), area.bottom()));
    }
    painter_.restore();
  }

  QPainter& painter_;
  visual::Theme theme_;
};

double distance_to_segment(Point p, Point a, Point b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double square = dx * dx + dy * dy;
  const double t =
      square > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

class HitTest {
 public:
  explicit HitTest(Point at) : at_(at) {}

  bool operator()(const Box& box) const {
    return at_.x >= box.x && at_.x < box.x + box.width && at_.y >= box.y &&
           at_.y < box.y + box.height;
  }

  bool operator()(const Line& line) const {
    constexpr double kReach = 4;
    for (std::size_t i = 1; i < line.points.size(); ++i) {
      if (distance_to_segment(at_, line.points[i - 1], line.points[i]) <= kReach) return true;
    }
    return false;
  }

  bool operator()(const Polygon& polygon) const {
    return polygon_of(polygon.points).containsPoint({at_.x, at_.y}, Qt::OddEvenFill);
  }

  bool operator()(const Marker& marker) const {
    constexpr double kReach = 2;
    return std::hypot(at_.x - marker.at.x, at_.y - marker.at.y) <= marker.radius + kReach;
  }

  bool operator()(const Text& text) const {
    const double width = visual::text_width(visual::painted_text(text), text.size);
    const double left = text.anchor == visual::Anchor::start    ? 0
                        : text.anchor == visual::Anchor::middle ? -width / 2
                                                                : -width;
    Point local{at_.x - text.at.x, at_.y - text.at.y};
    if (text.turn == visual::Turn::left) local = {-local.y, local.x};
    return local.x >= left && local.x <= left + width && local.y >= -text.size &&
           local.y <= text.size / 4;
  }

 private:
  Point at_;
};

/// The tip of an item if it has one and lies below the point.
class TipFinder {
 public:
  explicit TipFinder(Point at) : at_(at), hit_(at) {}

  std::string operator()(const Raster& raster) const { return visual::tip_at(raster, at_); }

  template <class T>
  std::string operator()(const T& item) const {
    return !item.tip.empty() && hit_(item) ? item.tip : std::string();
  }

 private:
  Point at_;
  HitTest hit_;
};

}  // namespace

QColor color_of(const Paint& paint, visual::Theme theme) {
  const visual::Color color = visual::resolve(paint, theme);
  return {color.r, color.g, color.b};
}

QString text_of(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

void paint(QPainter& painter, const DrawList& list, visual::Theme theme) {
  painter.save();
  ItemPainter item_painter(painter, theme);
  for (const visual::Item& item : list.items)
    std::visit(item_painter, item);
  painter.restore();
}

std::string tip_at(const DrawList& list, Point point) {
  const TipFinder finder(point);
  for (auto item = list.items.rbegin(); item != list.items.rend(); ++item) {
    std::string tip = std::visit(finder, *item);
    if (!tip.empty()) return tip;
  }
  return {};
}

}  // namespace k3::gui
