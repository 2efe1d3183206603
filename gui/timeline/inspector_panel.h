#pragma once

#include <vector>

#include "gui/models/facts.h"
#include "gui/models/run_service.h"
#include "gui/models/timeline_focus.h"
#include "gui/views/panel.h"

class QLabel;
class QTreeWidget;

namespace k3::gui {

/// Numbers, units and sources of what is selected: a span of the timeline, a pair of ranks, a
/// layer.
class InspectorPanel : public Panel {
  Q_OBJECT

 public:
  InspectorPanel(RunService* runs,
                 TimelineFocus* focus,
                 SelectionModel* selection,
                 QWidget* parent = nullptr);

  /// What it waits for is asked of the service, which is busy then.
  bool settled() const override { return !runs_->busy(); }

  const std::vector<FactGroup>& shown() const { return shown_; }

 private:
  void request();
  void show_facts(std::vector<FactGroup> groups);
  void copy() const;

  RunService* runs_;
  TimelineFocus* focus_;
  SelectionModel* selection_;
  QLabel* empty_;
  QTreeWidget* tree_;
  std::vector<FactGroup> shown_;
};

}  // namespace k3::gui
