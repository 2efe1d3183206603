#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <span>

#include "gui/paint/painter.h"
#include "gui/timeline/scene_internal.h"
#include "profiler/query/lane_items.h"
#include "profiler/store/names.h"

namespace k3::gui {
namespace {

constexpr int kLeastTextWidth = 22;
constexpr int kLeastTextHeight = 11;
/// Spans from this width on have an outline or a line between them.
constexpr int kLeastEdgeWidth = 5;
constexpr std::size_t kMaxCachedTexts = 20'000;

struct Label {
  std::size_t run = 0;
  std::int32_t name = 0;
  QRect area;
  QRgb ink = 0;
};

int part_of(int height, std::int64_t ns, std::int64_t whole_ns) {
  if (ns <= 0 || whole_ns <= 0) return 0;
  const double share = static_cast<double>(ns) / static_cast<double>(whole_ns);
  return std::clamp(static_cast<int>(std::lround(share * height)), 1, height);
}

/// Writes the pixels of the rows; all its numbers are device pixels.
class RowRaster {
 public:
  RowRaster(QImage& image, const Scene& scene, const Looks& looks)
      : scene_(scene), looks_(looks), raster_(image), scale_(image.devicePixelRatio()) {
    const QRect plot(device(scene.gutter), device(scene.top), raster_.size().width(),
                     raster_.size().height());
    raster_.fill(QRect(QPoint(0, 0), raster_.size()), looks.background());
    raster_.set_clip(plot);
    pixels_per_ns_ = scale_ / scene.window.ns_per_pixel();
  }

  void paint() {
    const int bottom = static_cast<int>(raster_.size().height() / scale_) - scene_.top;
    for (const LaneRow& row : scene_.layout->rows) {
      const int y = row.y - scene_.scroll;
      if (y + row.height < 0 || y > bottom) continue;
      if (row.kind != LaneRow::Kind::steps) paint_row(row, scene_.top + y);
    }
  }

  const std::vector<Label>& labels() const { return labels_; }

 private:
  int device(int logical) const { return static_cast<int>(std::lround(logical * scale_)); }

  /// The pixel of a run's time; far outside the picture: just outside.
  int x_of(std::int64_t run_ns) const {
    const auto away = static_cast<double>(run_ns - zero_ns_ - scene_.window.range.begin_ns);
    const double x = std::clamp(away * pixels_per_ns_, -100.0, 100.0 + raster_.size().width());
    return device(scene_.gutter) + static_cast<int>(std::floor(x + 0.5));
  }

  void paint_row(const LaneRow& row, int y) {
    const SceneRun& run = scene_.runs[row.run];
    zero_ns_ = run.run.zero_ns;
    for (std::size_t i = 0; i < row.tracks.size(); ++i) {
      const Strip strip = strip_of(row, i);
      const int top = device(y + strip.top);
      const QRect area(device(scene_.gutter), top, raster_.size().width(),
                       device(y + strip.top + strip.height) - top);
      raster_.fill(area, looks_.track());
      const FrameTrack* track =
          scene_.frame == nullptr ? nullptr : scene_.frame->find({row.run, row.tracks[i]});
      if (track != nullptr) paint_track(*track, area, run, scene_.is_pale(row.rank));
    }
  }

  void paint_track(const FrameTrack& track, const QRect& area, const SceneRun& run, bool pale) {
    const bool has_text = area.height() / scale_ >= kLeastTextHeight;
    for (std::size_t i = 0; i < track.items.size(); ++i) {
      const query::LaneItem& item = track.items[i];
      const int left = x_of(item.begin_ns);
      const int right = std::max(left + 1, x_of(item.end_ns));
      if (right < area.left() || left > area.right()) continue;
      const auto strength = pale || (!track.pale.empty() && track.pale[i] != 0)
                                ? Looks::Strength::pale
                                : Looks::Strength::full;
      const QRect box(left, area.top(), right - left, area.height());
      if (item.count > 1) {
        paint_cell(item, box, run.provenance, strength);
        continue;
      }
      const SpanLook& look = looks_.look(run.provenance, item.kind, item.category, strength);
      paint_span(box, look, run.provenance);
      if (has_text && box.width() / scale_ >= kLeastTextWidth) add_label(item, box, look, track);
    }
  }

  void put(const QRect& box, const SpanLook& look) {
    if (look.hatched) {
      raster_.hatch(box, look.hatch);
    } else {
      raster_.fill(box, look.fill);
    }
  }

  void paint_span(const QRect& box, const SpanLook& look, visual::Provenance provenance) {
    put(box, look);
    if (box.width() < kLeastEdgeWidth * scale_) return;
    if (provenance == visual::Provenance::simulated) {
      raster_.frame(box, look.edge);
    } else {
      raster_.fill({box.right(), box.top(), 1, box.height()}, look.edge);
    }
  }

  /// Bars: as high as the share of the time that is busy, above it the share that waits.
  void paint_cell(const query::LaneItem& item,
                  const QRect& box,
                  visual::Provenance provenance,
                  Looks::Strength strength) {
    const std::int64_t whole_ns =
        std::max(item.end_ns - item.begin_ns, item.busy_ns + item.wait_ns);
    const bool no_time = item.busy_ns == 0 && item.wait_ns == 0;
    const int busy = no_time ? box.height() : part_of(box.height(), item.busy_ns, whole_ns);
    const int wait = std::min(box.height() - busy, part_of(box.height(), item.wait_ns, whole_ns));
    if (busy > 0) {
      put({box.left(), box.bottom() + 1 - busy, box.width(), busy},
          looks_.look(provenance, item.kind,
                      item.category == SpanCategory::wait ? SpanCategory::other : item.category,
                      strength));
    }
    if (wait > 0) {
      put({box.left(), box.bottom() + 1 - busy - wait, box.width(), wait},
          looks_.look(provenance, item.kind, SpanCategory::wait, strength));
    }
  }

  /// Names stand where the span is in sight.
  void add_label(const query::LaneItem& item,
                 const QRect& box,
                 const SpanLook& look,
                 const FrameTrack& track) {
    const QRect seen(QPoint(std::max(box.left(), device(scene_.gutter)), box.top()),
                     QPoint(std::min(box.right(), raster_.size().width()), box.bottom()));
    const double width = seen.width() / scale_;
    if (width < kLeastTextWidth) return;
    const query::Lanes& lanes = *scene_.runs[track.ref.run].run.lanes;
    if (look.hatched) raster_.fill(seen.adjusted(2, 1, -1, -1), look.text_ground);
    labels_.push_back(
        {track.ref.run, lanes.name[item.first_span],
         QRect(static_cast<int>(seen.left() / scale_), static_cast<int>(seen.top() / scale_),
               static_cast<int>(width), static_cast<int>(seen.height() / scale_)),
         look.ink});
  }

  const Scene& scene_;
  const Looks& looks_;
  Raster raster_;
  double scale_;
  double pixels_per_ns_ = 1;
  std::int64_t zero_ns_ = 0;
  std::vector<Label> labels_;
};

void paint_names(QPainter& painter,
                 const Scene& scene,
                 const std::vector<Label>& labels,
                 NameCache& names) {
  constexpr int kPad = 3;
  painter.setFont(names.font());
  const int text_height = QFontMetrics(names.font()).height();
  QRgb ink = 0;
  for (const Label& label : labels) {
    const std::string& name =
        scene.runs[label.run].run.lanes->names[static_cast<std::size_t>(label.name)];
    const QStaticText* text =
        names.fitted(label.run, label.name, name, label.area.width() - 2 * kPad);
    if (text == nullptr) continue;
    if (label.ink != ink) painter.setPen(QColor(label.ink));
    ink = label.ink;
    painter.drawStaticText(label.area.left() + kPad,
                           label.area.top() + (label.area.height() - text_height) / 2, *text);
  }
}

}  // namespace

int Scene::x_of(std::int64_t time_ns) const {
  return gutter + static_cast<int>(std::floor(std::clamp(window.x_of(time_ns), -1e6, 1e6) + 0.5));
}

bool Scene::is_pale(int rank) const {
  return selection.rank && rank != *selection.rank && rank != selection.destination;
}

const QStaticText* NameCache::fitted(std::size_t run,
                                     std::int32_t name,
                                     const std::string& text,
                                     int width) {
  constexpr int kWidthStep = 4;
  const auto [whole, is_new] = widths_.try_emplace({run, name}, 0);
  const QFontMetrics metrics(font_);
  if (is_new) whole->second = metrics.horizontalAdvance(text_of(text));
  const int bucket = whole->second <= width ? -1 : width / kWidthStep;
  if (texts_.size() > kMaxCachedTexts) texts_.clear();
  const auto [found, missing] = texts_.try_emplace({run, name, bucket});
  if (missing) {
    const QString shown =
        bucket < 0 ? text_of(text)
                   : metrics.elidedText(text_of(text), Qt::ElideRight, bucket * kWidthStep);
    if (shown.size() > 1) {
      found->second.emplace(shown);
      found->second->setTextFormat(Qt::PlainText);
      found->second->setPerformanceHint(QStaticText::AggressiveCaching);
    }
  }
  return found->second ? &*found->second : nullptr;
}

void paint_rows(QImage& image, const Scene& scene, const Looks& looks, NameCache& names) {
  std::vector<Label> labels;
  {
    RowRaster rows(image, scene, looks);
    rows.paint();
    labels = rows.labels();
  }
  QPainter painter(&image);
  painter.setClipRect(QRect(scene.gutter, scene.top, scene.window.width, image.height()));
  paint_names(painter, scene, labels, names);
}

}  // namespace k3::gui
