#include "gui/timeline/statistics_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "gui/models/timeline_statistics.h"
#include "gui/timeline/panel_tables.h"

namespace k3::gui {
namespace {

/// The window moves more often than a table can be read.
constexpr int kDelayMs = 120;

}  // namespace

StatisticsPanel::StatisticsPanel(TimelineFocus* focus, SelectionModel* selection, QWidget* parent)
    : Panel(parent),
      focus_(focus),
      selection_(selection),
      title_(new QLabel(this)),
      view_(new QTableView(this)),
      model_(new DataTableModel(this)) {
  auto* sorted = new QSortFilterProxyModel(this);
  sorted->setSourceModel(model_);
  sorted->setSortRole(Qt::UserRole);
  view_->setModel(sorted);
  prepare_table(view_);
  title_->setTextFormat(Qt::PlainText);
  title_->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addWidget(title_);
  layout->addWidget(view_, 1);
  delay_.setSingleShot(true);
  delay_.setInterval(kDelayMs);
  connect(&delay_, &QTimer::timeout, this, &StatisticsPanel::request);
  const auto renew = [this] { delay_.start(); };
  connect(focus_, &TimelineFocus::runs_changed, this, renew);
  connect(focus_, &TimelineFocus::visible_changed, this, renew);
  connect(focus_, &TimelineFocus::range_changed, this, renew);
  connect(focus_, &TimelineFocus::ranks_changed, this, renew);
  connect(selection_, &SelectionModel::changed, this, renew);
  request();
}

void StatisticsPanel::request() {
  if (focus_->runs().empty()) {
    task_.cancel();
    title_->setText(tr("No timeline is loaded."));
    model_->show({});
    return;
  }
  task_.ask([this, request = statistics_request(*focus_, selection_->current())](
                const std::stop_token&) -> LatestTask::Answer {
    return [this, statistics = timeline_statistics(request)] {
      const bool other_columns = statistics.table.columns.size() != model_->table().columns.size();
      title_->setText(QString::fromStdString(statistics.table.title + ": " + statistics.sentence));
      model_->show(statistics.table);
      if (other_columns) view_->resizeColumnsToContents();
    };
  });
}

}  // namespace k3::gui
