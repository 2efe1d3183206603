#include "gui/timeline/legend.h"

#include <QPainter>
#include <QResizeEvent>
#include <array>
#include <string>

#include "gui/paint/painter.h"
#include "gui/timeline/looks.h"
#include "profiler/visual/text_fit.h"

namespace k3::gui {
namespace {

constexpr double kHeight = 16;
constexpr double kSize = 11;
constexpr double kBoxWidth = 16;
constexpr double kGap = 14;

std::array<bool, query::kNumKinds> kinds_of(const std::vector<RunLanes>& runs) {
  std::array<bool, query::kNumKinds> has{};
  for (const RunLanes& run : runs) {
    for (const PlanRecord& plan : run.lanes->plans) {
      for (const TaskRecord& task : plan.tasks)
        has[static_cast<std::size_t>(task.kind)] = true;
    }
  }
  return has;
}

class Row {
 public:
  Row(visual::DrawList& list, double width) : list_(list), width_(width) {}

  void add(visual::Box box, std::string_view words) {
    const double text = visual::text_width(words, kSize);
    if (x_ > 0 && x_ + kBoxWidth + 4 + text > width_) {
      x_ = 0;
      y_ += kHeight;
    }
    box.x = x_;
    box.y = y_ + 2;
    box.width = kBoxWidth;
    box.height = kHeight - 5;
    list_.items.emplace_back(std::move(box));
    visual::Text label;
    label.at = {x_ + kBoxWidth + 4, y_ + kHeight - 4};
    label.text = std::string(words);
    label.size = kSize;
    label.paint = visual::Paint::of(visual::Role::muted);
    list_.items.emplace_back(std::move(label));
    x_ += kBoxWidth + 4 + text + kGap;
  }

  double bottom() const { return y_ + kHeight; }

 private:
  visual::DrawList& list_;
  double width_;
  double x_ = 0;
  double y_ = 0;
};

}  // namespace

visual::DrawList timeline_legend(const std::vector<RunLanes>& runs, double width) {
  using visual::Paint;
  using visual::Provenance;
  visual::DrawList list;
  list.width = width;
  list.description = "Colours of the timeline";
  Row row(list, width);
  const auto has = kinds_of(runs);
  for (std::uint8_t kind = 0; kind < query::kNoKind; ++kind) {
    if (!has[kind]) continue;
    row.add(visual::marked_box(Provenance::measured, paint_of(kind, SpanCategory::compute)),
            visual::title_of(static_cast<TaskKind>(kind)));
  }
  visual::Box waiting;
  waiting.fill = Paint::of(visual::Role::waiting);
  waiting.hatch = visual::Hatch::dense;
  row.add(waiting, "waiting");
  for (const RunLanes& run : runs) {
    if (run.facts->summary.kind != RunKind::simulated) continue;
    row.add(visual::marked_box(Provenance::simulated, Paint::of(visual::Role::axis)), "simulated");
    break;
  }
  visual::Box folded;
  folded.fill = Paint::of(visual::Role::axis);
  row.add(folded, "height of narrow bars: share of the time that is busy");
  list.height = row.bottom();
  return list;
}

LegendStrip::LegendStrip(QWidget* parent) : QWidget(parent) {
  // NOTE: its width must not hold up that of the window.
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void LegendStrip::show_runs(const std::vector<RunLanes>& runs) {
  runs_ = runs;
  arrange();
}

void LegendStrip::set_theme(visual::Theme theme) {
  theme_ = theme;
  update();
}

void LegendStrip::arrange() {
  list_ = timeline_legend(runs_, width());
  setFixedHeight(static_cast<int>(list_.height));
  setAccessibleName(text_of(list_.description));
  update();
}

void LegendStrip::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  paint(painter, list_, theme_);
}

void LegendStrip::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (!runs_.empty() && event->oldSize().width() != width()) arrange();
}

}  // namespace k3::gui
