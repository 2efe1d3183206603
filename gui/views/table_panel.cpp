#include "gui/views/table_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QTabBar>
#include <QTableView>
#include <QVBoxLayout>
#include <utility>

namespace k3::gui {

TablePanel::TablePanel(QWidget* parent)
    : QWidget(parent),
      tabs_(new QTabBar(this)),
      search_(new QLineEdit(this)),
      view_(new QTableView(this)),
      model_(new DataTableModel(this)),
      sorted_(new QSortFilterProxyModel(this)) {
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(Qt::UserRole);
  sorted_->setFilterKeyColumn(-1);
  sorted_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  view_->setModel(sorted_);
  view_->setSortingEnabled(true);
  view_->setAlternatingRowColors(true);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view_->verticalHeader()->hide();
  view_->verticalHeader()->setDefaultSectionSize(view_->fontMetrics().height() + 6);
  view_->setShowGrid(false);
  tabs_->setExpanding(false);
  tabs_->setDrawBase(false);
  search_->setPlaceholderText(tr("Search the table"));
  search_->setClearButtonEnabled(true);
  search_->setMaximumWidth(240);

  auto* top = new QHBoxLayout;
  top->addWidget(tabs_, 1);
  top->addWidget(search_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(top);
  layout->addWidget(view_, 1);

  connect(tabs_, &QTabBar::currentChanged, this, &TablePanel::choose);
  connect(search_, &QLineEdit::textChanged, sorted_, &QSortFilterProxyModel::setFilterFixedString);
}

void TablePanel::show_tables(std::vector<DataTable> tables) {
  const int kept = tabs_->currentIndex();
  tables_ = std::move(tables);
  {
    const QSignalBlocker quiet(tabs_);
    while (tabs_->count() > 0)
      tabs_->removeTab(0);
    for (const DataTable& table : tables_)
      tabs_->addTab(QString::fromStdString(table.title));
  }
  const int index = kept >= 0 && kept < tabs_->count() ? kept : 0;
  tabs_->setCurrentIndex(index);
  choose(tables_.empty() ? -1 : index);
}

const DataTable* TablePanel::current() const {
  const int index = tabs_->currentIndex();
  return index >= 0 && index < static_cast<int>(tables_.size())
             ? &tables_[static_cast<std::size_t>(index)]
             : nullptr;
}

void TablePanel::choose(int index) {
  const bool is_table = index >= 0 && index < static_cast<int>(tables_.size());
  view_->sortByColumn(-1, Qt::AscendingOrder);
  model_->show(is_table ? tables_[static_cast<std::size_t>(index)] : DataTable{});
  view_->resizeColumnsToContents();
}

}  // namespace k3::gui
