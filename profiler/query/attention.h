#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/task_kind.h"
#include "profiler/query/scope.h"
#include "profiler/store/session_reader.h"

namespace k3::query {

/// Attention in one step: time of one layer, mean over the layers of a kind and over ranks, waiting
/// not included; 0 where the model has no such layer.
struct AttentionStep {
  int step = 0;
  Phase phase = Phase::decode;
  std::int64_t context = 0;  ///< tokens in the cache before the step, longest sequence
  std::int64_t tokens = 0;   ///< new tokens, of all ranks
  double kda_us = 0;
  double mla_us = 0;
};

Result<std::vector<AttentionStep>> attention_steps(const store::SessionReader& session,
                                                   const Scope& scope = {});

/// How far the ranks and steps of a run lie apart in the attention of one layer: waiting not
/// included.
struct LayerSpread {
  Phase phase = Phase::decode;
  TaskKind kind = TaskKind::kda;  ///< kda or mla
  int layer = 0;
  double low_us = 0;   ///< 5 % of ranks and steps take less
  double high_us = 0;  ///< 5 % take more
};

struct AttentionSpread {
  std::vector<LayerSpread> layers;  ///< by phase and layer
  int steps = 0;                    ///< in scope
  int steps_used = 0;  ///< fewer than `steps` where the spans of all would take long to read
};

Result<AttentionSpread> attention_spread(const store::SessionReader& session,
                                         const Scope& scope = {});

}  // namespace k3::query
