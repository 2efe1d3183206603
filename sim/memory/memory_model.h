#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/hardware/machine.h"
#include "engine/model/model_config.h"
#include "engine/plan/work.h"

namespace k3::sim {

enum class MemoryPart : std::uint8_t {
  experts,     ///< routed experts of the rank's slots, all layers, as stored
  weights,     ///< every other text weight: attention is data-parallel, so each rank holds them all
  kv_cache,    ///< latent cache of the full-attention layers, context and new tokens
  kda_state,   ///< recurrent states: constant per sequence
  conv_state,  ///< the last taps − 1 inputs of the KDA convolutions: constant per sequence
  activations,  ///< block summaries, the widest layer's temporaries, logits
  buffers,      ///< dispatch and combine, large enough for every routing
};
inline constexpr int kNumMemoryParts = 7;

std::string_view name_of(MemoryPart part);

/// "384 B", "1.50 KiB", "12.3 MiB", "288 GiB": three significant digits for messages about memory.
std::string memory_text(Bytes bytes);

/// Bytes that one rank holds during a step.
struct RankMemory {
  std::array<Bytes, kNumMemoryParts> parts{};

  Bytes& operator[](MemoryPart part) { return parts[static_cast<std::size_t>(part)]; }

  Bytes operator[](MemoryPart part) const { return parts[static_cast<std::size_t>(part)]; }

  Bytes total() const;
  MemoryPart largest() const;
};

struct MemoryInput {
  const ModelConfig& model;
  const PrecisionSpec& precision;
  const ExecutionSpec& execution;
  const Placement& placement;
  const StepShape& shape;  ///< the last step of the run: caches are largest there
};

/// One entry per rank. With T_r and S_r a rank's tokens and sequences, C_r its cached rows after
/// the step, a, k, s the bytes per value of activations, cache and KDA state:
///
///   kv_cache    = C_r · (kv_lora + rope) · k · MLA layers
///   kda_state   = S_r · heads · d² · s · KDA layers
///   conv_state  = S_r · (taps − 1) · 3 · heads · d · a · KDA layers
///   activations = T_r · ((sources of the output mix + 1) · hidden + widest) · a
///                 + head rows · vocab · 4
///   buffers     = rows that can leave and arrive at most × row bytes, dispatch and combine
///
/// `widest` is the width of what the widest sub-layer holds at once. An fp8 cache has one scale for
/// all values, so that k = 1. Weights are those of the checkpoint, as stored.
std::vector<RankMemory> memory_per_rank(const MemoryInput& input);

/// Whether the fullest rank fits into a GPU of the machine.
/// Errors: does_not_fit, naming that rank, its largest part and what would fit
Result<void> check_memory(std::span<const RankMemory> ranks,
                          const StepShape& shape,
                          const Machine& machine);

}  // namespace k3::sim
