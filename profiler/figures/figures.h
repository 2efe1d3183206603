#pragma once

#include <string>
#include <vector>

#include "profiler/figures/view.h"
#include "profiler/visual/draw_list.h"

namespace k3::figures {

/// One figure: a question, its computed answer, the picture, what it was made from.
struct Figure {
  std::string id;
  std::string question;
  std::string answer;
  std::string note;
  std::vector<visual::DrawList> pictures;  ///< side by side where there is room
};

/// Between pictures side by side.
inline constexpr double kPictureGap = 16;

// Each figure takes the width that its pictures have side by side.

/// Where does a step go?
Figure step_figure(const RunsView& view, double width);
/// What does each layer cost: KDA, full attention, experts?
Figure layer_figure(const RunsView& view, double width);
/// How does attention grow with context? One point per step.
Figure context_figure(const RunsView& view, double width);
/// Which rank sends how much to which?
Figure traffic_figure(const RunsView& view, double width);
/// How evenly are the experts loaded?
Figure load_figure(const RunsView& view, double width);
/// How well does the simulation predict the measurement?
Figure error_figure(const RunsView& view, double width);

/// Which experts and ranks of which layers carry the load? Layers × experts and layers × ranks.
Figure expert_maps(const RunsView& view, double width);
/// Tokens of the experts of one MoE layer.
Figure expert_bars(const RunsView& view, int layer, double width);
/// Where does the time of one layer go: its kinds and stages.
Figure stage_figure(const RunsView& view, int layer, double width);
/// How long does each step take?
Figure steps_figure(const RunsView& view, double width);

}  // namespace k3::figures
