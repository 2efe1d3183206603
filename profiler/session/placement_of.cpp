#include "profiler/session/placement_of.h"

#include "engine/routing/load_file.h"

namespace k3::session {
namespace {

RoutingShape shape_of(const ModelConfig& model) {
  return {.num_layers = model.count(FfnKind::moe),
          .num_experts = model.moe.experts,
          .top_k = model.moe.top_k};
}

}  // namespace

Result<Placement> placement_of(const Setup& setup) {
  const RoutingShape shape = shape_of(setup.model);
  if (setup.placement.policy == PlacementPolicy::file) {
    return load_placement(setup.placement.path, shape, setup.parallel.ranks);
  }
  return Placement::contiguous(shape.num_layers, shape.num_experts, setup.parallel.ranks);
}

Result<std::unique_ptr<Routing>> routing_of(const Setup& setup) {
  const RoutingShape shape = shape_of(setup.model);
  const RoutingSpec& spec = setup.routing;
  std::vector<double> popularity;
  switch (spec.source) {
    case RoutingSourceKind::uniform:
      popularity = uniform_popularity(shape);
      break;
    case RoutingSourceKind::zipf:
      popularity = zipf_popularity(shape, spec.exponent, spec.seed);
      break;
    case RoutingSourceKind::lognormal:
      popularity = lognormal_popularity(shape, spec.sigma, spec.seed);
      break;
    case RoutingSourceKind::file: {
      K3_TRY(popularity, load_popularity(spec.path, shape));
      break;
    }
    case RoutingSourceKind::recorded:
    case RoutingSourceKind::model:
      return fail(
          Code::invalid_input,
          "only an executed run has the model's router; use uniform, zipf, lognormal or file, "
          "or replay a run with --routing-from S.k3r",
          "routing.source");
  }
  return make_popularity_routing(shape, std::move(popularity), spec.seed);
}

Result<WeightStore> open_weights(const Setup& setup) {
  if (setup.checkpoint) return WeightStore::open(*setup.checkpoint, setup.model);
  return WeightStore::synthetic(setup.model, setup.weights_seed);
}

}  // namespace k3::session
