#include <fmt/core.h>

#include "engine/scenario/resolve_internal.h"
#include "engine/scenario/words_internal.h"

namespace k3 {
namespace {

/// The path that a choice needs under `key`.
Result<std::filesystem::path> needed_path(const Resolving& state,
                                          const Section& section,
                                          std::string_view choice,
                                          std::string_view key) {
  if (const auto node = section.find(key)) return find_path(state, *node);
  K3_TRY(const TextNode chosen, section.find(choice) ? Result<TextNode>(*section.find(choice))
                                                     : Result<TextNode>(state.root));
  return chosen.fail(fmt::format("needs a file; give {} = \"PATH\" beside it", key));
}

PrecisionSpec defaults(PrecisionMode mode, const ModelConfig& model) {
  PrecisionSpec precision;
  precision.mode = mode;
  if (mode == PrecisionMode::float32) {
    for (const FormatKey& key : kFormatKeys)
      precision.*key.field = NumberFormat::float32;
  }
  precision.expert_weights = model.experts_mxfp4 ? NumberFormat::mxfp4 : NumberFormat::bf16;
  return precision;
}

Result<void> read_format(const Section& section, const FormatKey& key, PrecisionSpec& precision) {
  auto words = kFormatWords;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!key.allowed[i]) words[i].value.reset();
  }
  return read_word(section, key.key, words, precision.*key.field);
}

}  // namespace

Result<void> read_routing(Resolving& state) {
  constexpr std::array<std::string_view, 6> kKeys{"source", "sigma", "exponent",
                                                  "seed",   "file",  "session"};
  constexpr double kMaxSigma = 10;
  constexpr double kMaxExponent = 10;
  K3_TRY(const Section section, Section::open(state.root, "routing", kKeys));
  RoutingSpec& routing = state.setup.routing;
  K3_TRY_VOID(read_word(section, "source", kRoutingWords, routing.source));
  K3_TRY_VOID(section.number("sigma", kMaxSigma, routing.sigma));
  K3_TRY_VOID(section.number("exponent", kMaxExponent, routing.exponent));
  if (const auto seed = section.find("seed")) {
    K3_TRY(const std::int64_t value, seed->integer(0));
    routing.seed = static_cast<std::uint64_t>(value);
  }
  if (routing.source == RoutingSourceKind::file) {
    K3_TRY(routing.path, needed_path(state, section, "source", "file"));
  } else if (routing.source == RoutingSourceKind::recorded) {
    K3_TRY(routing.path, needed_path(state, section, "source", "session"));
  }
  return {};
}

Result<void> read_placement(Resolving& state) {
  constexpr std::array<std::string_view, 2> kKeys{"policy", "file"};
  constexpr std::array<std::string_view, 2> kLater{"redundant", "split"};
  K3_TRY(const Section section, Section::open(state.root, "placement", kKeys, kLater));
  PlacementSpec& placement = state.setup.placement;
  K3_TRY_VOID(read_word(section, "policy", kPlacementWords, placement.policy));
  if (placement.policy == PlacementPolicy::file) {
    K3_TRY(placement.path, needed_path(state, section, "policy", "file"));
  }
  return {};
}

Result<void> read_precision(Resolving& state) {
  constexpr auto kKeys = [] {
    std::array<std::string_view, kFormatKeys.size() + 1> keys{"mode"};
    for (std::size_t i = 0; i < kFormatKeys.size(); ++i)
      keys[i + 1] = kFormatKeys[i].key;
    return keys;
  }();
  K3_TRY(const Section section, Section::open(state.root, "precision", kKeys));
  PrecisionSpec& precision = state.setup.precision;
  auto mode = PrecisionMode::serving;
  K3_TRY_VOID(read_word(section, "mode", kModeWords, mode));
  precision = defaults(mode, state.setup.model);
  const NumberFormat stored = precision.expert_weights;
  for (const FormatKey& key : kFormatKeys)
    K3_TRY_VOID(read_format(section, key, precision));
  if (precision.expert_weights != stored) {
    return section.find("expert_weights")
        ->fail(fmt::format("is {}; the model's experts are stored as {}",
                           name_of(precision.expert_weights), name_of(stored)),
               Code::unsupported);
  }
  return {};
}

Result<void> read_execution(Resolving& state) {
  constexpr std::array<std::string_view, 1> kDispatchKeys{"dedup"};
  constexpr std::array<std::string_view, 1> kCombineKeys{"reduce"};
  constexpr std::array<std::string_view, 2> kExecutionKeys{"overlap", "graph"};
  constexpr std::array<std::string_view, 2> kSimulationKeys{"network", "links"};
  ExecutionSpec& execution = state.setup.execution;
  K3_TRY(const Section dispatch, Section::open(state.root, "dispatch", kDispatchKeys));
  K3_TRY_VOID(dispatch.flag("dedup", execution.dispatch_dedup));
  // float32 keeps every copy apart, so that the sum does not depend on the ranks.
  if (state.setup.precision.mode == PrecisionMode::float32) {
    execution.combine_reduce = CombineReduce::none;
  }
  K3_TRY(const Section combine, Section::open(state.root, "combine", kCombineKeys));
  K3_TRY_VOID(read_word(combine, "reduce", kReduceWords, execution.combine_reduce));
  K3_TRY(const Section section, Section::open(state.root, "execution", kExecutionKeys));
  K3_TRY_VOID(read_word(section, "overlap", kOverlapWords, execution.overlap));
  K3_TRY_VOID(section.flag("graph", execution.graph));
  K3_TRY(const Section simulation, Section::open(state.root, "simulation", kSimulationKeys));
  if (state.setup.on_local()) {
    for (const std::string_view key : kSimulationKeys) {
      if (const auto node = simulation.find(key)) {
        return node->fail(
            "has no effect on machine local, whose ranks share memory; remove the key");
      }
    }
  }
  K3_TRY_VOID(read_word(simulation, "network", kNetworkWords, state.setup.network));
  return read_word(simulation, "links", kLinkWords, state.setup.links);
}

Result<void> read_executor(Resolving& state) {
  constexpr std::array<std::string_view, 2> kKeys{"backend", "transport"};
  // Whether a backend is part of this build is known to the registry of backends, not here.
  const std::array backends{Word<std::string>{"auto", "auto"},
                            Word<std::string>{"reference", "reference"},
                            Word<std::string>{"cpu", "cpu"}, Word<std::string>{"cuda", "cuda"}};
  const std::array transports{Word<std::string>{"threads", "threads"},
                              Word<std::string>{"mpi", std::nullopt},
                              Word<std::string>{"nccl", std::nullopt}};
  K3_TRY(const Section section, Section::open(state.root, "executor", kKeys));
  K3_TRY_VOID(read_word(section, "backend", backends, state.setup.executor.backend));
  return read_word(section, "transport", transports, state.setup.executor.transport);
}

}  // namespace k3
