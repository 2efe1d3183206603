#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/base/task_kind.h"
#include "profiler/query/scope.h"
#include "profiler/store/session_reader.h"

namespace k3::query {

/// Time of one kind, layer and stage per step and rank.
struct LayerCost {
  Phase phase = Phase::decode;
  TaskKind kind = TaskKind::embed;
  int layer = -1;  ///< −1: not part of a layer
  Stage stage = Stage::whole;
  int steps = 0;               ///< how many steps have it
  double mean_us = 0;          ///< over steps and ranks, waiting included
  double wait_us = 0;          ///< the waiting in mean_us
  double slowest_rank_us = 0;  ///< of the slowest rank of each step, mean over steps
  double flops = 0;            ///< per step and rank
  double bytes = 0;
};

/// By phase, kind, layer, stage.
Result<std::vector<LayerCost>> layer_costs(const store::SessionReader& session,
                                           const Scope& scope = {});

/// Time of one kind per step and rank, over all layers and stages.
struct KindCost {
  Phase phase = Phase::decode;
  TaskKind kind = TaskKind::embed;
  double mean_us = 0;  ///< waiting included
  double wait_us = 0;
  double share = 0;  ///< of the sum over all kinds of the phase
};

/// By phase and kind, over the layers and steps in scope. The sum over kinds is the time that a
/// rank's lanes are busy or waiting; it exceeds the step where lanes overlap and stays below it
/// where they idle.
Result<std::vector<KindCost>> step_breakdown(const store::SessionReader& session,
                                             const Scope& scope = {});

/// What one rank's time was spent on, over all steps.
struct RankTime {
  int rank = 0;
  double compute_us = 0;
  double transfer_us = 0;
  double wait_us = 0;
  double other_us = 0;  ///< memory and other spans
};

Result<std::vector<RankTime>> rank_times(const store::SessionReader& session);

}  // namespace k3::query
