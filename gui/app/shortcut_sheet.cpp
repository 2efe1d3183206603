#include "gui/app/shortcut_sheet.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>
#include <set>

namespace k3::gui {

ShortcutSheet::ShortcutSheet(QWidget* window) : QDialog(window) {
  setWindowTitle(tr("Keyboard shortcuts"));
  auto* table = new QTableWidget(0, 2, this);
  table->setHorizontalHeaderLabels({tr("Key"), tr("What it does")});
  table->verticalHeader()->hide();
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->horizontalHeader()->setStretchLastSection(true);
  std::set<QString> seen;
  for (const QAction* action : window->findChildren<QAction*>()) {
    QStringList keys;
    for (const QKeySequence& key : action->shortcuts())
      keys << key.toString(QKeySequence::NativeText);
    if (keys.isEmpty() || !seen.insert(action->text()).second) continue;
    const int row = table->rowCount();
    table->insertRow(row);
    table->setItem(row, 0, new QTableWidgetItem(keys.join(", ")));
    table->setItem(row, 1, new QTableWidgetItem(QString(action->text()).remove('&')));
  }
  table->resizeColumnsToContents();
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(table);
  layout->addWidget(buttons);
  resize(520, 560);
}

}  // namespace k3::gui
