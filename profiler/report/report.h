#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/query/comparison.h"
#include "profiler/query/costs.h"
#include "profiler/query/expert_load.h"
#include "profiler/query/session_summary.h"
#include "profiler/query/traffic.h"

namespace k3::report {

/// What a report shows of one session, as profiler/query gives it. `traffic` is the sum over layers
/// and directions of the phase reported: decode if the session has decode steps, else prefill.
struct RunDetail {
  query::SessionSummary summary;
  std::vector<query::KindCost> kinds;
  std::vector<query::LayerCost> layers;
  query::TrafficSum traffic;
  std::vector<query::ExpertLoad> load;
};

/// One run, or two beside each other. Of two, the first is the one that was measured if any was.
struct ReportInput {
  RunDetail first;
  std::optional<RunDetail> second;
  std::optional<query::Comparison> comparison;  ///< of first and second
};

/// One HTML file that needs nothing else: no script, no font, no other file. It answers in its
/// headline, then shows where the step goes, what layers cost, who sends how much to whom, how even
/// the experts are loaded and how far prediction and measurement are apart, then the tables.
/// Readable in dark, light and grey print. Host names and folders are left out. Errors:
/// invalid_input for numbers that contradict each other (a matrix that is not square)
Result<std::string> render_report(const ReportInput& input);

}  // namespace k3::report
