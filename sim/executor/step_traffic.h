#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/plan/step_shape.h"
#include "engine/plan/work.h"
#include "sim/executor/simulation.h"
#include "sim/network/byte_matrix.h"

namespace k3::sim {

/// One all-to-all and how long each rank's transfer takes once every rank has arrived.
struct Exchange {
  ByteMatrix matrix;
  std::vector<double> rank_seconds;
};

/// What routing makes of one MoE layer in one step.
struct LayerExchanges {
  LayerTraffic traffic;
  std::vector<RoutedShape> routed;  ///< per rank
  Exchange dispatch;
  Exchange combine;
};

struct StepTraffic {
  StepRouting routing;                 ///< empty unless routing is recorded
  std::vector<LayerExchanges> layers;  ///< per MoE layer
  std::int64_t flows = 0;
};

/// Draws or replays the expert choices of step `step`, counts what they move and costs it with the
/// endpoint model.
Result<StepTraffic> step_traffic(const SimulationInput& input, const StepShape& shape, int step);

}  // namespace k3::sim
