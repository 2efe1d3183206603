#pragma once

#include <span>
#include <vector>

#include "engine/plan/plan.h"
#include "engine/routing/placement.h"
#include "engine/scenario/setup.h"
#include "engine/trace/trace.h"
#include "sim/calibration/calibration.h"

namespace k3::session {

/// Meta key of executed runs: prompt tokens per sequence, blanks between; what a replay needs.
inline constexpr const char* kPromptLengthsKey = "prompt_lengths";

/// What a session says of its run before the first step: scenario, names, plans, placement. Costs
/// of tasks come with the spans of a plan's first step.
RunHeader make_header(RunKind kind,
                      const Setup& setup,
                      std::span<const Plan> plans,
                      const Placement& placement);

/// Names the processor that the ranks' threads share: what tells whether a run and a prediction for
/// `local` are of one machine.
void add_processor(RunHeader& header, const sim::HostDescription& host);

}  // namespace k3::session
