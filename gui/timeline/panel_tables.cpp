#include "gui/timeline/panel_tables.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QTableView>

namespace k3::gui {
namespace {

/// More rows than a clipboard is good for.
constexpr int kMostCopied = 100'000;

QString selected_rows(const QTableView& view) {
  const QAbstractItemModel& model = *view.model();
  QString text;
  int rows = 0;
  for (const QItemSelectionRange& range : view.selectionModel()->selection()) {
    for (int row = range.top(); row <= range.bottom() && rows < kMostCopied; ++row, ++rows) {
      QStringList cells;
      for (int column = 0; column < model.columnCount(); ++column)
        cells << model.index(row, column).data().toString();
      text += cells.join('\t') + '\n';
    }
  }
  return text;
}

}  // namespace

void prepare_table(QTableView* view) {
  view->setAlternatingRowColors(true);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view->setShowGrid(false);
  view->setWordWrap(false);
  view->setSortingEnabled(true);
  view->horizontalHeader()->setHighlightSections(false);
  view->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  view->verticalHeader()->hide();
  view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  view->verticalHeader()->setDefaultSectionSize(view->fontMetrics().height() + 6);
  auto* copy = new QAction(QObject::tr("Copy the selected rows"), view);
  QObject::connect(copy, &QAction::triggered, view,
                   [view] { QGuiApplication::clipboard()->setText(selected_rows(*view)); });
  view->addAction(copy);
  view->setContextMenuPolicy(Qt::ActionsContextMenu);
}

}  // namespace k3::gui
