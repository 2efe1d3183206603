#pragma once

#include <QAbstractTableModel>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "profiler/visual/numbers.h"

namespace k3::gui {

/// A value of a table: numbers stay numbers, in SI base units, so that sorting and copying are
/// exact.
using Cell = std::variant<std::monostate, double, std::string>;

struct DataColumn {
  std::string title;
  visual::Quantity quantity = visual::Quantity::plain;  ///< of the numbers in it
};

/// The numbers behind a picture. Every row has as many cells as there are columns.
struct DataTable {
  std::string title;
  std::vector<DataColumn> columns;
  std::vector<std::vector<Cell>> rows;
};

/// Rows for spreadsheets: header with units, one line per row, columns divided by `separator`.
/// Numbers have all their digits in the unit of the header.
std::string delimited(const DataTable& table, char separator);

/// A DataTable for item views: units stand in the header, one unit per column, cells say three
/// digits, Qt::UserRole gives the value to sort by.
class DataTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;

  void show(DataTable table);

  const DataTable& table() const { return table_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section,
                      Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override;

 private:
  DataTable table_;
  std::vector<visual::Unit> units_;  ///< per column
};

}  // namespace k3::gui
