#include "engine/plan/step_shape.h"

#include <algorithm>

namespace k3 {

StepShape StepShape::uniform(Phase phase,
                             int num_ranks,
                             int sequences_per_rank,
                             std::int64_t context,
                             std::int64_t new_tokens) {
  StepShape shape;
  shape.phase = phase;
  shape.num_ranks = num_ranks;
  const int count = num_ranks * sequences_per_rank;
  shape.sequences.reserve(static_cast<std::size_t>(count));
  for (int s = 0; s < count; ++s) {
    shape.sequences.push_back({s, s % num_ranks, context, new_tokens});
  }
  return shape;
}

std::int64_t StepShape::num_tokens() const {
  std::int64_t total = 0;
  for (const SequenceShape& s : sequences)
    total += s.new_tokens;
  return total;
}

StepShape StepShape::advanced(int steps) const {
  StepShape later = *this;
  for (SequenceShape& s : later.sequences)
    s.context += s.new_tokens * steps;
  return later;
}

std::vector<TokenPosition> StepShape::token_positions() const {
  std::vector<TokenPosition> positions;
  positions.reserve(static_cast<std::size_t>(num_tokens()));
  for (const SequenceShape& s : sequences) {
    for (std::int64_t i = 0; i < s.new_tokens; ++i) {
      positions.push_back({s.sequence, s.context + i});
    }
  }
  return positions;
}

std::vector<std::int32_t> StepShape::owner_ranks() const {
  std::vector<std::int32_t> owners;
  owners.reserve(static_cast<std::size_t>(num_tokens()));
  for (const SequenceShape& s : sequences) {
    owners.insert(owners.end(), static_cast<std::size_t>(s.new_tokens), s.rank);
  }
  return owners;
}

std::vector<RankShape> StepShape::rank_shapes() const {
  std::vector<RankShape> ranks(static_cast<std::size_t>(num_ranks));
  for (const SequenceShape& s : sequences) {
    RankShape& r = ranks[static_cast<std::size_t>(s.rank)];
    const auto context = static_cast<double>(s.context);
    const auto fresh = static_cast<double>(s.new_tokens);
    r.sequences += 1;
    r.tokens += s.new_tokens;
    r.cache_tokens += s.context + s.new_tokens;
    r.attended_pairs += fresh * context + fresh * (fresh + 1) / 2;
    r.head_rows += all_logits ? s.new_tokens : std::min<std::int64_t>(s.new_tokens, 1);
  }
  return ranks;
}

std::int64_t StepShape::longest_context() const {
  std::int64_t longest = 0;
  for (const SequenceShape& s : sequences)
    longest = std::max(longest, s.context);
  return longest;
}

}  // namespace k3
