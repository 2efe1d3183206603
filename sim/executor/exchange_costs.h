#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/topology.h"
#include "engine/plan/work.h"
#include "engine/trace/trace.h"
#include "sim/executor/step_traffic.h"
#include "sim/network/all_to_all.h"

namespace k3::sim {

/// The network of a run: links, the GPU of every rank, and the all-to-alls that have been solved.
/// One per run; not thread-safe (it uses threads itself).
///
/// exact: with t(M) the completion of each pair of the row matrix M in the fluid model (live
/// striping, sim/network/max_min.h), r bytes per row and network efficiency η,
///
///   link_r = max of t over the pairs of rank r, times row bytes / η
///
/// which replaces link_r of the endpoint model (sim/network/endpoint.h). Matrices that were solved
/// before are not solved again, whatever their row bytes; inside one rack a matrix and its
/// transpose (dispatch and combine) count as the same, since links are as wide in both directions.
class ExchangeCosts {
 public:
  ExchangeCosts(const SimulationInput& input, int num_ranks);
  ~ExchangeCosts();
  ExchangeCosts(const ExchangeCosts&) = delete;
  ExchangeCosts& operator=(const ExchangeCosts&) = delete;
  ExchangeCosts(ExchangeCosts&&) = delete;
  ExchangeCosts& operator=(ExchangeCosts&&) = delete;

  /// Sets `matrix` and `rank_seconds` of every exchange of a step from its traffic.
  /// Errors: a rank cannot be reached over the links that are left
  Result<void> cost(std::vector<LayerExchanges>& layers);

  /// What every link carried in the exchanges of the step that was costed last.
  Result<std::vector<LinkUseRecord>> link_use(const std::vector<LayerExchanges>& layers,
                                              LinkDetail detail);

  /// Solves some exchanges of a step exactly and holds the endpoint model against them.
  Result<EndpointError> endpoint_error(const std::vector<LayerExchanges>& layers);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The links of a machine as a session names them.
std::vector<LinkRecord> link_records(const Topology& topology);

}  // namespace k3::sim
