#pragma once

#include <QTimer>

#include "gui/models/events_model.h"
#include "gui/models/latest_task.h"
#include "gui/models/timeline_focus.h"
#include "gui/views/panel.h"

class QLabel;
class QLineEdit;
class QTableView;
class QToolButton;

namespace k3::gui {

/// The spans that the timeline shows, or those of the range that is marked there, as a table.
/// Collected and sorted on another thread, only while the panel is in sight.
class EventsPanel : public Panel {
  Q_OBJECT

 public:
  EventsPanel(TimelineFocus* focus, SelectionModel* selection, QWidget* parent = nullptr);

  EventsModel& model() { return *model_; }

  QLineEdit& filter() { return *filter_; }

  bool settled() const override { return !delay_.isActive() && !task_.busy(); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void renew();
  void request();
  void show_list(EventRequest request, EventList list);

  TimelineFocus* focus_;
  SelectionModel* selection_;
  QLineEdit* filter_;
  QLabel* count_;
  QToolButton* cancel_;
  QTableView* view_;
  EventsModel* model_;
  EventColumn order_ = EventColumn::begin;
  Qt::SortOrder direction_ = Qt::AscendingOrder;
  bool sized_ = false;  ///< columns have their widths
  QTimer delay_;
  LatestTask task_;
};

}  // namespace k3::gui
