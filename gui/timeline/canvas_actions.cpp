#include "gui/timeline/canvas_actions.h"

#include <QAction>
#include <QList>
#include <QScrollBar>
#include <algorithm>

#include "gui/timeline/canvas.h"

namespace k3::gui {
namespace {

constexpr double kKeyZoom = 1.5;
/// Share of the window that a key moves it by.
constexpr int kKeyPan = 8;
/// A span that is brought into sight is at least so wide.
constexpr int kLeastRevealed = 4;
constexpr double kRevealMargin = 4;
constexpr int kHeightStep = 4;

struct Key {
  QList<QKeySequence> keys;
  QString name;
  void (TimelineCanvas::*slot)();
};

QList<Key> keys() {
  const auto tr = [](const char* text) { return QObject::tr(text); };
  return {
      {{Qt::Key_W, Qt::Key_Plus | Qt::CTRL}, tr("Timeline: closer"), &TimelineCanvas::zoom_in},
      {{Qt::Key_S, Qt::Key_Minus | Qt::CTRL}, tr("Timeline: farther"), &TimelineCanvas::zoom_out},
      {{Qt::Key_A, Qt::Key_Left}, tr("Timeline: earlier"), &TimelineCanvas::earlier},
      {{Qt::Key_D, Qt::Key_Right}, tr("Timeline: later"), &TimelineCanvas::later},
      {{Qt::Key_F}, tr("Timeline: show everything"), &TimelineCanvas::fit},
      {{Qt::Key_Z},
       tr("Timeline: zoom to the range, the span or the step that is selected"),
       &TimelineCanvas::zoom_to_selection},
      {{Qt::Key_Backspace}, tr("Timeline: back to the former window"), &TimelineCanvas::go_back},
      {{Qt::Key_Home}, tr("Timeline: begin"), &TimelineCanvas::go_to_begin},
      {{Qt::Key_End}, tr("Timeline: end"), &TimelineCanvas::go_to_end},
      {{Qt::Key_BracketLeft}, tr("Timeline: previous step"), &TimelineCanvas::previous_step},
      {{Qt::Key_BracketRight}, tr("Timeline: next step"), &TimelineCanvas::next_step},
      {{Qt::Key_M},
       tr("Timeline: mark the selected span, or unmark it"),
       &TimelineCanvas::mark_selected},
      {{Qt::Key_Escape}, tr("Timeline: clear span, range and marks"), &TimelineCanvas::clear},
      {{Qt::Key_Plus}, tr("Timeline: higher rows"), &TimelineCanvas::rows_higher},
      {{Qt::Key_Minus}, tr("Timeline: lower rows"), &TimelineCanvas::rows_lower},
      {{Qt::Key_C},
       tr("Timeline: collapse or expand all ranks"),
       &TimelineCanvas::collapse_or_expand_all},
      {{Qt::Key_Return},
       tr("Timeline: all views show rank and layer of the selected span"),
       &TimelineCanvas::share_selected},
  };
}

}  // namespace

void add_timeline_actions(TimelineCanvas* canvas) {
  for (const Key& key : keys()) {
    auto* action = new QAction(key.name, canvas);
    action->setShortcuts(key.keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    QObject::connect(action, &QAction::triggered, canvas, key.slot);
    canvas->addAction(action);
  }
}

int TimelineCanvas::zoom_center() const {
  return overlay_.pointer_x ? *overlay_.pointer_x - scene().gutter : navigator_.window().width / 2;
}

void TimelineCanvas::zoom_in() {
  navigator_.zoom(zoom_center(), 1 / kKeyZoom);
  look_changed();
}

void TimelineCanvas::zoom_out() {
  navigator_.zoom(zoom_center(), kKeyZoom);
  look_changed();
}

void TimelineCanvas::earlier() {
  navigator_.pan(-navigator_.window().width / kKeyPan);
  look_changed();
}

void TimelineCanvas::later() {
  navigator_.pan(navigator_.window().width / kKeyPan);
  look_changed();
}

void TimelineCanvas::zoom_to(TimeRange range) {
  navigator_.go(range);
  look_changed();
}

void TimelineCanvas::fit() {
  navigator_.fit();
  look_changed();
}

void TimelineCanvas::zoom_to_selection() {
  if (const auto& range = focus_->range()) {
    zoom_to(with_margin(*range, 0));
  } else if (const auto& span = focus_->span()) {
    zoom_to(with_margin(focus_->time_of(*span), Navigator::kMargin));
  } else if (const auto step = selection_->current().step; step && !focus_->runs().empty()) {
    const store::StepRow* row = step_of(*focus_->runs().front().lanes, *step);
    if (row != nullptr) zoom_to(with_margin({0, row->duration_ns}, Navigator::kMargin));
  }
}

void TimelineCanvas::go_back() {
  navigator_.go_back();
  look_changed();
}

void TimelineCanvas::go_to_begin() {
  navigator_.go_to_begin();
  look_changed();
}

void TimelineCanvas::go_to_end() {
  navigator_.go_to_end();
  look_changed();
}

/// From the selected step, else from that in the middle of the window.
void TimelineCanvas::go_by_step(int direction) {
  if (focus_->runs().empty()) return;
  const std::vector<store::StepRow>& steps = focus_->runs().front().lanes->steps;
  if (steps.empty()) return;
  Selection selection = selection_->current();
  std::ptrdiff_t index = 0;
  if (selection.step) {
    const auto at = std::ranges::lower_bound(steps, *selection.step, {}, &store::StepRow::step);
    index = at - steps.begin() + direction;
  } else {
    const TimeWindow& window = navigator_.window();
    const std::int64_t middle = window.time_at(window.width / 2) + focus_->zero_ns(0);
    const auto behind = std::ranges::upper_bound(steps, middle, {}, &store::StepRow::begin_ns);
    index = behind - steps.begin() - 1;
  }
  index = std::clamp<std::ptrdiff_t>(index, 0, std::ssize(steps) - 1);
  selection.step = steps[static_cast<std::size_t>(index)].step;
  selection_->select(selection);
}

void TimelineCanvas::previous_step() {
  go_by_step(-1);
}

void TimelineCanvas::next_step() {
  go_by_step(1);
}

void TimelineCanvas::mark_selected() {
  const auto& span = focus_->span();
  if (!span) return;
  const auto found = std::ranges::find(overlay_.marked, *span);
  if (found != overlay_.marked.end()) {
    overlay_.marked.erase(found);
  } else {
    overlay_.marked.push_back(*span);
  }
  viewport()->update();
}

void TimelineCanvas::select_range(const std::optional<TimeRange>& range) {
  focus_->set_range(range);
  overlay_.range = range;
  Selection selection = selection_->current();
  selection.time.reset();
  if (range) {
    const query::TimeRange time = focus_->in_run(0, *range);
    selection.time = TimeRange{time.begin_ns, time.end_ns};
  }
  selection_->select(selection);
  viewport()->update();
}

void TimelineCanvas::clear() {
  overlay_.marked.clear();
  focus_->set_span(std::nullopt);
  select_range(std::nullopt);
}

void TimelineCanvas::rows_higher() {
  LayoutOptions options = options_;
  options.row_height = std::min(kMaxRowHeight, options.row_height + kHeightStep);
  set_options(std::move(options));
}

void TimelineCanvas::rows_lower() {
  LayoutOptions options = options_;
  options.row_height = std::max(kMinRowHeight, options.row_height - kHeightStep);
  set_options(std::move(options));
}

void TimelineCanvas::collapse_or_expand_all() {
  LayoutOptions options = options_;
  if (!options.collapsed.empty()) {
    options.collapsed.clear();
  } else {
    for (const LaneRow& row : layout_.rows) {
      if (row.rank >= 0) options.collapsed.insert(row.rank);
    }
  }
  set_options(std::move(options));
}

void TimelineCanvas::share_selected() {
  const auto& span = focus_->span();
  if (!span) return;
  const query::Lanes& lanes = *focus_->runs()[span->run].lanes;
  const query::LaneSpan values = lanes.span(span->span);
  Selection selection = selection_->current();
  selection.rank = lanes.lanes[static_cast<std::size_t>(values.lane)].rank;
  selection.destination.reset();
  selection.layer = values.layer >= 0 ? std::optional<int>(values.layer) : std::nullopt;
  selection_->select(selection);
}

void TimelineCanvas::scroll_rows(int pixels) {
  verticalScrollBar()->setValue(verticalScrollBar()->value() + pixels);
}

void TimelineCanvas::reveal(const SpanRef& span) {
  const query::Lanes& lanes = *focus_->runs()[span.run].lanes;
  const query::Track& track = lanes.track_of(span.span);
  const int rank = lanes.lanes[static_cast<std::size_t>(track.lane)].rank;
  const bool hidden = options_.hidden.contains(rank);
  const bool inside_collapsed = options_.collapsed.contains(rank) && track.depth > 0;
  if (hidden || inside_collapsed) {
    LayoutOptions options = options_;
    options.hidden.erase(rank);
    if (inside_collapsed) options.collapsed.erase(rank);
    set_options(std::move(options));
  }
  focus_->set_span(span);
  const TimeRange time = focus_->time_of(span);
  const TimeWindow& window = navigator_.window();
  const double width = static_cast<double>(time.end_ns - time.begin_ns) / window.ns_per_pixel();
  if (width < kLeastRevealed) {
    zoom_to(with_margin(time, kRevealMargin));
  } else if (time.begin_ns >= window.range.end_ns || time.end_ns <= window.range.begin_ns) {
    const std::int64_t begin =
        time.begin_ns + (time.end_ns - time.begin_ns) / 2 - window.duration_ns() / 2;
    zoom_to({begin, begin + window.duration_ns()});
  }
  const QRect rect = rect_of(scene(), span);
  const int top = scene().top;
  if (rect.isEmpty()) return;
  if (rect.top() < top || rect.bottom() > viewport()->height())
    scroll_rows(rect.center().y() - (top + viewport()->height()) / 2);
}

}  // namespace k3::gui
