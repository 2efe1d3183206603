#pragma once

#include <QFont>
#include <QImage>
#include <QStaticText>
#include <QString>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "gui/models/selection.h"
#include "gui/timeline/frame.h"
#include "gui/timeline/lane_layout.h"
#include "gui/timeline/looks.h"
#include "gui/timeline/time_window.h"
#include "profiler/visual/draw_list.h"

namespace k3::gui {

/// A run in a picture of the timeline.
struct SceneRun {
  FrameRun run;
  QString name;
  visual::Provenance provenance = visual::Provenance::measured;
};

/// Everything that a picture of the timeline depends on, in the units of its widget.
struct Scene {
  std::vector<SceneRun> runs;
  const LaneLayout* layout = nullptr;
  const Frame* frame = nullptr;  ///< null: none is ready yet
  TimeWindow window;             ///< as wide as the plot
  int gutter = 0;                ///< left of the plot, for labels
  int top = 0;                   ///< above the plot, for the ruler
  int scroll = 0;                ///< of the rows
  Selection selection;

  /// Where a time of the axis lies in the picture, cut to what pixels can say.
  int x_of(std::int64_t time_ns) const;

  bool is_pale(int rank) const;
};

/// Names cut to widths, laid out once.
class NameCache {
 public:
  explicit NameCache(const QFont& font) : font_(font) {}

  const QFont& font() const { return font_; }

  /// What fits into `width`; nullptr: nothing does.
  const QStaticText* fitted(std::size_t run, std::int32_t name, const std::string& text, int width);

  void clear() { texts_.clear(); }

 private:
  using Key = std::tuple<std::size_t, std::int32_t, int>;

  QFont font_;
  std::map<std::pair<std::size_t, std::int32_t>, int> widths_;
  std::map<Key, std::optional<QStaticText>> texts_;
};

/// Paints everything that does not follow the pointer: rows with their spans and names, steps,
/// labels, ruler. `image` is RGB32 and has the size of the widget times its device pixel ratio.
void paint_scene(QImage& image, const Scene& scene, const Looks& looks, NameCache& names);

/// The step of a run at a time of the axis; null: none.
const store::StepRow* step_at(const SceneRun& run, std::int64_t axis_ns);

}  // namespace k3::gui
