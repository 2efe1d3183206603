#pragma once

#include <QAbstractScrollArea>
#include <QImage>
#include <memory>
#include <optional>
#include <vector>

#include "gui/models/latest_task.h"
#include "gui/models/selection.h"
#include "gui/models/timeline_focus.h"
#include "gui/timeline/frame.h"
#include "gui/timeline/hit.h"
#include "gui/timeline/lane_layout.h"
#include "gui/timeline/looks.h"
#include "gui/timeline/navigator.h"
#include "gui/timeline/overlay.h"
#include "gui/timeline/scene.h"

namespace k3::gui {

/// The painted rows of the loaded runs and their navigation. Draw items are made on another thread;
/// until they are there, those of the former frame are painted where the window is now. All keys
/// are actions of this widget.
class TimelineCanvas : public QAbstractScrollArea {
  Q_OBJECT

 public:
  TimelineCanvas(TimelineFocus* focus, SelectionModel* selection, QWidget* parent = nullptr);

  void set_theme(visual::Theme theme);

  /// True when what is painted was made for the current window.
  bool settled() const;

  const Navigator& navigator() const { return navigator_; }

  const LaneLayout& layout_of_rows() const { return layout_; }

  const LayoutOptions& options() const { return options_; }

  void set_options(LayoutOptions options);

  /// As it is on the screen, without the pointer's line.
  QImage picture();

  Scene scene() const;

  /// Selects a span and moves the window only if it is not in sight.
  void reveal(const SpanRef& span);

  void zoom_to(TimeRange range);

  void select_span(const SpanRef& span) { focus_->set_span(span); }

 public Q_SLOTS:
  void zoom_in();
  void zoom_out();
  void earlier();
  void later();
  void fit();
  void zoom_to_selection();
  void go_back();
  void go_to_begin();
  void go_to_end();
  void previous_step();
  void next_step();
  void mark_selected();
  void clear();
  void rows_higher();
  void rows_lower();
  void collapse_or_expand_all();
  /// Restricts all views to rank and layer of the selected span.
  void share_selected();
  void scroll_rows(int pixels);

 Q_SIGNALS:
  void hovered(const k3::gui::SpanRef& span, const QPoint& global);
  void menu_wanted(const k3::gui::Hit& hit, const QPoint& global);
  void options_changed();

 protected:
  bool viewportEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  enum class Drag : std::uint8_t { none, pressed, pan, range };

  void show_runs();
  void follow_zero();
  void follow_selection();
  void arrange();
  void look_changed();
  void request_frame();
  void request_flows();
  void render();
  void go_by_step(int direction);
  void click(const QPoint& point, Qt::KeyboardModifiers modifiers);
  void click_label(const Hit& hit);
  void select_range(const std::optional<TimeRange>& range);
  TimeRange dragged_range(int x) const;
  int zoom_center() const;

  TimelineFocus* focus_;
  SelectionModel* selection_;
  LatestTask frames_;
  LatestTask flows_task_;
  Navigator navigator_;
  LayoutOptions options_;
  bool height_is_chosen_ = false;  ///< else rows are as high as there is room
  LaneLayout layout_;
  std::shared_ptr<const Frame> frame_;
  bool frame_is_old_ = false;        ///< a newer one is to be made once this one is there
  std::vector<std::int64_t> zeros_;  ///< those that the window belongs to
  Selection followed_;
  Overlay overlay_;
  Looks looks_{visual::Theme::light, 1};
  NameCache names_;
  QImage image_;
  bool image_is_old_ = true;
  Drag drag_ = Drag::none;
  QPoint drag_begin_;
  int drag_last_x_ = 0;
};

}  // namespace k3::gui
