#include "sim/memory/memory_model.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/core.h>

#include "engine/model/counts.h"

namespace k3::sim {
namespace {

constexpr std::array<std::string_view, kNumMemoryParts> kPartNames{
    "experts", "weights", "kv_cache", "kda_state", "conv_state", "activations", "buffers"};

constexpr std::int64_t kFloat32 = 4;

/// Experts in the rank's slots, all MoE layers.
std::int64_t resident_experts(const Placement& placement, int rank) {
  std::int64_t experts = 0;
  for (int moe_layer = 0; moe_layer < placement.num_layers(); ++moe_layer) {
    const std::vector<std::int32_t>& slots = placement.layer(moe_layer).slot_to_expert;
    const auto [first, last] = placement.slots_of_rank(moe_layer, rank);
    experts += std::count_if(slots.begin() + first, slots.begin() + last,
                             [](std::int32_t expert) { return expert >= 0; });
  }
  return experts;
}

/// One scale serves a whole fp8 cache; other formats are stored as rows are.
std::int64_t cache_row_bytes(NumberFormat format, std::int64_t width) {
  return format == NumberFormat::fp8 ? width : row_bytes(format, width);
}

/// Values per token that the widest sub-layer holds at once, its input apart.
std::int64_t widest_sublayer(const ModelConfig& model, Phase phase) {
  const MlaConfig& mla = model.mla;
  const std::int64_t queries = std::int64_t{mla.heads} * (mla.nope + mla.rope);
  const std::int64_t expanded =
      phase == Phase::prefill ? std::int64_t{mla.heads} * (mla.nope + mla.v_dim) : 0;
  std::int64_t widest = 0;
  if (model.count(AttentionKind::kda) > 0) widest = std::int64_t{5} * model.kda.width();
  if (model.count(AttentionKind::mla) > 0) {
    widest = std::max(widest, queries + expanded + 2 * mla.out_width());
  }
  if (model.count(FfnKind::dense) > 0) {
    widest = std::max(widest, std::int64_t{2} * model.dense_width);
  }
  if (model.count(FfnKind::moe) > 0) {
    widest = std::max(widest, std::int64_t{2} * model.moe.shared_width() + model.moe.latent);
  }
  return widest;
}

/// Bytes of the largest set of rows that one rank can send and receive.
std::int64_t buffer_bytes(const MemoryInput& input, std::int64_t own, std::int64_t all) {
  const MoeConfig& moe = input.model.moe;
  if (input.model.count(FfnKind::moe) == 0) return 0;
  const std::int64_t spread = std::min(moe.top_k, input.placement.num_ranks());
  const auto rows = [&](std::int64_t to_other_ranks, std::int64_t to_this_rank) {
    return own * to_other_ranks + all * to_this_rank;
  };
  const std::int64_t dispatched =
      input.execution.dispatch_dedup ? rows(spread, 1) : rows(moe.top_k, moe.top_k);
  const std::int64_t combined = input.execution.combine_reduce == CombineReduce::rank
                                    ? rows(spread, 1)
                                    : rows(moe.top_k, moe.top_k);
  return dispatched * row_bytes(input.precision.dispatch, moe.latent) +
         combined * row_bytes(input.precision.combine, moe.latent);
}

/// What would fit instead, as the end of the message.
std::string remedy(const RankMemory& rank, std::int64_t sequences, Bytes memory) {
  const Bytes resident = rank[MemoryPart::experts] + rank[MemoryPart::weights];
  if (resident >= memory) {
    return fmt::format(
        "weights alone take {}: more ranks hold fewer experts each, or a machine with more memory",
        memory_text(resident));
  }
  const double share = (memory - resident).value() / (rank.total() - resident).value();
  const auto fitting = static_cast<std::int64_t>(share * static_cast<double>(sequences));
  if (fitting == 0) return "not even one sequence fits: a shorter context or fewer new tokens";
  return fmt::format("at most {} sequences per rank of this length fit", fitting);
}

}  // namespace

std::string memory_text(Bytes bytes) {
  constexpr std::array<std::string_view, 4> kUnits{"B", "KiB", "MiB", "GiB"};
  constexpr double kWholeFrom = 99.95;  // from here on three digits leave none for a fraction
  constexpr double kTenthsFrom = 9.995;
  double value = bytes.value();
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && value >= 1023.5) {
    value /= 1024;
    ++unit;
  }
  const int decimals = unit == 0 || value >= kWholeFrom ? 0 : value >= kTenthsFrom ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, kUnits[unit]);
}

std::string_view name_of(MemoryPart part) {
  return kPartNames[static_cast<std::size_t>(part)];
}

Bytes RankMemory::total() const {
  return std::accumulate(parts.begin(), parts.end(), Bytes{});
}

MemoryPart RankMemory::largest() const {
  return static_cast<MemoryPart>(std::max_element(parts.begin(), parts.end()) - parts.begin());
}

std::vector<RankMemory> memory_per_rank(const MemoryInput& input) {
  const ModelConfig& model = input.model;
  const PrecisionSpec& precision = input.precision;
  const WeightBytes weights = weight_bytes(model);
  const CacheElements cache = cache_elements(model);
  const std::int64_t cached_row =
      model.count(AttentionKind::mla) * cache_row_bytes(precision.kv, cache.mla_per_token_layer);
  const std::int64_t state = row_bytes(precision.kda_state, cache.kda_state);
  const std::int64_t history = row_bytes(precision.activations, cache.kda_conv);
  const std::int64_t token =
      row_bytes(precision.activations, std::int64_t{model.output_sources() + 1} * model.hidden +
                                           widest_sublayer(model, input.shape.phase));
  const std::int64_t all_tokens = input.shape.num_tokens();

  std::vector<RankMemory> ranks;
  for (const RankShape& shape : input.shape.rank_shapes()) {
    const std::int64_t experts = resident_experts(input.placement, static_cast<int>(ranks.size()));
    RankMemory rank;
    rank[MemoryPart::experts] = {weights.per_expert * experts};
    rank[MemoryPart::weights] = {weights.text_nonexpert()};
    rank[MemoryPart::kv_cache] = {shape.cache_tokens * cached_row};
    rank[MemoryPart::kda_state] = {shape.sequences * state};
    rank[MemoryPart::conv_state] = {shape.sequences * history};
    rank[MemoryPart::activations] = {shape.tokens * token +
                                     shape.head_rows * model.vocab * kFloat32};
    rank[MemoryPart::buffers] = {buffer_bytes(input, shape.tokens, all_tokens)};
    ranks.push_back(rank);
  }
  return ranks;
}

Result<void> check_memory(std::span<const RankMemory> ranks,
                          const StepShape& shape,
                          const Machine& machine) {
  const auto fullest = std::max_element(
      ranks.begin(), ranks.end(),
      [](const RankMemory& a, const RankMemory& b) { return a.total() < b.total(); });
  if (fullest == ranks.end() || fullest->total() <= machine.gpu.memory) return {};
  const auto rank = static_cast<std::size_t>(fullest - ranks.begin());
  const MemoryPart largest = fullest->largest();
  return fail(
      Code::does_not_fit,
      fmt::format("rank {} needs {}, {} has {}; largest part is {} with {}; {}", rank,
                  memory_text(fullest->total()), machine.gpu.name, memory_text(machine.gpu.memory),
                  name_of(largest), memory_text((*fullest)[largest]),
                  remedy(*fullest, shape.rank_shapes()[rank].sequences, machine.gpu.memory)),
      "memory");
}

}  // namespace k3::sim
