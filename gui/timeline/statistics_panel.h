#pragma once

#include <QTimer>

#include "gui/models/data_table.h"
#include "gui/models/latest_task.h"
#include "gui/models/timeline_focus.h"
#include "gui/views/panel.h"

class QLabel;
class QTableView;

namespace k3::gui {

/// Times per kind of what the timeline shows, or of the range that is marked there.
class StatisticsPanel : public Panel {
  Q_OBJECT

 public:
  StatisticsPanel(TimelineFocus* focus, SelectionModel* selection, QWidget* parent = nullptr);

  const DataTableModel& model() const { return *model_; }

  bool settled() const override { return !delay_.isActive() && !task_.busy(); }

 private:
  void request();

  TimelineFocus* focus_;
  SelectionModel* selection_;
  QLabel* title_;
  QTableView* view_;
  DataTableModel* model_;
  QTimer delay_;
  LatestTask task_;
};

}  // namespace k3::gui
