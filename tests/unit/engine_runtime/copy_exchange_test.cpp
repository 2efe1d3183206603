#include "engine/runtime/copy_exchange.h"

#include <gtest/gtest.h>

namespace k3 {
namespace {

// Four experts on two ranks (0, 1 | 2, 3), top-2; rank 0 owns two tokens: token 0 chooses experts 3
// and 2, token 1 chooses experts 2 and 0.
struct TwoRanks {
  Placement placement = Placement::contiguous(1, 4, 2);
  std::vector<TokenPosition> tokens{{.sequence = 0, .position = 5}, {.sequence = 0, .position = 6}};
  std::vector<std::int32_t> ids{3, 2, 2, 0};
  std::vector<float> weights{0.5F, 0.25F, 0.75F, 1.0F};

  SendPlan packed(bool dedup, CombineReduce reduce) const {
    SendPlan plan;
    pack_copies({.placement = placement,
                 .moe_layer = 0,
                 .tokens = tokens,
                 .ids = ids,
                 .weights = weights,
                 .top_k = 2,
                 .dedup = dedup,
                 .reduce = reduce},
                plan);
    return plan;
  }
};

std::vector<std::int32_t> slots(const std::vector<CopyHeader>& headers) {
  std::vector<std::int32_t> values;
  for (const CopyHeader& header : headers)
    values.push_back(header.slot);
  return values;
}

std::vector<std::int32_t> groups(const std::vector<CopyHeader>& headers) {
  std::vector<std::int32_t> values;
  for (const CopyHeader& header : headers)
    values.push_back(header.group);
  return values;
}

using Ints = std::vector<std::int32_t>;
using Counts = std::vector<std::int64_t>;

TEST(PackCopies, OneRowPerTokenAndRankWithDedup) {
  const SendPlan plan = TwoRanks{}.packed(true, CombineReduce::none);
  EXPECT_EQ(plan.copies, (Counts{1, 3}));
  EXPECT_EQ(plan.groups, (Counts{1, 2}));
  EXPECT_EQ(plan.rows, (Counts{1, 2}));
  EXPECT_EQ(slots(plan.headers), (Ints{0, 3, 2, 2}));
  EXPECT_EQ(groups(plan.headers), (Ints{0, 0, 0, 1}));
  EXPECT_EQ(plan.row_token, (Ints{1, 0, 1}));
  // Copies come back block by block: token 0 finds its rows at 1 and 2, token 1 at 3 and 0.
  EXPECT_EQ(plan.return_row, (Ints{1, 2, 3, 0}));
}

TEST(PackCopies, OneRowPerCopyWithoutDedup) {
  const SendPlan plan = TwoRanks{}.packed(false, CombineReduce::none);
  EXPECT_EQ(plan.rows, (Counts{1, 3}));
  EXPECT_EQ(plan.row_token, (Ints{1, 0, 0, 1}));
  EXPECT_EQ(plan.return_row, (Ints{1, 2, 3, 0}));
}

TEST(PackCopies, ReducedRowsAreAddedOncePerRank) {
  const SendPlan plan = TwoRanks{}.packed(true, CombineReduce::rank);
  // Token 0: one row from rank 1. Token 1: rank 1 first, as in router order, then rank 0.
  EXPECT_EQ(plan.return_row, (Ints{1, 1, 2, 0}));
  EXPECT_EQ(plan.return_weight, (std::vector<float>{1, 0, 1, 1}));
  EXPECT_EQ(plan.headers[1].weight, 0.5F);
  EXPECT_EQ(plan.headers[2].weight, 0.25F);
}

TEST(PackCopies, NothingToSendFromARankWithoutTokens) {
  TwoRanks none;
  none.tokens.clear();
  none.ids.clear();
  none.weights.clear();
  const SendPlan plan = none.packed(true, CombineReduce::rank);
  EXPECT_EQ(plan.copies, (Counts{0, 0}));
  EXPECT_TRUE(plan.row_token.empty());
}

/// What rank 1 (slots 2 and 3) gets when ranks 0 and 1 both send the tokens above.
ReceivePlan received_by_rank_1(bool dedup) {
  ReceivePlan plan;
  plan.copies = {3, 3};
  plan.groups = {2, 2};
  plan.rows = dedup ? plan.groups : plan.copies;
  const std::vector<CopyHeader> block{{.slot = 3, .group = 0, .weight = 0.5F},
                                      {.slot = 2, .group = 0, .weight = 0.25F},
                                      {.slot = 2, .group = 1, .weight = 0.75F}};
  plan.headers = block;
  plan.headers.insert(plan.headers.end(), block.begin(), block.end());
  return plan;
}

TEST(OrderCopies, GroupsBySlotInArrivalOrder) {
  ReceivePlan plan = received_by_rank_1(true);
  ASSERT_TRUE(order_copies(2, 2, RowCount::per_rank, plan));
  EXPECT_EQ(plan.slot_copies, (Counts{4, 2}));
  EXPECT_EQ(plan.touched, (Ints{0, 1}));
  EXPECT_EQ(plan.first_row, (Counts{0, 4, 6}));
  EXPECT_EQ(plan.position, (Ints{4, 0, 1, 5, 2, 3}));
  EXPECT_EQ(plan.input_row, (Ints{0, 1, 2, 3, 0, 2}));
}

TEST(OrderCopies, ReadsARowPerCopyWithoutDedup) {
  ReceivePlan plan = received_by_rank_1(false);
  ASSERT_TRUE(order_copies(2, 2, RowCount::per_copy, plan));
  EXPECT_EQ(plan.input_row, (Ints{1, 2, 4, 5, 0, 3}));
}

TEST(OrderCopies, RefusesHeadersOfAnotherRank) {
  ReceivePlan plan = received_by_rank_1(true);
  EXPECT_FALSE(order_copies(0, 3, RowCount::per_rank, plan));
  plan.headers[0].slot = 2;
  plan.headers[4].group = 7;
  EXPECT_FALSE(order_copies(2, 2, RowCount::per_rank, plan));
}

TEST(PlanReduction, AddsTheCopiesOfATokenInRouterOrder) {
  ReceivePlan plan = received_by_rank_1(true);
  ASSERT_TRUE(order_copies(2, 2, RowCount::per_rank, plan));
  plan_reduction(plan);
  EXPECT_EQ(plan.reduce_width, 2);
  // Tokens with one copy repeat its row with weight 0.
  EXPECT_EQ(plan.reduce_row, (Ints{4, 0, 1, 1, 5, 2, 3, 3}));
  EXPECT_EQ(plan.reduce_weight, (std::vector<float>{0.5F, 0.25F, 0.75F, 0, 0.5F, 0.25F, 0.75F, 0}));
}

}  // namespace
}  // namespace k3
