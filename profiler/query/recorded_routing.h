#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/routing/routing.h"
#include "profiler/store/session_reader.h"

namespace k3::query {

/// The expert choices of every step, MoE layers ascending, tokens in global order: what
/// make_recorded_routing replays.
/// Errors: not_found if the run recorded none; corrupt if layers of a step disagree
Result<std::vector<StepRouting>> read_routing(const store::SessionReader& session);

}  // namespace k3::query
