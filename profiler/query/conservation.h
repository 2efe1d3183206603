#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/store/session_reader.h"

namespace k3::query {

/// Result of checking what must hold in every step, whatever the routing:
///   Σ copies of a dispatch = tokens × top-k, in every MoE layer, and likewise for the combine;
///   rows ≤ copies in every cell; bytes = rows × row bytes in every cell;
///   Σ tokens over experts = Σ over slots = Σ copies; recorded choices count to the experts'
///   tokens.
/// top-k, MoE layers and row bytes are taken from `meta` where the run stored them, else the value
/// found most often must hold everywhere.
struct ConservationReport {
  std::int64_t checks = 0;  ///< equations looked at; 0: the session holds no traffic
  std::int64_t num_violations = 0;
  std::vector<std::string> violations;  ///< the first ones, one sentence each
  std::int64_t copies = 0;              ///< of all dispatches
  std::int64_t rows = 0;
  std::int64_t tokens = 0;  ///< of all steps
  int top_k = 0;
  int moe_layers = 0;
  std::int64_t dispatch_row_bytes = 0;
  std::int64_t combine_row_bytes = 0;

  bool holds() const { return num_violations == 0; }
};

Result<ConservationReport> conservation(const store::SessionReader& session);

}  // namespace k3::query
