#include "sim/executor/step_traffic.h"

#include <utility>

#include "sim/network/endpoint.h"

namespace k3::sim {
namespace {

Exchange exchange(const SimulationInput& input, const TrafficMatrix& traffic, NumberFormat format) {
  Exchange result;
  result.matrix = byte_matrix(traffic, row_bytes(format, input.model.moe.latent));
  result.rank_seconds = endpoint_seconds(result.matrix, input.machine);
  return result;
}

}  // namespace

Result<StepTraffic> step_traffic(const SimulationInput& input, const StepShape& shape, int step) {
  StepTraffic result;
  const std::vector<TokenPosition> tokens = shape.token_positions();
  const std::vector<std::int32_t> owners = shape.owner_ranks();
  K3_TRY(result.routing, input.routing.step(step, tokens));
  const ExecutionSpec& execution = input.execution;
  for (int moe_layer = 0; moe_layer < input.placement.num_layers(); ++moe_layer) {
    LayerExchanges layer;
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
    layer.dispatch = exchange(input, layer.traffic.dispatch, input.precision.dispatch);
    layer.combine = exchange(input, layer.traffic.combine, input.precision.combine);
    result.flows += num_flows(layer.dispatch.matrix) + num_flows(layer.combine.matrix);
    result.layers.push_back(std::move(layer));
  }
  // NOTE: the choices of a long prefill are by far the largest part (2 bytes per copy).
  if (input.record_routing == RecordRouting::no) result.routing = {};
  return result;
}

}  // namespace k3::sim
