#pragma once

#include <string>
#include <vector>

#include "sim/network/flow_problem.h"

namespace k3::test {

/// Flows over links of a network, as both solvers take them.
struct FlowNetwork {
  std::string name;  ///< unique in a run
  std::vector<double> capacity;
  std::vector<std::vector<std::int32_t>> links;  ///< per flow
  std::vector<double> bytes;                     ///< whole numbers: SimGrid takes no others
  std::vector<double> start_s;

  sim::FlowProblem problem() const;
};

struct SimGridTimes {
  std::vector<std::vector<double>> arrival_s;  ///< per network and flow
  double wall_s = 0;                           ///< of the simulation alone, not of the set-up
};

/// SimGrid 3.32 with pure max-min sharing instead of its TCP models. Once per process, since its
/// engine exists once.
SimGridTimes simgrid_times(const std::vector<FlowNetwork>& networks);

}  // namespace k3::test
