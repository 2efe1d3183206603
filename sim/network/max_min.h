#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/progress.h"
#include "sim/network/flow_problem.h"

namespace k3::sim {

/// Exact fluid model: at every moment the active flows share the links max-min fairly, i.e. no rate
/// can grow without lowering one that is not larger. Rates change when a flow starts or ends, and
/// only then.
///
/// How it is computed. Each link l has a level x_l, the largest rate on it; a flow's rate is the
/// smallest level of its links. Links are filled in ascending order of level:
///
///   x_l = (C_l − Σ rates of flows with a filled link) / (number of the other flows on l)
///
/// Levels that come out ascending are max-min fair: each flow is held by the first of its links in
/// the order, which is full and where no flow is faster. From one event to the next the order
/// hardly changes, so that it is kept, filled again from the first link that the event touches, and
/// repaired by insertion where a level comes out of order. Parts of the network that share no link
/// (and no dependency) are solved apart; flows with the same links count as one with a
/// multiplicity.

struct FlowTimes {
  std::vector<double> arrival_s;  ///< per flow: last byte out, plus its latency
  std::vector<double> start_s;    ///< per flow: when it began to move
  std::int64_t events = 0;        ///< moments at which rates changed, over all parts

  double makespan_s() const;
};

struct SolveOptions {
  int threads = 1;  ///< parts in parallel; the result does not depend on it
  Progress* progress =
      nullptr;  ///< optional: counts flows that have ended; cancelled: times are void
};

FlowTimes solve_flows(const FlowProblem& problem, const SolveOptions& options = {});

/// Rates in bytes per second when all flows are active at once.
std::vector<double> max_min_rates(const FlowProblem& problem);

}  // namespace k3::sim
