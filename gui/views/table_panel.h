#pragma once

#include <QWidget>
#include <vector>

#include "gui/models/data_table.h"

class QLineEdit;
class QSortFilterProxyModel;
class QTabBar;
class QTableView;

namespace k3::gui {

/// The numbers behind a view: one table at a time, sortable, with a search box.
class TablePanel : public QWidget {
  Q_OBJECT

 public:
  explicit TablePanel(QWidget* parent = nullptr);

  void show_tables(std::vector<DataTable> tables);

  /// The table on top, or nullptr.
  const DataTable* current() const;

 private:
  void choose(int index);

  std::vector<DataTable> tables_;
  QTabBar* tabs_;
  QLineEdit* search_;
  QTableView* view_;
  DataTableModel* model_;
  QSortFilterProxyModel* sorted_;
};

}  // namespace k3::gui
