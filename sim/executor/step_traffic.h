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
  std::int16_t layer = 0;  ///< of the model
  LayerTraffic traffic;
  std::vector<RoutedShape> routed;  ///< per rank
  Exchange dispatch;                ///< set by ExchangeCosts::cost
  Exchange combine;
};

struct StepTraffic {
  StepRouting routing;                 ///< empty unless routing is recorded
  std::vector<LayerExchanges> layers;  ///< per MoE layer
  std::vector<LinkUseRecord> link_use;

  /// Pairs of different ranks that move something, over all exchanges.
  std::int64_t flows() const;
};

/// Draws or replays the expert choices of step `step` and counts what they move.
Result<StepTraffic> step_traffic(const SimulationInput& input, const StepShape& shape, int step);

}  // namespace k3::sim
