#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <array>

#include "gui/paint/painter.h"
#include "gui/timeline/scene_internal.h"
#include "profiler/visual/numbers.h"

namespace k3::gui {
namespace {

using visual::Paint;
using visual::Role;

constexpr int kTickDistance = 110;
constexpr int kPad = 4;
/// Steps narrower than this are drawn as one band.
constexpr int kLeastStepWidth = 4;
constexpr float kShade = 0.62F;

QColor color(Role role, visual::Theme theme) {
  return color_of(Paint::of(role), theme);
}

/// Rows of one run.
struct Extent {
  int top = 0;
  int bottom = 0;
};

std::vector<Extent> extents_of(const Scene& scene) {
  std::vector<Extent> extents(scene.runs.size());
  for (const LaneRow& row : scene.layout->rows) {
    Extent& extent = extents[row.run];
    const int y = scene.top + row.y - scene.scroll;
    if (row.kind == LaneRow::Kind::steps) extent.top = y;
    extent.bottom = y + row.height;
  }
  return extents;
}

TimeRange axis_range(const SceneRun& run, const store::StepRow& step) {
  const std::int64_t begin = step.begin_ns - run.run.zero_ns;
  return {begin, begin + std::max<std::int64_t>(0, step.duration_ns)};
}

bool is_selected(const Scene& scene, const store::StepRow& step) {
  return (!scene.selection.step || *scene.selection.step == step.step) &&
         (!scene.selection.phase || *scene.selection.phase == step.phase);
}

/// Covers the times outside of the selected steps.
void shade(QPainter& painter,
           const Scene& scene,
           std::size_t number,
           const Extent& extent,
           visual::Theme theme) {
  if (!scene.selection.step && !scene.selection.phase) return;
  QColor cover = color(Role::background, theme);
  cover.setAlphaF(kShade);
  const int right = scene.gutter + scene.window.width;
  int x = scene.gutter;
  const auto cover_until = [&](int end) {
    if (end > x) painter.fillRect(x, extent.top, end - x, extent.bottom - extent.top, cover);
  };
  for (const store::StepRow& step : scene.runs[number].run.lanes->steps) {
    if (!is_selected(scene, step)) continue;
    const TimeRange range = axis_range(scene.runs[number], step);
    cover_until(std::min(right, scene.x_of(range.begin_ns)));
    x = std::max(x, scene.x_of(range.end_ns));
  }
  cover_until(right);
}

class StepBand {
 public:
  StepBand(QPainter& painter, const Scene& scene, std::size_t run, const Extent& extent)
      : painter_(painter), scene_(scene), run_(scene.runs[run]), extent_(extent) {}

  void paint(const LaneRow& row, visual::Theme theme) {
    theme_ = theme;
    y_ = scene_.top + row.y - scene_.scroll;
    height_ = row.height;
    const int right = scene_.gutter + scene_.window.width;
    int narrow_begin = -1;
    int narrow_end = -1;
    const auto flush = [&] {
      if (narrow_begin >= 0) band(narrow_begin, std::max(1, narrow_end - narrow_begin), {});
      narrow_begin = -1;
    };
    for (const store::StepRow& step : run_.run.lanes->steps) {
      const TimeRange range = axis_range(run_, step);
      const int x0 = scene_.x_of(range.begin_ns);
      const int x1 = scene_.x_of(range.end_ns);
      if (x1 < scene_.gutter || x0 > right) continue;
      if (x1 - x0 < kLeastStepWidth) {
        if (narrow_begin >= 0 && x0 - narrow_end > kLeastStepWidth) flush();
        if (narrow_begin < 0) narrow_begin = x0;
        narrow_end = std::max(narrow_end, x1);
        continue;
      }
      flush();
      const auto phase = name_of(step.phase);
      const QString number = QString::number(step.step);
      band(x0, x1 - x0,
           {QString("step %1 · %2")
                .arg(number,
                     QString::fromLatin1(phase.data(), static_cast<qsizetype>(phase.size()))),
            QString("step %1").arg(number), number});
      boundary(x0);
      boundary(x1);
    }
    flush();
  }

 private:
  /// Says the first of the texts that fits.
  void band(int x, int width, const QStringList& texts) {
    const int left = std::max(x, scene_.gutter);
    const QRect area(left, y_ + 3, std::min(x + width, scene_.gutter + scene_.window.width) - left,
                     height_ - 6);
    painter_.fillRect(area, color(Role::grid, theme_));
    const QFontMetrics metrics(painter_.font());
    for (const QString& text : texts) {
      if (metrics.horizontalAdvance(text) > area.width() - 2 * kPad) continue;
      painter_.setPen(color(Role::muted, theme_));
      painter_.drawText(area.adjusted(kPad, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
      return;
    }
  }

  void boundary(int x) {
    if (x < scene_.gutter) return;
    painter_.setPen(QPen(color(Role::axis, theme_), 1, Qt::DotLine));
    painter_.drawLine(x, extent_.top, x, extent_.bottom);
  }

  QPainter& painter_;
  const Scene& scene_;
  const SceneRun& run_;
  Extent extent_;
  visual::Theme theme_ = visual::Theme::light;
  int y_ = 0;
  int height_ = 0;
};

/// ▸ or ▾, drawn: not every font has them.
void paint_arrow(QPainter& painter, QPointF center, bool down) {
  constexpr double kSize = 3.2;
  const std::array<QPointF, 3> right{QPointF(-kSize / 2, -kSize), QPointF(kSize, 0),
                                     QPointF(-kSize / 2, kSize)};
  const std::array<QPointF, 3> below{QPointF(-kSize, -kSize / 2), QPointF(kSize, -kSize / 2),
                                     QPointF(0, kSize)};
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(center);
  painter.setBrush(painter.pen().color());
  painter.setPen(Qt::NoPen);
  painter.drawPolygon((down ? below : right).data(), 3);
  painter.restore();
}

/// `free_from`: no label reaches further down.
void paint_row_label(QPainter& painter,
                     const Scene& scene,
                     const LaneRow& row,
                     visual::Theme theme,
                     int& free_from) {
  constexpr int kArrowWidth = 16;
  constexpr int kRankWidth = 54;
  const int text_height = QFontMetrics(painter.font()).height();
  const QRect area(0, scene.top + row.y - scene.scroll, scene.gutter - kPad, row.height);
  if (row.kind == LaneRow::Kind::steps) {
    painter.setPen(color(Role::text, theme));
    QFont bold = painter.font();
    bold.setBold(true);
    const QFont normal = painter.font();
    painter.setFont(bold);
    painter.drawText(area.adjusted(kPad + 2, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     scene.runs[row.run].name);
    painter.setFont(normal);
    return;
  }
  if (row.first_of_rank) {
    const bool chosen = scene.selection.rank == row.rank;
    painter.setPen(color(scene.is_pale(row.rank) ? Role::missing : Role::text, theme));
    paint_arrow(painter, QPointF(9, area.top() + row.height / 2.0),
                row.kind == LaneRow::Kind::track);
    if (chosen) painter.fillRect(0, area.top(), 3, row.height, color(Role::text, theme));
    // Where rows are lower than letters, only some ranks are named.
    if (area.center().y() - text_height / 2 >= free_from) {
      painter.drawText(QRect(kArrowWidth, area.top(), kRankWidth, row.height),
                       Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip,
                       QObject::tr("rank %1").arg(row.rank));
      free_from = area.center().y() + text_height / 2;
    }
  }
  if (!row.label.empty() && row.height >= text_height - 2) {
    painter.setPen(color(scene.is_pale(row.rank) ? Role::missing : Role::muted, theme));
    const QRect place = area.adjusted(kArrowWidth + kRankWidth, 0, 0, 0);
    painter.drawText(
        place, Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetrics(painter.font()).elidedText(text_of(row.label), Qt::ElideRight, place.width()));
  }
}

}  // namespace

const store::StepRow* step_at(const SceneRun& run, std::int64_t axis_ns) {
  for (const store::StepRow& step : run.run.lanes->steps) {
    const TimeRange range = axis_range(run, step);
    if (axis_ns >= range.begin_ns && axis_ns < range.end_ns) return &step;
  }
  return nullptr;
}

void paint_steps(QPainter& painter, const Scene& scene, visual::Theme theme) {
  const std::vector<Extent> extents = extents_of(scene);
  for (const LaneRow& row : scene.layout->rows) {
    if (row.kind != LaneRow::Kind::steps) continue;
    shade(painter, scene, row.run, extents[row.run], theme);
    StepBand(painter, scene, row.run, extents[row.run]).paint(row, theme);
  }
}

void paint_gutter(QPainter& painter, const Scene& scene, int height, visual::Theme theme) {
  painter.fillRect(0, scene.top, scene.gutter, height, color(Role::background, theme));
  int free_from = scene.top;
  for (const LaneRow& row : scene.layout->rows) {
    const int y = scene.top + row.y - scene.scroll;
    if (y + row.height >= scene.top && y <= height)
      paint_row_label(painter, scene, row, theme, free_from);
  }
  painter.setPen(color(Role::axis, theme));
  painter.drawLine(scene.gutter - 1, scene.top, scene.gutter - 1, height);
}

void paint_ruler(QPainter& painter, const Scene& scene, visual::Theme theme) {
  const int width = scene.gutter + scene.window.width;
  painter.fillRect(0, 0, width, scene.top, color(Role::background, theme));
  const Ruler ruler = ruler_of(scene.window, kTickDistance);
  const int line = scene.top - 1;
  painter.setPen(color(Role::muted, theme));
  if (!ruler.base.empty()) {
    painter.drawText(QRect(kPad, 0, scene.gutter - 2 * kPad, line),
                     Qt::AlignRight | Qt::AlignVCenter, QString::fromStdString(ruler.base));
  }
  for (const RulerTick& tick : ruler.ticks) {
    const int x = scene.x_of(tick.time_ns);
    painter.setPen(color(Role::axis, theme));
    painter.drawLine(x, line - 6, x, line);
    painter.setPen(color(Role::muted, theme));
    painter.drawText(QRect(x + 3, 0, kTickDistance, line), Qt::AlignLeft | Qt::AlignVCenter,
                     QString::fromStdString(tick.label));
  }
  painter.setPen(color(Role::axis, theme));
  painter.drawLine(scene.gutter, line, width, line);
}

void paint_scene(QImage& image, const Scene& scene, const Looks& looks, NameCache& names) {
  paint_rows(image, scene, looks, names);
  QPainter painter(&image);
  painter.setFont(names.font());
  const int height = static_cast<int>(image.height() / image.devicePixelRatio());
  painter.setClipRect(scene.gutter, scene.top, scene.window.width, height);
  paint_steps(painter, scene, looks.theme());
  painter.setClipping(false);
  paint_gutter(painter, scene, height, looks.theme());
  paint_ruler(painter, scene, looks.theme());
}

}  // namespace k3::gui
