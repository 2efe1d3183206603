#include "gui/timeline/canvas.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/timeline/canvas_actions.h"

namespace k3::gui {
namespace {

constexpr int kGutter = 150;
constexpr int kRulerHeight = 26;
constexpr int kDragDistance = 4;
/// From so many ranks on each is one row at first.
constexpr int kManyRanks = 17;
constexpr int kLeastFirstHeight = 8;
constexpr int kMostFirstHeight = 18;
/// Share of the window that a frame covers beyond each side, for panning.
constexpr double kFrameMargin = 0.25;
constexpr std::size_t kMaxFlows = 72;
/// Room beside a span that is zoomed to.
constexpr double kZoomMargin = 0.1;
constexpr double kWheelZoom = 1.15;
constexpr int kWheelNotch = 120;

}  // namespace

TimelineCanvas::TimelineCanvas(TimelineFocus* focus, SelectionModel* selection, QWidget* parent)
    : QAbstractScrollArea(parent), focus_(focus), selection_(selection), names_(font()) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  add_timeline_actions(this);
  connect(focus_, &TimelineFocus::runs_changed, this, &TimelineCanvas::show_runs);
  connect(focus_, &TimelineFocus::aligned, this, &TimelineCanvas::follow_zero);
  connect(focus_, &TimelineFocus::wanted, this, &TimelineCanvas::reveal);
  connect(focus_, &TimelineFocus::zoom_wanted, this, [this](const SpanRef& span) {
    reveal(span);
    zoom_to(with_margin(focus_->time_of(span), kZoomMargin));
  });
  connect(focus_, &TimelineFocus::ranks_changed, this, [this] {
    options_.hidden = focus_->hidden_ranks();
    arrange();
  });
  connect(focus_, &TimelineFocus::range_changed, this, [this] {
    overlay_.range = focus_->range();
    viewport()->update();
  });
  connect(focus_, &TimelineFocus::span_changed, this, &TimelineCanvas::request_flows);
  connect(selection_, &SelectionModel::changed, this, &TimelineCanvas::follow_selection);
}

void TimelineCanvas::set_theme(visual::Theme theme) {
  looks_ = Looks(theme, devicePixelRatioF() < 1.5 ? 1 : 2);
  image_is_old_ = true;
  viewport()->update();
}

bool TimelineCanvas::settled() const {
  return !frames_.busy() && !frame_is_old_ && !flows_task_.busy();
}

void TimelineCanvas::show_runs() {
  frames_.cancel();
  frame_.reset();
  frame_is_old_ = false;
  overlay_ = {};
  zeros_ = focus_->zeros();
  followed_ = {};
  options_ = {};
  if (focus_->runs().empty()) {
    arrange();
    return;
  }
  int ranks = 0;
  for (const RunLanes& run : focus_->runs())
    ranks = std::max(ranks, run.lanes->num_ranks);
  for (int rank = 0; ranks >= kManyRanks && rank < ranks; ++rank)
    options_.collapsed.insert(rank);
  height_is_chosen_ = false;
  navigator_.reset(focus_->usual_range(), {focus_->full_range()});
  follow_selection();
  arrange();
}

void TimelineCanvas::set_options(LayoutOptions options) {
  height_is_chosen_ = height_is_chosen_ || options.row_height != options_.row_height;
  options_ = std::move(options);
  focus_->set_hidden_ranks(options_.hidden);
  arrange();
  Q_EMIT options_changed();
}

/// The data stays where it is on the screen; only its numbers change.
void TimelineCanvas::follow_zero() {
  if (zeros_.empty()) return;
  const std::int64_t shift = zeros_.front() - focus_->zero_ns(0);
  zeros_ = focus_->zeros();
  navigator_.shift(shift);
  navigator_.set_limits(focus_->usual_range(), {focus_->full_range()});
  if (const auto range = focus_->range())
    focus_->set_range(TimeRange{range->begin_ns + shift, range->end_ns + shift});
  look_changed();
}

void TimelineCanvas::follow_selection() {
  if (focus_->runs().empty()) return;
  const Selection former = std::exchange(followed_, selection_->current());
  if (former.step != followed_.step) {
    focus_->align(followed_.step);
    const store::StepRow* step =
        followed_.step ? gui::step_of(*focus_->runs().front().lanes, *followed_.step) : nullptr;
    if (step != nullptr) zoom_to(with_margin({0, step->duration_ns}, Navigator::kMargin));
  }
  if (former.time != followed_.time) {
    const std::int64_t zero = focus_->zero_ns(0);
    focus_->set_range(followed_.time ? std::optional(TimeRange{followed_.time->begin_ns - zero,
                                                               followed_.time->end_ns - zero})
                                     : std::nullopt);
  }
  look_changed();
}

void TimelineCanvas::arrange() {
  std::vector<const query::Lanes*> runs;
  for (const RunLanes& run : focus_->runs())
    runs.push_back(run.lanes.get());
  layout_ = make_layout(runs, options_);
  const int room = std::max(0, viewport()->height() - kRulerHeight);
  if (!height_is_chosen_ && !layout_.rows.empty()) {
    // What the rows leave free, or lack, is shared between them.
    const int missing = room - layout_.height;
    options_.row_height =
        std::clamp(options_.row_height +
                       static_cast<int>(std::floor(static_cast<double>(missing) /
                                                   static_cast<double>(layout_.rows.size()))),
                   kLeastFirstHeight, kMostFirstHeight);
    layout_ = make_layout(runs, options_);
  }
  verticalScrollBar()->setRange(0, std::max(0, layout_.height + kDragDistance - room));
  verticalScrollBar()->setPageStep(room);
  verticalScrollBar()->setSingleStep(options_.row_height + 3);
  look_changed();
}

/// Window, rows or selection are other ones.
void TimelineCanvas::look_changed() {
  focus_->set_visible(navigator_.window().range);
  image_is_old_ = true;
  request_frame();
  viewport()->update();
}

void TimelineCanvas::request_frame() {
  if (focus_->runs().empty()) return;
  // NOTE: never cancelled: while the window moves all the time some frames must get finished.
  if (frames_.busy()) {
    frame_is_old_ = true;
    return;
  }
  frame_is_old_ = false;
  FrameRequest request{.runs = {},
                       .range = with_margin(navigator_.window().range, kFrameMargin),
                       .ns_per_pixel = navigator_.window().ns_per_pixel(),
                       .tracks = {},
                       .layer = selection_->current().layer};
  for (std::size_t run = 0; run < focus_->runs().size(); ++run)
    request.runs.push_back({focus_->runs()[run].lanes, focus_->zero_ns(run)});
  const int top = verticalScrollBar()->value();
  const int room = viewport()->height();
  for (const LaneRow& row : layout_.rows) {
    if (row.y + row.height < top - room / 4 || row.y > top + room * 5 / 4) continue;
    for (const std::size_t track : row.tracks)
      request.tracks.push_back({row.run, track});
  }
  frames_.ask(
      [this, request = std::move(request)](const std::stop_token& stop) -> LatestTask::Answer {
        return [this, frame = make_frame(request, stop)] {
          frame_ = frame;
          image_is_old_ = true;
          viewport()->update();
          if (frame_is_old_) request_frame();
        };
      });
}

void TimelineCanvas::request_flows() {
  overlay_.selected = focus_->span();
  overlay_.flows = {};
  viewport()->update();
  flows_task_.cancel();
  if (!overlay_.selected) return;
  const SpanRef span = *overlay_.selected;
  flows_task_.ask([this, span, lanes = focus_->runs()[span.run].lanes](
                      const std::stop_token&) -> LatestTask::Answer {
    return [this, flows = query::flows_of(*lanes, span.span, kMaxFlows)] {
      overlay_.flows = flows;
      viewport()->update();
    };
  });
}

Scene TimelineCanvas::scene() const {
  Scene scene;
  for (std::size_t run = 0; run < focus_->runs().size(); ++run) {
    const RunLanes& loaded = focus_->runs()[run];
    const bool simulated = loaded.facts->summary.kind == RunKind::simulated;
    scene.runs.push_back(
        {{loaded.lanes, focus_->zero_ns(run)},
         QString::fromStdString(loaded.facts->name),
         simulated ? visual::Provenance::simulated : visual::Provenance::measured});
  }
  scene.layout = &layout_;
  scene.frame = frame_.get();
  scene.window = navigator_.window();
  scene.gutter = kGutter;
  scene.top = kRulerHeight;
  scene.scroll = verticalScrollBar()->value();
  scene.selection = selection_->current();
  return scene;
}

void TimelineCanvas::render() {
  const double scale = devicePixelRatioF();
  const QSize size = viewport()->size() * scale;
  if (image_.size() != size) image_ = QImage(size, QImage::Format_RGB32);
  image_.setDevicePixelRatio(scale);
  paint_scene(image_, scene(), looks_, names_);
  image_is_old_ = false;
}

QImage TimelineCanvas::picture() {
  render();
  QImage image = image_;
  QPainter painter(&image);
  painter.setFont(font());
  Overlay overlay = overlay_;
  overlay.pointer_x.reset();
  paint_overlay(painter, scene(), overlay, looks_.theme());
  return image;
}

void TimelineCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  if (focus_->runs().empty()) {
    painter.fillRect(viewport()->rect(), palette().window());
    return;
  }
  if (image_is_old_) render();
  painter.drawImage(0, 0, image_);
  paint_overlay(painter, scene(), overlay_, looks_.theme());
}

void TimelineCanvas::resizeEvent(QResizeEvent*) {
  navigator_.set_width(viewport()->width() - kGutter);
  arrange();
}

void TimelineCanvas::scrollContentsBy(int, int) {
  look_changed();
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
  const QPoint delta = event->angleDelta();
  const int x = static_cast<int>(event->position().x()) - kGutter;
  event->accept();
  if (event->modifiers().testFlag(Qt::ControlModifier)) {
    const double notches = static_cast<double>(delta.y()) / kWheelNotch;
    navigator_.zoom(std::clamp(x, 0, navigator_.window().width), std::pow(kWheelZoom, -notches));
    look_changed();
    return;
  }
  const bool sideways = event->modifiers().testFlag(Qt::ShiftModifier);
  const int across = delta.x() + (sideways ? delta.y() : 0);
  if (across != 0) {
    navigator_.pan(-across);
    look_changed();
  }
  if (!sideways && delta.y() != 0) scroll_rows(-delta.y() / 2);
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const Hit hit = hit_at(scene(), event->pos());
  drag_begin_ = event->pos();
  drag_last_x_ = event->pos().x();
  if (event->pos().x() < kGutter) {
    drag_ = Drag::none;
    if (hit.row != nullptr) click_label(hit);
  } else if (hit.place == Hit::Place::ruler || event->modifiers().testFlag(Qt::ShiftModifier)) {
    drag_ = Drag::range;
  } else {
    drag_ = Drag::pressed;
  }
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
  const int x = event->pos().x();
  overlay_.pointer_x = x >= kGutter ? std::optional(x) : std::nullopt;
  viewport()->update();
  const bool moved = (event->pos() - drag_begin_).manhattanLength() >= kDragDistance;
  if (drag_ == Drag::pressed && moved) {
    drag_ = Drag::pan;
    navigator_.remember();
  }
  if (drag_ == Drag::pan) {
    navigator_.pan(drag_last_x_ - x);
    scroll_rows(drag_begin_.y() - event->pos().y());
    drag_begin_.setY(event->pos().y());
    drag_last_x_ = x;
    look_changed();
  } else if (drag_ == Drag::range && moved) {
    overlay_.range = dragged_range(x);
  }
}

TimeRange TimelineCanvas::dragged_range(int x) const {
  const int left = std::min(drag_begin_.x(), x);
  const int right = std::max(drag_begin_.x(), x);
  const TimeWindow& window = navigator_.window();
  return {window.time_at(left - kGutter), window.time_at(right - kGutter)};
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const Drag drag = std::exchange(drag_, Drag::none);
  const bool moved = std::abs(event->pos().x() - drag_begin_.x()) >= kDragDistance;
  if (drag == Drag::range) {
    select_range(moved ? std::optional(dragged_range(event->pos().x())) : std::nullopt);
  } else if (drag == Drag::pressed) {
    click(event->pos(), event->modifiers());
  }
}

void TimelineCanvas::click(const QPoint& point, Qt::KeyboardModifiers modifiers) {
  const Scene now = scene();
  const Hit hit = hit_at(now, point);
  if (hit.place == Hit::Place::steps) {
    const store::StepRow* step =
        step_at(now.runs[hit.row->run], now.window.time_at(point.x() - kGutter));
    if (step == nullptr) return;
    Selection selection = selection_->current();
    selection.step = selection.step == step->step ? std::nullopt : std::optional(step->step);
    selection_->select(selection);
    return;
  }
  focus_->set_span(hit.span);
  if (hit.span && modifiers.testFlag(Qt::ControlModifier)) share_selected();
}

void TimelineCanvas::click_label(const Hit& hit) {
  const int rank = hit.row->rank;
  if (hit.place == Hit::Place::arrow) {
    LayoutOptions options = options_;
    if (!options.collapsed.erase(rank)) options.collapsed.insert(rank);
    set_options(std::move(options));
  } else if (hit.place == Hit::Place::label) {
    Selection selection = selection_->current();
    selection.rank = selection.rank == rank ? std::nullopt : std::optional(rank);
    selection.destination.reset();
    selection_->select(selection);
  }
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const Hit hit = hit_at(scene(), event->pos());
  if (!hit.span) return;
  focus_->set_span(hit.span);
  zoom_to(with_margin(focus_->time_of(*hit.span), kZoomMargin));
}

void TimelineCanvas::contextMenuEvent(QContextMenuEvent* event) {
  const Hit hit = hit_at(scene(), event->pos());
  Q_EMIT menu_wanted(hit, event->globalPos());
}

bool TimelineCanvas::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const Hit hit = hit_at(scene(), help->pos());
    if (hit.span) Q_EMIT hovered(*hit.span, help->globalPos());
    return true;
  }
  if (event->type() == QEvent::Leave) {
    overlay_.pointer_x.reset();
    viewport()->update();
  }
  return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace k3::gui
