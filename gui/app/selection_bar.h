#pragma once

#include <QToolBar>

#include "gui/models/run_service.h"
#include "gui/models/selection.h"

class QComboBox;
class QHBoxLayout;
class QLabel;

namespace k3::gui {

/// What is open and what is selected, always in sight: choices for phase, step and layer, and a
/// chip for every restriction, which a click removes.
class SelectionBar : public QToolBar {
  Q_OBJECT

 public:
  SelectionBar(RunService* runs, SelectionModel* selection, QWidget* parent = nullptr);

 private:
  void show_runs();
  void show_selection(const Selection& selection);
  void choose();

  RunService* runs_;
  SelectionModel* selection_;
  QLabel* names_;
  QComboBox* phase_;
  QComboBox* step_;
  QComboBox* layer_;
  QComboBox* direction_;
  QWidget* chips_;
  QHBoxLayout* chip_row_;
};

}  // namespace k3::gui
