#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/task_kind.h"
#include "profiler/query/traffic.h"

namespace k3::query {

/// Copies that one expert causes between two ranks.
struct ExpertCopies {
  Direction direction = Direction::dispatch;
  int layer = 0;
  int expert = 0;
  std::uint64_t copies = 0;
};

/// Which experts are behind a cell of the traffic matrix: a dispatch goes to the rank of the
/// expert, a combine comes from it.
struct PairExperts {
  std::vector<ExpertCopies> experts;  ///< most copies first
  std::uint64_t copies = 0;           ///< of all of them
  std::string reason;                 ///< not empty: why nothing can be said
};

/// From the choices and the placement that the run recorded. A step's tokens belong to sequences in
/// order, and sequence s to rank s mod ranks; what this counts is held against the recorded copies
/// of the same cell, and where they differ nothing is said.
Result<PairExperts> pair_experts(const store::SessionReader& session,
                                 const TrafficFilter& filter,
                                 int source,
                                 int destination);

}  // namespace k3::query
