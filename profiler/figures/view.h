#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/task_kind.h"
#include "profiler/figures/run_detail.h"
#include "profiler/visual/draw_list.h"
#include "profiler/visual/numbers.h"

namespace k3::figures {

/// One run as the figures see it.
struct RunView {
  const RunDetail* detail = nullptr;
  std::string name;  ///< "measured", "simulated"; of two of a kind "A: measured", "B: measured"
  std::string file;  ///< without folders
  std::string machine;
  visual::Provenance provenance = visual::Provenance::measured;
  int steps = 0;      ///< of the phase reported
  double step_s = 0;  ///< mean duration of these steps
  double task_s = 0;  ///< mean time of one rank in tasks of a step, waiting included
};

/// How times of two runs share one scale.
enum class TimeScale : std::uint8_t {
  seconds,
  shares,  ///< the runs are so far apart that one would vanish: shares of each run's own task time
};

/// One run, or two beside each other, ready to be drawn. Looks into the Input it was made from.
struct RunsView {
  const Input* input = nullptr;
  Phase phase = Phase::decode;
  std::vector<RunView> runs;
  const query::Comparison* comparison = nullptr;
  TimeScale times = TimeScale::seconds;
  bool measured_and_simulated = false;  ///< one of each
  bool machines_differ = false;

  bool pair() const { return runs.size() == 2; }
};

RunsView view_of(const Input& input);

/// The name of a run at the begin of a sentence.
std::string capital(const RunView& run);

/// A time in the unit that suits it.
std::string time_text(double seconds);

std::string ratio_text(double ratio);

std::string share_text(double share);

/// "measured: a.k3r (local) · simulated: b.k3r (gb300-nvl72)": under every figure.
std::string provenance_line(const RunsView& view);

/// What the y axis of task times shows of `seconds` in this run.
double on_time_scale(const RunsView& view, const RunView& run, double seconds);

visual::Quantity time_quantity(const RunsView& view);

/// "time per step and rank", or what shares are of.
std::string time_title(const RunsView& view);

/// A sentence to add where the scale is one of shares; else empty.
std::string scale_note(const RunsView& view);

/// Mean over steps and ranks of one half of a layer, waiting not included; 0 where it has none.
struct LayerTime {
  int layer = 0;
  std::optional<TaskKind> attention;     ///< kda or mla
  std::optional<TaskKind> feed_forward;  ///< experts or dense
  double attention_s = 0;
  double feed_forward_s = 0;
};

std::vector<LayerTime> layer_times(const RunView& run, Phase phase);

}  // namespace k3::figures
