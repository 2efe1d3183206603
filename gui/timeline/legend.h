#pragma once

#include <QWidget>
#include <vector>

#include "gui/models/timeline_focus.h"
#include "profiler/visual/draw_list.h"
#include "profiler/visual/palette.h"

namespace k3::gui {

/// What the colours and patterns of the timeline mean: the kinds that the runs have.
visual::DrawList timeline_legend(const std::vector<RunLanes>& runs, double width);

/// The legend, broken into lines as the width asks for.
class LegendStrip : public QWidget {
  Q_OBJECT

 public:
  explicit LegendStrip(QWidget* parent = nullptr);

  void show_runs(const std::vector<RunLanes>& runs);
  void set_theme(visual::Theme theme);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange();

  std::vector<RunLanes> runs_;
  visual::DrawList list_;
  visual::Theme theme_ = visual::Theme::light;
};

}  // namespace k3::gui
