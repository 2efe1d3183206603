#include "gui/models/data_table.h"

#include <cstddef>
#include <utility>

#include <fmt/core.h>

namespace k3::gui {
namespace {

std::vector<visual::Unit> units_of(const DataTable& table) {
  std::vector<visual::Unit> units;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    std::vector<double> numbers;
    for (const std::vector<Cell>& row : table.rows) {
      if (const double* number = std::get_if<double>(&row[column])) numbers.push_back(*number);
    }
    units.push_back(visual::unit_for(table.columns[column].quantity, numbers));
  }
  return units;
}

std::string header_of(const DataColumn& column, const visual::Unit& unit) {
  return unit.symbol.empty() ? column.title : fmt::format("{} ({})", column.title, unit.symbol);
}

/// Quoted where the text would end the cell early.
std::string quoted(const std::string& text, char separator) {
  if (text.find_first_of(std::string("\"\r\n") + separator) == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string delimited(const DataTable& table, char separator) {
  const std::vector<visual::Unit> units = units_of(table);
  std::string out;
  const auto add = [&](std::size_t column, const std::string& text) {
    if (column > 0) out += separator;
    out += quoted(text, separator);
  };
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    add(i, header_of(table.columns[i], units[i]));
  out += '\n';
  for (const std::vector<Cell>& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double* number = std::get_if<double>(&row[i]);
      const std::string* text = std::get_if<std::string>(&row[i]);
      add(i, number != nullptr ? fmt::format("{}", *number * units[i].scale)
             : text != nullptr ? *text
                               : std::string());
    }
    out += '\n';
  }
  return out;
}

void DataTableModel::show(DataTable table) {
  beginResetModel();
  table_ = std::move(table);
  units_ = units_of(table_);
  endResetModel();
}

int DataTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}

int DataTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

QVariant DataTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto column = static_cast<std::size_t>(index.column());
  const Cell& cell = table_.rows[static_cast<std::size_t>(index.row())][column];
  const double* number = std::get_if<double>(&cell);
  const std::string* text = std::get_if<std::string>(&cell);
  switch (role) {
    case Qt::DisplayRole:
      if (number != nullptr) {
        return QString::fromStdString(visual::number_in(*number, units_[column]));
      }
      return text != nullptr ? QString::fromStdString(*text) : QString(QChar(0x2013));
    case Qt::UserRole:
      if (number != nullptr) return *number;
      return text != nullptr ? QVariant(QString::fromStdString(*text)) : QVariant();
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(
          Qt::Alignment((text != nullptr ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    default:
      return {};
  }
}

QVariant DataTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section < 0 ||
      section >= columnCount()) {
    return {};
  }
  const auto column = static_cast<std::size_t>(section);
  return QString::fromStdString(header_of(table_.columns[column], units_[column]));
}

}  // namespace k3::gui
