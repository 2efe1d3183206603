#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/scenario/setup.h"
#include "sim/calibration/calibration.h"

namespace k3::session {

/// One simulation of a scenario's steps.
struct SimulateRequest {
  Setup setup;
  /// Replays the steps of this measured session (sequences, lengths, expert choices) instead of the
  /// workload and routing of the scenario.
  std::optional<std::filesystem::path> routing_from;
  /// Machine `local`: what it is, in place of the file that the setup names.
  std::optional<sim::Calibration> calibration;
  std::optional<std::filesystem::path> output;  ///< absent: nothing is recorded
  Overwrite overwrite = Overwrite::no;
};

struct SimulateResult {
  std::string machine;
  Phase phase = Phase::decode;  ///< of the last plan: what step_ms is about
  int steps = 0;
  std::int64_t sequences = 0;  ///< of all ranks
  double step_ms = 0;          ///< mean over the steps of the last plan
  double prefill_ms = 0;       ///< mean over the prefill steps, 0 without any
  double wall_s = 0;           ///< built plan to last event
  std::int64_t tasks = 0;      ///< of one step, all ranks
  std::int64_t flows = 0;      ///< of one step
  std::string network;         ///< exact or endpoint
  /// Endpoint network: share by which it is too fast for the slowest rank of some exchanges, mean
  /// and largest; −1: not asked.
  double endpoint_error_mean = -1;
  double endpoint_error_max = -1;
  std::vector<std::pair<std::string, double>> breakdown_ms;
  /// Machine `local`: the same time by what threads and cores do, largest first; empty else.
  std::vector<std::pair<std::string, double>> host_ms;
  int cores = 0;                               ///< of machine `local`
  std::optional<sim::StepFactor> step_factor;  ///< that its times were multiplied by
};

/// Simulates the request. `progress` counts tasks.
/// Errors: no machine, does not fit its memory, a recording of other sequences or ranks
Result<SimulateResult> simulate(const SimulateRequest& request, Progress& progress);

}  // namespace k3::session
