#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "profiler/query/scope.h"
#include "profiler/store/session_reader.h"

namespace k3::query {

/// Copies of one MoE layer over the steps asked for. Balance = max / mean, 1 when there is no load.
struct ExpertLoad {
  int layer = 0;
  std::vector<std::uint64_t> expert_tokens;  ///< [experts], all replicas together
  std::vector<std::uint64_t> rank_tokens;    ///< [ranks]; empty when no placement was stored
  double expert_balance = 1;
  double rank_balance = 1;  ///< 1 when no placement was stored
};

/// Errors: not_found if the layer has no load, naming layers that have
Result<ExpertLoad> expert_load(const store::SessionReader& session, int layer);

/// The same for all MoE layers in scope, in order.
Result<std::vector<ExpertLoad>> expert_loads(const store::SessionReader& session,
                                             const Scope& scope = {});

/// Busiest over average; 1 when all are zero.
double max_over_mean(const std::vector<std::uint64_t>& loads);

}  // namespace k3::query
