#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace k3 {

/// What a task of a step does: the rows of every comparison and the colours of every picture.
enum class TaskKind : std::uint8_t {
  embed,     ///< token ids to hidden vectors
  attn_res,  ///< attention residuals: mix of block summaries and prefix
  norm,      ///< RMSNorm of a sub-layer's input
  kda,       ///< Kimi delta attention
  mla,       ///< gated multi-head latent attention (full attention)
  dense,     ///< dense feed-forward layer
  router,    ///< router scores and top-k
  latent,    ///< projections into and out of the experts' latent width
  dispatch,  ///< rows to the ranks that hold the chosen experts
  experts,   ///< routed experts
  combine,   ///< rows back to the tokens' owners
  shared,    ///< shared experts
  head,      ///< output mix, final norm, logits
  sample,    ///< next token from the logits
};
inline constexpr int kNumTaskKinds = 14;

/// Which part of its kind a task is.
enum class Stage : std::uint8_t {
  whole,      ///< the only part
  attention,  ///< the site before the attention sub-layer
  ffn,        ///< the site before the feed-forward sub-layer
  project,    ///< input projections (KDA: q k v gate decay beta; MLA: q, latent, output gate)
  conv,       ///< KDA short convolution
  recur,      ///< KDA gate and state recurrence
  attend,     ///< MLA scores, softmax, values
  output,     ///< KDA: norm, gate, projection; MLA: gate, projection; head: mix and norm
  down,       ///< into the latent width
  up,         ///< out of the latent width (norm, projection, sum with the shared experts)
  logits,     ///< lm_head
};
inline constexpr int kNumStages = 11;

inline constexpr std::array<std::string_view, kNumTaskKinds> kTaskKindNames{
    "embed",  "attn_res", "norm",    "kda",     "mla",    "dense", "router",
    "latent", "dispatch", "experts", "combine", "shared", "head",  "sample"};
inline constexpr std::array<std::string_view, kNumStages> kStageNames{
    "whole",  "attention", "ffn",  "project", "conv",  "recur",
    "attend", "output",    "down", "up",      "logits"};

constexpr std::string_view name_of(TaskKind kind) {
  return kTaskKindNames[static_cast<std::size_t>(kind)];
}

constexpr std::string_view name_of(Stage stage) {
  return kStageNames[static_cast<std::size_t>(stage)];
}

constexpr std::optional<TaskKind> task_kind_from(std::string_view name) {
  for (std::size_t i = 0; i < kTaskKindNames.size(); ++i) {
    if (kTaskKindNames[i] == name) return static_cast<TaskKind>(i);
  }
  return std::nullopt;
}

constexpr bool is_communication(TaskKind kind) {
  return kind == TaskKind::dispatch || kind == TaskKind::combine;
}

/// Kind of step: a prompt (or a chunk of it), or one token per sequence.
enum class Phase : std::uint8_t { prefill, decode };

constexpr std::string_view name_of(Phase phase) {
  return phase == Phase::prefill ? "prefill" : "decode";
}

/// Direction of an all-to-all.
enum class Direction : std::uint8_t { dispatch, combine };

constexpr std::string_view name_of(Direction direction) {
  return direction == Direction::dispatch ? "dispatch" : "combine";
}

}  // namespace k3
