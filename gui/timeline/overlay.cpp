#include "gui/timeline/overlay.h"

#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "gui/paint/painter.h"

namespace k3::gui {
namespace {

using visual::Paint;
using visual::Role;

constexpr float kRangeOpacity = 0.10F;

QColor color(Role role, visual::Theme theme) {
  return color_of(Paint::of(role), theme);
}

std::size_t track_index(const query::Lanes& lanes, std::size_t span) {
  return static_cast<std::size_t>(&lanes.track_of(span) - lanes.tracks.data());
}

/// Where a span's track is drawn; empty: nowhere.
QRect strip_rect(const Scene& scene, const SpanRef& ref) {
  const std::size_t track = track_index(*scene.runs[ref.run].run.lanes, ref.span);
  const LaneRow* row = scene.layout->row_of(ref.run, track);
  if (row == nullptr) return {};
  const auto index =
      static_cast<std::size_t>(std::ranges::find(row->tracks, track) - row->tracks.begin());
  const Strip strip = strip_of(*row, index);
  return {scene.gutter, scene.top + row->y - scene.scroll + strip.top, scene.window.width,
          strip.height};
}

class OverlayPainter {
 public:
  OverlayPainter(QPainter& painter, const Scene& scene, visual::Theme theme)
      : painter_(painter), scene_(scene), theme_(theme), height_(painter.viewport().height()) {}

  void range(const TimeRange& range) {
    const int x0 = scene_.x_of(range.begin_ns);
    const int x1 = std::max(x0 + 1, scene_.x_of(range.end_ns));
    QColor fill = color(Role::text, theme_);
    fill.setAlphaF(kRangeOpacity);
    painter_.fillRect(x0, 0, x1 - x0, height_, fill);
    painter_.setPen(QPen(color(Role::text, theme_), 1));
    painter_.drawLine(x0, 0, x0, height_);
    painter_.drawLine(x1, 0, x1, height_);
    label((x0 + x1) / 2, QString::fromStdString(exact_time(range.end_ns - range.begin_ns)));
  }

  void pointer(int x) {
    painter_.setPen(QPen(color(Role::axis, theme_), 1, Qt::DashLine));
    painter_.drawLine(x, scene_.top, x, height_);
    label(x, QString::fromStdString(exact_time(scene_.window.time_at(x - scene_.gutter))));
  }

  void outline(const SpanRef& span, const QPen& pen) {
    const QRect rect = rect_of(scene_, span);
    if (rect.isEmpty()) return;
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(color(Role::background, theme_), pen.widthF() + 2));
    painter_.drawRect(rect.adjusted(-1, -1, 0, 0));
    painter_.setPen(pen);
    painter_.drawRect(rect.adjusted(-1, -1, 0, 0));
  }

  void mark(const SpanRef& span) {
    const TimeRange time = time_of(span);
    painter_.setPen(QPen(color(Role::fault, theme_), 1, Qt::DashLine));
    for (const std::int64_t at : {time.begin_ns, time.end_ns})
      painter_.drawLine(scene_.x_of(at), scene_.top, scene_.x_of(at), height_);
    outline(span, QPen(color(Role::fault, theme_), 2));
  }

  void flows(const query::Flows& flows, std::size_t run) {
    painter_.setRenderHint(QPainter::Antialiasing);
    // The receiver waits for the last one: that arrow stands out.
    for (std::size_t i = flows.outgoing.size(); i-- > 0;)
      arrow(run, flows.outgoing[i], QPen(color(Role::muted, theme_), 1, Qt::DotLine));
    for (std::size_t i = flows.incoming.size(); i-- > 0;)
      arrow(run, flows.incoming[i], QPen(color(Role::text, theme_), i == 0 ? 2.2 : 0.9));
    painter_.setRenderHint(QPainter::Antialiasing, false);
  }

 private:
  TimeRange time_of(const SpanRef& ref) const {
    const SceneRun& run = scene_.runs[ref.run];
    return {run.run.lanes->begin_ns[ref.span] - run.run.zero_ns,
            run.run.lanes->end_ns[ref.span] - run.run.zero_ns};
  }

  /// A word on the ruler.
  void label(int center, const QString& text) {
    const int width = QFontMetrics(painter_.font()).horizontalAdvance(text) + 10;
    const int x = std::clamp(center - width / 2, scene_.gutter,
                             std::max(scene_.gutter, scene_.gutter + scene_.window.width - width));
    const QRect box(x, 1, width, scene_.top - 3);
    painter_.fillRect(box, color(Role::text, theme_));
    painter_.setPen(color(Role::background, theme_));
    painter_.drawText(box, Qt::AlignCenter, text);
  }

  void arrow(std::size_t run, const query::Flow& flow, const QPen& pen) {
    const QRect from = strip_rect(scene_, {run, flow.from_span});
    const QRect to = strip_rect(scene_, {run, flow.to_span});
    if (from.isEmpty() || to.isEmpty()) return;
    const std::int64_t zero = scene_.runs[run].run.zero_ns;
    const QPointF a(scene_.x_of(flow.from_ns - zero), from.center().y() + 0.5);
    const QPointF b(scene_.x_of(flow.to_ns - zero), to.center().y() + 0.5);
    const double bend = std::clamp(std::abs(b.x() - a.x()) / 2, 12.0, 80.0);
    QPainterPath path(a);
    path.cubicTo(a + QPointF(bend, 0), b - QPointF(bend, 0), b);
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(pen);
    painter_.drawPath(path);
    const std::array<QPointF, 3> head{b, b + QPointF(-6, -3.2), b + QPointF(-6, 3.2)};
    painter_.setBrush(pen.color());
    painter_.setPen(Qt::NoPen);
    painter_.drawPolygon(head.data(), 3);
  }

  QPainter& painter_;
  const Scene& scene_;
  visual::Theme theme_;
  int height_;
};

}  // namespace

QRect rect_of(const Scene& scene, const SpanRef& span) {
  const QRect strip = strip_rect(scene, span);
  if (strip.isEmpty()) return {};
  const SceneRun& run = scene.runs[span.run];
  const int x0 = scene.x_of(run.run.lanes->begin_ns[span.span] - run.run.zero_ns);
  const int x1 = scene.x_of(run.run.lanes->end_ns[span.span] - run.run.zero_ns);
  return {x0, strip.top(), std::max(1, x1 - x0), strip.height()};
}

void paint_overlay(QPainter& painter,
                   const Scene& scene,
                   const Overlay& overlay,
                   visual::Theme theme) {
  OverlayPainter over(painter, scene, theme);
  painter.setClipRect(scene.gutter, 0, scene.window.width, painter.viewport().height());
  if (overlay.range) over.range(*overlay.range);
  painter.setClipRect(scene.gutter, scene.top, scene.window.width, painter.viewport().height());
  for (const SpanRef& span : overlay.marked)
    over.mark(span);
  if (overlay.selected) {
    over.flows(overlay.flows, overlay.selected->run);
    over.outline(*overlay.selected, QPen(color(Role::text, theme), 2));
  }
  painter.setClipRect(scene.gutter, 0, scene.window.width, painter.viewport().height());
  if (overlay.pointer_x) over.pointer(*overlay.pointer_x);
  painter.setClipping(false);
}

}  // namespace k3::gui
