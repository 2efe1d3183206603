#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/core.h>

#include "profiler/figures/figures.h"
#include "profiler/query/private_data.h"

namespace k3::figures {
namespace {

using visual::Quantity;

/// From here on bars of one run would be too short to read beside the other's.
constexpr double kSharesFromRatio = 8;

bool has_phase(const RunDetail& run, Phase phase) {
  return std::any_of(run.summary.steps.begin(), run.summary.steps.end(),
                     [phase](const query::StepSummary& step) { return step.phase == phase; });
}

/// What was asked for; else decode if all runs have it, else prefill if all have it, else what the
/// first run has.
Phase phase_of(const Input& input) {
  if (input.scope.phase) return *input.scope.phase;
  for (const query::StepSummary& step : input.first.summary.steps) {
    if (input.scope.step == step.step) return step.phase;
  }
  for (const Phase phase : {Phase::decode, Phase::prefill}) {
    if (has_phase(input.first, phase) && (!input.second || has_phase(*input.second, phase))) {
      return phase;
    }
  }
  return has_phase(input.first, Phase::prefill) ? Phase::prefill : Phase::decode;
}

visual::Provenance provenance_of(RunKind kind) {
  return kind == RunKind::simulated ? visual::Provenance::simulated : visual::Provenance::measured;
}

std::string kind_name(RunKind kind) {
  switch (kind) {
    case RunKind::measured:
      return "measured";
    case RunKind::simulated:
      return "simulated";
    case RunKind::imported:
      break;
  }
  return "imported";
}

RunView run_view(const RunDetail& detail, Phase phase, std::optional<int> only) {
  RunView run;
  run.detail = &detail;
  run.name = kind_name(detail.summary.kind);
  run.file = query::file_name(detail.summary.path);
  run.machine = query::without_folders(detail.summary.machine);
  run.provenance = provenance_of(detail.summary.kind);
  double sum_ns = 0;
  for (const query::StepSummary& step : detail.summary.steps) {
    if (step.phase != phase || (only && step.step != *only)) continue;
    sum_ns += static_cast<double>(step.duration_ns);
    ++run.steps;
  }
  if (run.steps > 0) run.step_s = sum_ns * 1e-9 / run.steps;
  for (const query::KindCost& kind : detail.kinds) {
    if (kind.phase == phase) run.task_s += kind.mean_us * 1e-6;
  }
  return run;
}

/// Step times over the steps that both runs have, as `compare` prints them.
void take_common_steps(RunsView& view) {
  if (view.comparison == nullptr || !view.pair()) return;
  const bool prefill = view.phase == Phase::prefill && view.comparison->prefill.steps > 0;
  const query::StepComparison& step = prefill ? view.comparison->prefill : view.comparison->step;
  if (step.steps == 0) return;
  view.runs[0].step_s = step.measured_ms * 1e-3;
  view.runs[1].step_s = step.simulated_ms * 1e-3;
  view.runs[0].steps = step.steps;
  view.runs[1].steps = step.steps;
}

/// Whether times compare two machines. Runs that name their processor are of one machine where it
/// is the same one, whatever the machine is called (`local`).
bool on_different_machines(const RunView& a, const RunView& b) {
  const std::string& first = a.detail->summary.processor;
  const std::string& second = b.detail->summary.processor;
  if (!first.empty() && !second.empty()) return first != second;
  return !a.machine.empty() && !b.machine.empty() && a.machine != b.machine;
}

bool far_apart(double a, double b) {
  return a > 0 && b > 0 && std::max(a, b) >= kSharesFromRatio * std::min(a, b);
}

bool is_feed_forward(TaskKind kind) {
  switch (kind) {
    case TaskKind::dense:
    case TaskKind::router:
    case TaskKind::latent:
    case TaskKind::dispatch:
    case TaskKind::experts:
    case TaskKind::combine:
    case TaskKind::shared:
      return true;
    default:
      return false;
  }
}

}  // namespace

RunsView view_of(const Input& input) {
  RunsView view;
  view.input = &input;
  view.phase = phase_of(input);
  view.runs.push_back(run_view(input.first, view.phase, input.scope.step));
  if (!input.second) return view;
  view.runs.push_back(run_view(*input.second, view.phase, std::nullopt));
  if (input.comparison) view.comparison = &*input.comparison;
  take_common_steps(view);
  RunView& a = view.runs[0];
  RunView& b = view.runs[1];
  view.measured_and_simulated = a.provenance != b.provenance;
  view.machines_differ = on_different_machines(a, b);
  if (a.name == b.name) {
    a.name = "A: " + a.name;
    b.name = "B: " + b.name;
  }
  if (far_apart(a.task_s, b.task_s)) view.times = TimeScale::shares;
  return view;
}

std::string capital(const RunView& run) {
  std::string name = run.name;
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return name;
}

std::string time_text(double seconds) {
  return visual::text_of(Quantity::time, seconds);
}

std::string ratio_text(double ratio) {
  return visual::text_of(Quantity::ratio, ratio);
}

std::string share_text(double share) {
  return visual::text_of(Quantity::share, share);
}

std::string provenance_line(const RunsView& view) {
  std::string out;
  for (const RunView& run : view.runs) {
    if (!out.empty()) out += " · ";
    out += run.name;
    if (!run.file.empty()) out += ": " + run.file;
    if (!run.machine.empty()) out += " (" + run.machine + ")";
  }
  return out;
}

double on_time_scale(const RunsView& view, const RunView& run, double seconds) {
  if (view.times == TimeScale::seconds) return seconds;
  return run.task_s > 0 ? seconds / run.task_s : 0;
}

Quantity time_quantity(const RunsView& view) {
  return view.times == TimeScale::seconds ? Quantity::time : Quantity::share;
}

std::string time_title(const RunsView& view) {
  return view.times == TimeScale::seconds ? "time per step, mean over ranks"
                                          : "share of the run's own task time";
}

std::string scale_note(const RunsView& view) {
  if (view.times == TimeScale::seconds) return {};
  return fmt::format(
      "The two runs are {} apart, so both are drawn as shares of their own task time ({} and {} "
      "per step and rank) on one scale; absolute times are in the tables.",
      ratio_text(std::max(view.runs[0].task_s / view.runs[1].task_s,
                          view.runs[1].task_s / view.runs[0].task_s)),
      time_text(view.runs[0].task_s), time_text(view.runs[1].task_s));
}

std::vector<LayerTime> layer_times(const RunView& run, Phase phase) {
  std::map<int, LayerTime> layers;
  for (const query::LayerCost& cost : run.detail->layers) {
    if (cost.phase != phase || cost.layer < 0) continue;
    LayerTime& layer = layers[cost.layer];
    layer.layer = cost.layer;
    const double seconds = (cost.mean_us - cost.wait_us) * 1e-6;
    if (cost.kind == TaskKind::kda || cost.kind == TaskKind::mla) {
      layer.attention = cost.kind;
      layer.attention_s += seconds;
    } else if (is_feed_forward(cost.kind)) {
      if (cost.kind == TaskKind::dense || !layer.feed_forward) {
        layer.feed_forward = cost.kind == TaskKind::dense ? TaskKind::dense : TaskKind::experts;
      }
      layer.feed_forward_s += seconds;
    }
  }
  std::vector<LayerTime> out;
  for (const auto& [index, layer] : layers)
    out.push_back(layer);
  return out;
}

}  // namespace k3::figures
