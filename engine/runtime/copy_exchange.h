#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/plan/plan.h"
#include "engine/routing/placement.h"
#include "engine/routing/routing.h"
#include "engine/routing/traffic.h"

namespace k3 {

/// What travels beside the rows for one copy of a token: which slot computes it, to which token of
/// the (source, destination) block it belongs, and its router weight (used when the expert rank
/// reduces).
struct CopyHeader {
  std::int32_t slot = 0;
  std::int32_t group = 0;  ///< distinct tokens of the block, counted from 0
  float weight = 0;
};

/// The sending side of one all-to-all of one rank, packed on the host. A block is what goes to one
/// destination; blocks lie in rank order. Reused from layer to layer, so that it allocates nothing
/// once it has grown.
struct SendPlan {
  std::vector<std::int64_t> copies;     ///< per destination
  std::vector<std::int64_t> groups;     ///< per destination: distinct tokens
  std::vector<std::int64_t> rows;       ///< per destination: rows that are moved
  std::vector<CopyHeader> headers;      ///< [copies], block by block, router order within a token
  std::vector<std::int32_t> row_token;  ///< [rows] local token that each row holds
  /// [tokens, top_k] where the combine finds each returned row, and what it multiplies it by when
  /// rows come back reduced (1 once per expert rank, 0 for the places left over).
  std::vector<std::int32_t> return_row;
  std::vector<float> return_weight;

  std::vector<std::int32_t> rank_scratch, slot_scratch;
};

/// One rank's part of a step, as far as packing needs it.
struct PackInput {
  const Placement& placement;
  int moe_layer = 0;
  std::span<const TokenPosition> tokens;  ///< of this rank
  std::span<const std::int32_t> ids;      ///< [tokens, top_k]
  std::span<const float> weights;         ///< [tokens, top_k]; empty unless rows come back reduced
  int top_k = 0;
  bool dedup = true;
  CombineReduce reduce = CombineReduce::none;
};

void pack_copies(const PackInput& input, SendPlan& plan);

/// The receiving side: copies in arrival order (source by source) and the order in which the
/// experts work.
struct ReceivePlan {
  std::vector<std::int64_t> copies;       ///< per source
  std::vector<std::int64_t> groups;       ///< per source
  std::vector<std::int64_t> rows;         ///< per source
  std::vector<CopyHeader> headers;        ///< [copies]
  std::vector<std::int64_t> slot_copies;  ///< per slot of this rank
  std::vector<std::int64_t> first_row;    ///< [slots with copies + 1] into the experts' order
  std::vector<std::int32_t> touched;      ///< local slots with copies
  std::vector<std::int32_t> input_row;    ///< [copies, experts' order] received row to read
  std::vector<std::int32_t> position;     ///< [copies, arrival order] place in the experts' order
  /// Rows that come back reduced: [groups of all sources, width] places in the experts' order and
  /// weights.
  std::vector<std::int32_t> reduce_row;
  std::vector<float> reduce_weight;
  std::int64_t reduce_width = 0;

  std::vector<std::int64_t> next_scratch;

  std::int64_t total_copies() const;
  std::int64_t total_groups() const;
  std::int64_t total_rows() const;
};

/// Orders the received copies by slot. `rows` says what a dispatched row holds; `first_slot` and
/// `num_slots`: the rank's own. Errors: internal when a header names a slot of another rank or a
/// token outside its block
Result<void> order_copies(int first_slot, int num_slots, RowCount rows, ReceivePlan& plan);

/// Fills the reduce_* lists from the ordered copies.
void plan_reduction(ReceivePlan& plan);

}  // namespace k3
