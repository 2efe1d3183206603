#pragma once

#include "gui/models/data_table.h"
#include "gui/models/latest_task.h"
#include "gui/models/run_service.h"
#include "gui/views/panel.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSettings;
class QTableView;

namespace k3::gui {

/// SQL over an open session: a statement, its rows, what was asked before. Runs on a thread of its
/// own over the file opened once more, so that a long query holds up nothing.
class SqlPanel : public Panel {
  Q_OBJECT

 public:
  /// `settings` keeps the history and outlives the panel.
  SqlPanel(RunService* runs, QSettings* settings, QWidget* parent = nullptr);

  QPlainTextEdit& editor() { return *editor_; }

  const DataTableModel& model() const { return *model_; }

  QString message() const;

  bool settled() const override { return !task_.busy(); }

  /// Runs what the editor holds.
  void run();

 private:
  void show_runs();
  void say(const QString& words);
  void remember(const QString& sql);
  void set_running(bool running);

  RunService* runs_;
  QSettings* settings_;
  QComboBox* session_;
  QComboBox* history_;
  QPlainTextEdit* editor_;
  QPushButton* run_button_;
  QPushButton* cancel_;
  QLabel* message_;
  QTableView* view_;
  DataTableModel* model_;
  LatestTask task_;
};

}  // namespace k3::gui
