#include "gui/timeline/events_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "gui/timeline/panel_tables.h"
#include "profiler/visual/numbers.h"

namespace k3::gui {
namespace {

/// The window moves and letters come more often than a table can be read.
constexpr int kDelayMs = 250;

QString count_of(std::size_t count) {
  return QString::fromStdString(visual::count_text(static_cast<std::int64_t>(count)));
}

}  // namespace

EventsPanel::EventsPanel(TimelineFocus* focus, SelectionModel* selection, QWidget* parent)
    : Panel(parent),
      focus_(focus),
      selection_(selection),
      filter_(new QLineEdit(this)),
      count_(new QLabel(this)),
      cancel_(new QToolButton(this)),
      view_(new QTableView(this)),
      model_(new EventsModel(this)) {
  filter_->setPlaceholderText(tr("Part of a name"));
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(240);
  cancel_->setText(tr("Cancel"));
  cancel_->hide();
  view_->setModel(model_);
  prepare_table(view_);
  auto* bar = new QHBoxLayout;
  bar->addWidget(filter_);
  bar->addWidget(count_, 1);
  bar->addWidget(cancel_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addLayout(bar);
  layout->addWidget(view_, 1);
  delay_.setSingleShot(true);
  delay_.setInterval(kDelayMs);
  connect(&delay_, &QTimer::timeout, this, &EventsPanel::request);
  for (const auto signal : {&TimelineFocus::runs_changed, &TimelineFocus::visible_changed,
                            &TimelineFocus::range_changed, &TimelineFocus::ranks_changed})
    connect(focus_, signal, this, &EventsPanel::renew);
  connect(selection_, &SelectionModel::changed, this, &EventsPanel::renew);
  connect(filter_, &QLineEdit::textChanged, this, &EventsPanel::renew);
  connect(cancel_, &QToolButton::clicked, this, [this] {
    task_.cancel();
    cancel_->hide();
    count_->setText(tr("cancelled"));
  });
  connect(model_, &EventsModel::order_wanted, this,
          [this](EventColumn column, Qt::SortOrder direction) {
            order_ = column;
            direction_ = direction;
            renew();
          });
  connect(view_, &QTableView::doubleClicked, this,
          [this](const QModelIndex& index) { focus_->zoom_to(model_->span_at(index.row())); });
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& index) {
            if (index.isValid()) focus_->set_span(model_->span_at(index.row()));
          });
}

void EventsPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  renew();
}

void EventsPanel::renew() {
  // NOTE: rows of closed runs must not be clicked while the new list is made.
  if (focus_->runs().empty()) {
    task_.cancel();
    model_->show({}, {});
    count_->setText(tr("No timeline is loaded."));
    return;
  }
  if (isVisible()) delay_.start();
}

void EventsPanel::request() {
  if (focus_->runs().empty()) return;
  EventRequest request = event_request(*focus_, selection_->current());
  request.text = filter_->text().toStdString();
  request.order = order_;
  request.direction = direction_;
  count_->setText(tr("Collecting …"));
  cancel_->show();
  task_.ask(
      [this, request = std::move(request)](const std::stop_token& stop) -> LatestTask::Answer {
        auto list = std::make_shared<EventList>(list_events(request, stop));
        return [this, request, list] { show_list(request, std::move(*list)); };
      });
}

void EventsPanel::show_list(EventRequest request, EventList list) {
  cancel_->hide();
  const std::size_t shown = list.rows.size();
  count_->setText(shown == list.total
                      ? tr("%1 spans %2")
                            .arg(count_of(list.total))
                            .arg(focus_->range() ? tr("in the marked range") : tr("in sight"))
                      : tr("first %1 of %2 spans; zoom in or filter to see the others")
                            .arg(count_of(shown), count_of(list.total)));
  model_->show(std::move(request), std::move(list));
  if (!sized_ && shown > 0) {
    view_->resizeColumnsToContents();
    sized_ = true;
  }
}

}  // namespace k3::gui
