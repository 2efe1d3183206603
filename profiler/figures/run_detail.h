#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/base/task_kind.h"
#include "profiler/query/attention.h"
#include "profiler/query/comparison.h"
#include "profiler/query/costs.h"
#include "profiler/query/expert_load.h"
#include "profiler/query/scope.h"
#include "profiler/query/session_summary.h"
#include "profiler/query/traffic.h"

namespace k3::figures {

/// What figures show of one session, as profiler/query gives it for the scope asked.
struct RunDetail {
  query::SessionSummary summary;
  std::vector<query::KindCost> kinds;
  std::vector<query::LayerCost> layers;
  std::vector<query::AttentionStep> attention;  ///< steps of both phases
  query::AttentionSpread spread;
  query::TrafficSum traffic;                   ///< of two runs: over the steps that both have
  std::array<query::TrafficSum, 2> exchanges;  ///< its parts by Direction; empty: not asked for
  std::vector<query::ExpertLoad> load;
  int gpus_per_tray = 0;  ///< 0: no trays
};

/// One run, or two beside each other. Of two, the first is the one that was measured if any was.
struct Input {
  RunDetail first;
  std::optional<RunDetail> second;
  std::optional<query::Comparison> comparison;  ///< of first and second
  query::Scope scope;                           ///< a step is one of the first run
  std::optional<Direction> direction;           ///< of traffic
};

/// Errors: invalid_input for numbers that contradict each other (a matrix that is not square)
Result<void> check(const Input& input);

}  // namespace k3::figures
