#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "engine/hardware/topology.h"
#include "engine/scenario/resolve_internal.h"
#include "engine/scenario/words_internal.h"

namespace k3 {
namespace {

/// Token and sequence numbers of a step are 32-bit.
constexpr std::int64_t kMaxTokens = std::numeric_limits<std::int32_t>::max();

enum class AttentionSplit : std::uint8_t { dp };

constexpr std::array kAttentionWords{Word<AttentionSplit>{"dp", AttentionSplit::dp},
                                     Word<AttentionSplit>{"tp", std::nullopt}};

/// New tokens per sequence and step. Prefill: tokens_per_rank = sequences_per_rank ×
/// tokens_per_sequence, either may be given; decode: 1.
Result<void> read_tokens(const Section& section, const TextNode& root, WorkloadSpec& workload) {
  std::int64_t per_sequence = 0;
  std::int64_t per_rank = 0;
  K3_TRY_VOID(section.count("tokens_per_sequence", 1, per_sequence));
  K3_TRY_VOID(section.count("tokens_per_rank", 1, per_rank));
  for (const auto& [key, count] :
       {std::pair{"tokens_per_sequence", per_sequence}, std::pair{"tokens_per_rank", per_rank}}) {
    if (count <= kMaxTokens) continue;
    return section.find(key)->fail(fmt::format("is {}; must be at most {}", count, kMaxTokens));
  }
  const std::int64_t sequences = workload.sequences_per_rank;
  if (workload.phase == Phase::decode && per_sequence == 0) per_sequence = 1;
  if (per_sequence == 0 && per_rank == 0) {
    K3_TRY(const TextNode node, root.at("workload"));
    return node.fail("has no size of the prompt; give tokens_per_sequence or tokens_per_rank");
  }
  if (per_sequence == 0) {
    if (per_rank % sequences != 0) {
      return section.find("tokens_per_rank")
          ->fail(fmt::format("is {}; must be a multiple of sequences_per_rank = {}", per_rank,
                             sequences));
    }
    per_sequence = per_rank / sequences;
  }
  if (workload.phase == Phase::decode && per_sequence != 1) {
    return section.find("tokens_per_sequence")
        ->fail(fmt::format("is {}; a decode step computes 1 token per sequence", per_sequence));
  }
  if (per_rank != 0 && per_rank != sequences * per_sequence) {
    return section.find("tokens_per_rank")
        ->fail(fmt::format("is {}; must be sequences_per_rank × tokens per sequence = {}", per_rank,
                           sequences * per_sequence));
  }
  workload.tokens_per_sequence = per_sequence;
  return {};
}

/// The key to blame for what several keys make together: one that an override gave, else the first
/// that is written.
TextNode to_blame(const Resolving& state,
                  const Section& section,
                  std::initializer_list<std::string_view> keys) {
  std::optional<TextNode> written;
  for (const std::string_view key : keys) {
    const auto node = section.find(key);
    if (node && node->value().position().line == 0) return *node;
    if (node && !written) written = node;
  }
  return written.value_or(state.root);
}

/// What is too large for the model or for the numbering of tokens.
Result<void> check_size(const Resolving& state, const Section& section) {
  const WorkloadSpec& w = state.setup.workload;
  const double tokens = static_cast<double>(state.setup.parallel.ranks) * w.sequences_per_rank *
                        static_cast<double>(w.tokens_per_sequence);
  if (tokens > static_cast<double>(kMaxTokens)) {
    return to_blame(state, section,
                    {"sequences_per_rank", "tokens_per_sequence", "tokens_per_rank"})
        .fail(fmt::format("makes {:.0f} tokens in a step; at most {}", tokens, kMaxTokens));
  }
  // NOTE: a decode step at the very limit is allowed, so that a sweep over contexts can end there.
  const std::int64_t added = w.phase == Phase::prefill ? w.steps * w.tokens_per_sequence : 0;
  if (w.context + added > state.setup.model.max_positions) {
    return to_blame(state, section, {"context", "steps", "tokens_per_sequence", "tokens_per_rank"})
        .fail(fmt::format("leads to {} tokens per sequence; the model takes at most {}",
                          w.context + added, state.setup.model.max_positions));
  }
  return {};
}

}  // namespace

Result<void> read_parallel(Resolving& state) {
  constexpr std::array<std::string_view, 3> kKeys{"ranks", "expert", "attention"};
  constexpr std::array<std::string_view, 3> kLater{"tensor", "pipeline", "context"};
  constexpr std::int64_t kMaxRanks = 65536;
  K3_TRY(const Section section, Section::open(state.root, "parallel", kKeys, kLater));
  std::int64_t ranks = 1;
  K3_TRY_VOID(section.count("ranks", 1, ranks));
  const auto where = [&] { return section.find("ranks").value_or(state.root); };
  if (ranks > kMaxRanks) {
    return where().fail(fmt::format("is {}; must be at most {}", ranks, kMaxRanks));
  }
  if (const auto& machine = state.setup.machine; machine && ranks > num_live_gpus(*machine)) {
    return where().fail(fmt::format("is {}; {}", ranks, describe_gpus(*machine)),
                        Code::does_not_fit);
  }
  std::int64_t expert = ranks;
  K3_TRY_VOID(section.count("expert", 1, expert));
  if (expert != ranks) {
    return section.find("expert")->fail(
        fmt::format("is {} and ranks is {}, which is not supported yet; must be equal", expert,
                    ranks),
        Code::unsupported);
  }
  auto attention = AttentionSplit::dp;
  K3_TRY_VOID(read_word(section, "attention", kAttentionWords, attention));
  state.setup.parallel.ranks = static_cast<int>(ranks);
  return {};
}

Result<void> read_workload(Resolving& state) {
  constexpr std::array<std::string_view, 6> kKeys{
      "phase", "sequences_per_rank", "context", "steps", "tokens_per_rank", "tokens_per_sequence"};
  constexpr std::array<std::string_view, 6> kLater{"chunk",         "requests", "prefix_hit",
                                                   "output_tokens", "slo_ttft", "slo_tpot"};
  constexpr std::int64_t kMaxSteps = 1'000'000;
  K3_TRY(const Section section, Section::open(state.root, "workload", kKeys, kLater));
  WorkloadSpec& workload = state.setup.workload;
  K3_TRY_VOID(read_word(section, "phase", kPhaseWords, workload.phase));
  std::int64_t sequences = 1;
  std::int64_t steps = 1;
  K3_TRY_VOID(section.count("sequences_per_rank", 1, sequences));
  K3_TRY_VOID(section.count("context", 0, workload.context));
  K3_TRY_VOID(section.count("steps", 1, steps));
  if (sequences > kMaxTokens) {
    return section.find("sequences_per_rank")
        ->fail(fmt::format("is {}; must be at most {}", sequences, kMaxTokens));
  }
  if (steps > kMaxSteps) {
    return section.find("steps")->fail(fmt::format("is {}; must be at most {}", steps, kMaxSteps));
  }
  workload.sequences_per_rank = static_cast<int>(sequences);
  workload.steps = static_cast<int>(steps);
  K3_TRY_VOID(read_tokens(section, state.root, workload));
  return check_size(state, section);
}

}  // namespace k3
