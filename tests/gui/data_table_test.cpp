#include "gui/models/data_table.h"

#include <QAbstractItemModelTester>

#include <gtest/gtest.h>

namespace k3::gui {
namespace {

DataTable two_rows() {
  return {"Pairs",
          {{"pair"}, {"time", visual::Quantity::time}, {"share", visual::Quantity::share}},
          {{std::string("0 → 1"), 0.00125, 0.5}, {std::string("1, \"0\""), 2.5e-6, Cell{}}}};
}

TEST(DataTable, KeepsTheRulesOfItemModels) {
  DataTableModel model;
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.show(two_rows());
  model.show({});
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(DataTable, ShowsOneUnitPerColumnAndSortsByTheValue) {
  DataTableModel model;
  model.show(two_rows());
  EXPECT_EQ(model.headerData(1, Qt::Horizontal).toString().toStdString(), "time (ms)");
  EXPECT_EQ(model.index(0, 1).data().toString().toStdString(), "1.25");
  EXPECT_EQ(model.index(1, 1).data().toString().toStdString(), "0.00250");
  EXPECT_DOUBLE_EQ(model.index(1, 1).data(Qt::UserRole).toDouble(), 2.5e-6);
  EXPECT_EQ(model.index(1, 2).data().toString().toStdString(), "–");
}

TEST(DataTable, CopiesAllDigitsAndQuotesWhatWouldBreakACell) {
  EXPECT_EQ(delimited(two_rows(), ','),
            "pair,time (ms),share (%)\n"
            "0 → 1,1.25,50\n"
            "\"1, \"\"0\"\"\",0.0025,\n");
}

}  // namespace
}  // namespace k3::gui
