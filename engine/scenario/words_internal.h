#pragma once

#include <array>

#include "engine/scenario/section_internal.h"
#include "engine/scenario/setup.h"

namespace k3 {

// The words of scenarios, read and written by the same tables.

inline constexpr std::array kPhaseWords{Word<Phase>{"decode", Phase::decode},
                                        Word<Phase>{"prefill", Phase::prefill}};

inline constexpr std::array kRoutingWords{
    Word<RoutingSourceKind>{"uniform", RoutingSourceKind::uniform},
    Word<RoutingSourceKind>{"zipf", RoutingSourceKind::zipf},
    Word<RoutingSourceKind>{"lognormal", RoutingSourceKind::lognormal},
    Word<RoutingSourceKind>{"file", RoutingSourceKind::file},
    Word<RoutingSourceKind>{"recorded", RoutingSourceKind::recorded},
    Word<RoutingSourceKind>{"model", RoutingSourceKind::model}};

inline constexpr std::array kPlacementWords{
    Word<PlacementPolicy>{"contiguous", PlacementPolicy::contiguous},
    Word<PlacementPolicy>{"file", PlacementPolicy::file},
    Word<PlacementPolicy>{"eplb", std::nullopt}, Word<PlacementPolicy>{"search", std::nullopt}};

inline constexpr std::array kModeWords{Word<PrecisionMode>{"serving", PrecisionMode::serving},
                                       Word<PrecisionMode>{"float32", PrecisionMode::float32}};

inline constexpr std::array kReduceWords{Word<CombineReduce>{"rank", CombineReduce::rank},
                                         Word<CombineReduce>{"none", CombineReduce::none}};

inline constexpr std::array kOverlapWords{Word<Overlap>{"none", Overlap::none},
                                          Word<Overlap>{"shared-expert", Overlap::shared_expert},
                                          Word<Overlap>{"two-batch", std::nullopt}};

inline constexpr std::array kNetworkWords{Word<NetworkModel>{"exact", NetworkModel::exact},
                                          Word<NetworkModel>{"endpoint", NetworkModel::endpoint}};

inline constexpr std::array kLinkWords{Word<LinkDetail>{"none", LinkDetail::none},
                                       Word<LinkDetail>{"totals", LinkDetail::totals},
                                       Word<LinkDetail>{"layers", LinkDetail::layers},
                                       Word<LinkDetail>{"samples", LinkDetail::samples}};

inline constexpr std::array kFormatWords{Word<NumberFormat>{"float32", NumberFormat::float32},
                                         Word<NumberFormat>{"bf16", NumberFormat::bf16},
                                         Word<NumberFormat>{"fp8", NumberFormat::fp8},
                                         Word<NumberFormat>{"mxfp8", NumberFormat::mxfp8},
                                         Word<NumberFormat>{"mxfp4", NumberFormat::mxfp4},
                                         Word<NumberFormat>{"nvfp4", NumberFormat::nvfp4}};

/// A key of [precision], where it lands and what it may be.
struct FormatKey {
  std::string_view key;
  NumberFormat PrecisionSpec::* field;
  std::array<bool, kFormatWords.size()> allowed;  ///< in the order of kFormatWords
};

// float32, bf16, fp8, mxfp8, mxfp4, nvfp4. NOTE: expert weights are as the model stores them and
// the router needs float32; both are keys so that the resolved scenario says so.
inline constexpr std::array kFormatKeys{
    FormatKey{"activations", &PrecisionSpec::activations, {true, true, false, false, false, false}},
    FormatKey{"expert_activations",
              &PrecisionSpec::expert_activations,
              {true, true, true, true, false, true}},
    FormatKey{
        "expert_weights", &PrecisionSpec::expert_weights, {false, true, false, false, true, false}},
    FormatKey{"router", &PrecisionSpec::router, {true, false, false, false, false, false}},
    FormatKey{"dispatch", &PrecisionSpec::dispatch, {true, true, true, true, false, true}},
    FormatKey{"combine", &PrecisionSpec::combine, {true, true, true, true, false, false}},
    FormatKey{"kv", &PrecisionSpec::kv, {true, true, true, false, false, false}},
    FormatKey{"kda_state", &PrecisionSpec::kda_state, {true, true, false, false, false, false}}};

}  // namespace k3
