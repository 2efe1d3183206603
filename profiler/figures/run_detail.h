#pragma once

#include <optional>
#include <vector>

#include "profiler/query/comparison.h"
#include "profiler/query/costs.h"
#include "profiler/query/expert_load.h"
#include "profiler/query/session_summary.h"
#include "profiler/query/traffic.h"

namespace k3::figures {

/// What figures show of one session, as profiler/query gives it. `traffic` is the sum over layers
/// and directions of the phase reported: decode if the session has decode steps, else prefill.
struct RunDetail {
  query::SessionSummary summary;
  std::vector<query::KindCost> kinds;
  std::vector<query::LayerCost> layers;
  query::TrafficSum traffic;
  std::vector<query::ExpertLoad> load;
};

/// One run, or two beside each other. Of two, the first is the one that was measured if any was.
struct Input {
  RunDetail first;
  std::optional<RunDetail> second;
  std::optional<query::Comparison> comparison;  ///< of first and second
};

/// Errors: invalid_input for numbers that contradict each other (a matrix that is not square)
Result<void> check(const Input& input);

}  // namespace k3::figures
