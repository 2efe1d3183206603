#include "sim/executor/step_traffic.h"

#include <utility>

namespace k3::sim {
std::int64_t StepTraffic::flows() const {
  std::int64_t flows = 0;
  for (const LayerExchanges& layer : layers)
    flows += num_flows(layer.dispatch.matrix) + num_flows(layer.combine.matrix);
  return flows;
}

Result<StepTraffic> step_traffic(const SimulationInput& input, const StepShape& shape, int step) {
  StepTraffic result;
  const std::vector<TokenPosition> tokens = shape.token_positions();
  const std::vector<std::int32_t> owners = shape.owner_ranks();
  K3_TRY(result.routing, input.routing.step(step, tokens));
  const ExecutionSpec& execution = input.execution;
  std::vector<std::int16_t> moe_layers;
  for (int layer = 0; layer < input.model.num_layers(); ++layer) {
    if (input.model.layers[static_cast<std::size_t>(layer)].ffn == FfnKind::moe) {
      moe_layers.push_back(static_cast<std::int16_t>(layer));
    }
  }
  for (int moe_layer = 0; moe_layer < input.placement.num_layers(); ++moe_layer) {
    LayerExchanges layer;
    layer.layer = moe_layers[static_cast<std::size_t>(moe_layer)];
    layer.traffic = count_traffic(
        {.routing = result.routing,
         .moe_layer = moe_layer,
         .placement = input.placement,
         .tokens = tokens,
         .owner_rank = owners,
         .dispatch = execution.dispatch_dedup ? RowCount::per_rank : RowCount::per_copy,
         .combine = execution.combine_reduce == CombineReduce::rank ? RowCount::per_rank
                                                                    : RowCount::per_copy});
    layer.routed = routed_shapes(layer.traffic);
    result.layers.push_back(std::move(layer));
  }
  // NOTE: the choices of a long prefill are by far the largest part (2 bytes per copy).
  if (input.record_routing == RecordRouting::no) result.routing = {};
  return result;
}

}  // namespace k3::sim
