#include "engine/scenario/resolve_internal.h"
#include "engine/scenario/words_internal.h"
#include "engine/text/toml.h"

namespace k3 {
namespace {

Json workload_keys(const WorkloadSpec& workload) {
  Json keys;
  keys.set("phase", word_of(kPhaseWords, workload.phase))
      .set("sequences_per_rank", workload.sequences_per_rank)
      .set("context", workload.context)
      .set("tokens_per_sequence", workload.tokens_per_sequence)
      .set("tokens_per_rank", workload.sequences_per_rank * workload.tokens_per_sequence)
      .set("steps", workload.steps);
  return keys;
}

Json routing_keys(const RoutingSpec& routing) {
  Json keys;
  keys.set("source", word_of(kRoutingWords, routing.source))
      .set("sigma", routing.sigma)
      .set("exponent", routing.exponent)
      .set("seed", routing.seed);
  if (routing.source == RoutingSourceKind::file) keys.set("file", routing.path.string());
  if (routing.source == RoutingSourceKind::recorded) keys.set("session", routing.path.string());
  return keys;
}

Json placement_keys(const PlacementSpec& placement) {
  Json keys;
  keys.set("policy", word_of(kPlacementWords, placement.policy));
  if (placement.policy == PlacementPolicy::file) keys.set("file", placement.path.string());
  return keys;
}

Json precision_keys(const PrecisionSpec& precision) {
  Json keys;
  keys.set("mode", word_of(kModeWords, precision.mode));
  for (const FormatKey& key : kFormatKeys) {
    keys.set(std::string(key.key), name_of(precision.*key.field));
  }
  return keys;
}

}  // namespace

std::string resolved_toml(const Resolving& state) {
  const Setup& setup = state.setup;
  const ExecutionSpec& execution = setup.execution;
  Json document;
  document.set("title", setup.title).set("model", state.model_keys);
  if (setup.machine) document.set("machine", state.machine_keys);
  document
      .set("parallel", Json()
                           .set("ranks", setup.parallel.ranks)
                           .set("expert", setup.parallel.ranks)
                           .set("attention", "dp"))
      .set("workload", workload_keys(setup.workload))
      .set("routing", routing_keys(setup.routing))
      .set("placement", placement_keys(setup.placement))
      .set("dispatch", Json().set("dedup", execution.dispatch_dedup))
      .set("combine", Json().set("reduce", word_of(kReduceWords, execution.combine_reduce)))
      .set("precision", precision_keys(setup.precision))
      .set("execution", Json()
                            .set("overlap", word_of(kOverlapWords, execution.overlap))
                            .set("graph", execution.graph));
  if (!setup.on_local()) {
    document.set("simulation", Json()
                                   .set("network", word_of(kNetworkWords, setup.network))
                                   .set("links", word_of(kLinkWords, setup.links)));
  }
  document.set(
      "executor",
      Json().set("backend", setup.executor.backend).set("transport", setup.executor.transport));
  return dump_toml(document);
}

}  // namespace k3
