#include "gui/timeline/timeline_view.h"

#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedLayout>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <memory>

#include "engine/base/atomic_file.h"
#include "gui/models/facts.h"
#include "gui/models/latest_task.h"
#include "gui/models/timeline_focus.h"
#include "gui/models/timeline_statistics.h"
#include "gui/paint/painter.h"
#include "gui/timeline/canvas.h"
#include "gui/timeline/finder.h"
#include "gui/timeline/lane_loader.h"
#include "gui/timeline/legend.h"
#include "gui/timeline/timeline_menu.h"
#include "gui/timeline/timeline_picture.h"
#include "profiler/visual/svg.h"

namespace k3::gui {
namespace {

constexpr int kMargin = 8;
constexpr int kProgressSteps = 1000;

QString html_of(const FactGroup& group) {
  QString html = "<b>" + text_of(group.title).toHtmlEscaped() + "</b><table>";
  for (const Fact& fact : group.facts) {
    html += QString("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>")
                .arg(text_of(fact.what).toHtmlEscaped(), text_of(fact.value).toHtmlEscaped());
  }
  const QString source =
      group.facts.empty() ? QString() : text_of(group.facts.front().source).toHtmlEscaped();
  return html + "</table><i>" + source + "</i>";
}

}  // namespace

TimelineView::TimelineView(const ViewContext& context, QWidget* parent)
    : View(parent),
      context_(context),
      canvas_(new TimelineCanvas(context.focus, context.selection, this)),
      loader_(new LaneLoader(context.focus, this)),
      finder_(new Finder(context.focus, this)),
      summary_(new LatestTask(this)),
      question_(new QLabel(tr("Where does the time go?"), this)),
      answer_(new QLabel(this)),
      search_(new QLineEdit(this)),
      ranks_(new QLineEdit(this)),
      legend_(new LegendStrip(this)),
      pages_(new QStackedLayout),
      waiting_words_(new QLabel(this)),
      progress_(new QProgressBar(this)) {
  QFont heading = question_->font();
  heading.setPointSizeF(heading.pointSizeF() * 1.35);
  heading.setWeight(QFont::DemiBold);
  question_->setFont(heading);
  answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  answer_->setTextFormat(Qt::PlainText);
  answer_->setWordWrap(true);
  pages_->addWidget(make_waiting_page());
  pages_->addWidget(canvas_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  layout->addLayout(make_bar());
  layout->addWidget(answer_);
  layout->addLayout(pages_, 1);
  layout->addWidget(legend_);

  connect(context_.runs, &RunService::opened, this, &TimelineView::load);
  connect(loader_, &LaneLoader::loaded, this, &TimelineView::show_loaded);
  connect(loader_, &LaneLoader::failed, this, &TimelineView::say);
  connect(loader_, &LaneLoader::progressed, this,
          [this](double share) { progress_->setValue(static_cast<int>(share * kProgressSteps)); });
  const auto renew = [this] { summarise(); };
  connect(context_.focus, &TimelineFocus::visible_changed, this, renew);
  connect(context_.focus, &TimelineFocus::range_changed, this, renew);
  connect(context_.focus, &TimelineFocus::ranks_changed, this, renew);
  connect(context_.selection, &SelectionModel::changed, this, renew);
  connect(finder_, &Finder::told, this, &View::hint);
  connect(canvas_, &TimelineCanvas::hovered, this, &TimelineView::show_tip);
  connect(canvas_, &TimelineCanvas::menu_wanted, this, &TimelineView::show_menu);
  say(tr("No session is open. File → Open, or drop one here."));
}

QLayout* TimelineView::make_bar() {
  search_->setPlaceholderText(tr("Search spans  ( / )"));
  search_->setClearButtonEnabled(true);
  search_->setMaximumWidth(240);
  ranks_->setPlaceholderText(tr("Ranks, e.g. 0-7, 12"));
  ranks_->setClearButtonEnabled(true);
  ranks_->setMaximumWidth(170);
  auto* bar = new QHBoxLayout;
  bar->addWidget(question_, 1);
  bar->addWidget(ranks_);
  bar->addWidget(search_);
  const auto add_button = [&](const QString& text, const QString& tip, auto slot) {
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(tip);
    button->setAutoRaise(true);
    connect(button, &QToolButton::clicked, canvas_, slot);
    bar->addWidget(button);
  };
  add_button(tr("Fit"), tr("Show everything (F)"), &TimelineCanvas::fit);
  add_button(tr("Back"), tr("Former window (Backspace)"), &TimelineCanvas::go_back);
  add_button(tr("−"), tr("Lower rows (-)"), &TimelineCanvas::rows_lower);
  add_button(tr("+"), tr("Higher rows (+)"), &TimelineCanvas::rows_higher);
  add_button(tr("Collapse"), tr("Collapse or expand all ranks (C)"),
             &TimelineCanvas::collapse_or_expand_all);

  const auto add_key = [&](const QKeySequence& key, const QString& name, auto&& handler) {
    auto* action = new QAction(name, canvas_);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, this, handler);
    canvas_->addAction(action);
  };
  const auto next = [this] { finder_->find(search_->text(), Finder::Direction::next); };
  add_key(Qt::Key_Slash, tr("Timeline: search spans by name"), [this] {
    search_->setFocus();
    search_->selectAll();
  });
  add_key(Qt::Key_N, tr("Timeline: next match"), next);
  add_key(Qt::SHIFT | Qt::Key_N, tr("Timeline: previous match"),
          [this] { finder_->find(search_->text(), Finder::Direction::previous); });
  connect(search_, &QLineEdit::returnPressed, this, [this, next] {
    next();
    canvas_->setFocus();  // so that N goes on
  });
  connect(ranks_, &QLineEdit::editingFinished, this, &TimelineView::choose_ranks);
  return bar;
}

QWidget* TimelineView::make_waiting_page() {
  auto* page = new QWidget(this);
  auto* cancel = new QPushButton(tr("Cancel"), page);
  auto* again = new QPushButton(tr("Load the timeline"), page);
  cancel_ = cancel;
  again_ = again;
  progress_->setRange(0, kProgressSteps);
  progress_->setMaximumWidth(320);
  waiting_words_->setAlignment(Qt::AlignCenter);
  waiting_words_->setWordWrap(true);
  auto* layout = new QVBoxLayout(page);
  layout->addStretch(1);
  for (QWidget* widget : {static_cast<QWidget*>(waiting_words_), static_cast<QWidget*>(progress_),
                          static_cast<QWidget*>(cancel), static_cast<QWidget*>(again)})
    layout->addWidget(widget, 0, Qt::AlignHCenter);
  layout->addStretch(1);
  connect(cancel, &QPushButton::clicked, this, [this] {
    loader_->cancel();
    say(tr("Loading was cancelled."));
    again_->show();
  });
  connect(again, &QPushButton::clicked, this, &TimelineView::load);
  return page;
}

void TimelineView::load() {
  say(tr("Reading spans …"));
  progress_->setValue(0);
  progress_->show();
  cancel_->show();
  loader_->load(context_.runs->runs());
}

void TimelineView::say(const QString& words) {
  waiting_words_->setText(words);
  progress_->hide();
  cancel_->hide();
  again_->hide();
  answer_->clear();
  legend_->hide();
  pages_->setCurrentIndex(0);
}

void TimelineView::show_loaded() {
  std::size_t spans = 0;
  for (const RunLanes& run : context_.focus->runs())
    spans += run.lanes->num_spans();
  if (spans == 0) {
    say(
        tr("No spans are recorded here: the run ended before its first step, or its file was made "
           "without spans. `k3rack run` and `k3rack simulate -o` record them."));
    return;
  }
  pages_->setCurrentIndex(1);
  ranks_->clear();
  legend_->show_runs(context_.focus->runs());
  legend_->show();
  summarise();
  canvas_->setFocus();
  for (const RunLanes& run : context_.focus->runs()) {
    if (run.data.num_outliers == 0) continue;
    Q_EMIT hint(tr("%1: %2 spans lie far away from the others; zoom out to see them")
                    .arg(text_of(run.facts->name))
                    .arg(run.data.num_outliers));
  }
}

void TimelineView::summarise() {
  if (context_.focus->runs().empty()) return;
  summary_->ask(
      [this, request = statistics_request(*context_.focus, context_.selection->current())](
          const std::stop_token&) -> LatestTask::Answer {
        return [this, statistics = timeline_statistics(request)] {
          answer_->setText(QString::fromStdString(statistics.sentence));
        };
      });
}

void TimelineView::choose_ranks() {
  if (context_.focus->runs().empty()) return;
  int num_ranks = 0;
  for (const RunLanes& run : context_.focus->runs())
    num_ranks = std::max(num_ranks, run.lanes->num_ranks);
  const auto chosen = parse_ranks(ranks_->text().toStdString(), num_ranks);
  if (!chosen) {
    Q_EMIT hint(QString::fromStdString(chosen.error().text()));
    return;
  }
  LayoutOptions options = canvas_->options();
  options.hidden.clear();
  for (int rank = 0; rank < num_ranks && *chosen; ++rank) {
    if (!(*chosen)->contains(rank)) options.hidden.insert(rank);
  }
  canvas_->set_options(std::move(options));
}

void TimelineView::show_tip(const SpanRef& span, const QPoint& global) {
  QToolTip::showText(global, html_of(span_facts(*context_.focus, span, std::nullopt)), canvas_);
  const std::int64_t id = context_.focus->runs()[span.run].lanes->span(span.span).span_id;
  context_.runs->ask(
      this, "tip",
      [this, span, id, global](Runs& runs, const std::stop_token&) -> RunService::Answer {
        if (span.run >= runs.readers.size()) return {};
        const auto values = span_values(runs.readers[span.run], id);
        if (!values) return {};
        return [this, span, global, values = *values] {
          const auto& loaded = context_.focus->runs();
          if (!QToolTip::isVisible() || span.run >= loaded.size() ||
              span.span >= loaded[span.run].lanes->begin_ns.size())
            return;
          QToolTip::showText(global, html_of(span_facts(*context_.focus, span, values)), canvas_);
        };
      });
}

void TimelineView::show_menu(const Hit& hit, const QPoint& global) {
  auto* menu = make_timeline_menu(canvas_, hit, this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->popup(global);
}

void TimelineView::set_theme(visual::Theme theme) {
  theme_ = theme;
  canvas_->set_theme(theme);
  legend_->set_theme(theme);
}

bool TimelineView::settled() const {
  return !loader_->busy() && canvas_->settled() && !summary_->busy() && !finder_->busy();
}

void TimelineView::copy_picture() {
  QGuiApplication::clipboard()->setImage(canvas_->picture());
  Q_EMIT hint(tr("Picture copied"));
}

void TimelineView::copy_table() {
  const TimelineStatistics statistics =
      timeline_statistics(statistics_request(*context_.focus, context_.selection->current()));
  QGuiApplication::clipboard()->setText(QString::fromStdString(delimited(statistics.table, '\t')));
  Q_EMIT hint(tr("Times per kind copied"));
}

void TimelineView::save_picture() {
  if (context_.focus->runs().empty()) {
    Q_EMIT hint(tr("There is no picture to save."));
    return;
  }
  // NOTE: made first: the dialog runs an event loop in which the window may move.
  const visual::DrawList list = timeline_picture(canvas_->scene(), canvas_->viewport()->height());
  const QString path = QFileDialog::getSaveFileName(this, tr("Save picture"), "timeline.svg",
                                                    tr("SVG pictures (*.svg)"));
  if (path.isEmpty()) return;
  const std::string svg = visual::to_svg(
      list, {theme_ == visual::Theme::dark ? visual::SvgColors::dark : visual::SvgColors::light});
  // The dialog has asked whether to overwrite.
  const Result<void> written = write_file_atomically(path.toStdString(), svg, Overwrite::yes);
  Q_EMIT hint(written ? tr("Saved: %1").arg(path) : QString::fromStdString(written.error().text()));
}

}  // namespace k3::gui
