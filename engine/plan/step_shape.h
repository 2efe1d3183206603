#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/task_kind.h"
#include "engine/routing/routing.h"

namespace k3 {

/// One sequence's part in a step.
struct SequenceShape {
  std::int32_t sequence = 0;
  std::int32_t rank = 0;     ///< owner: holds its caches, sends and receives its rows
  std::int64_t context = 0;  ///< tokens in the cache before the step
  std::int64_t new_tokens = 1;
};

/// One rank's totals of a step, from which the cost of its tasks follows.
struct RankShape {
  std::int64_t sequences = 0;
  std::int64_t tokens = 0;
  std::int64_t cache_tokens = 0;  ///< Σ over sequences of context + new tokens (cache rows read)
  double attended_pairs = 0;      ///< Σ over new tokens of keys they attend to, themselves included
  std::int64_t head_rows = 0;     ///< rows that go through the output mix and lm_head
};

/// What a step computes: sequences ascending, each owned by one rank. Tokens of the step are
/// numbered in this order, sequence by sequence ("global order").
struct StepShape {
  Phase phase = Phase::decode;
  int num_ranks = 1;
  bool all_logits = false;  ///< logits at every new token instead of each sequence's last
  std::vector<SequenceShape> sequences;

  /// Global batch: sequence s belongs to rank s mod ranks; all alike.
  static StepShape uniform(Phase phase,
                           int num_ranks,
                           int sequences_per_rank,
                           std::int64_t context,
                           std::int64_t new_tokens);

  std::int64_t num_tokens() const;
  /// The same step `steps` later: every context has grown by its new tokens.
  StepShape advanced(int steps) const;
  std::vector<TokenPosition> token_positions() const;
  std::vector<std::int32_t> owner_ranks() const;  ///< per token, global order
  std::vector<RankShape> rank_shapes() const;     ///< per rank
  std::int64_t longest_context() const;
};

}  // namespace k3
