#include "engine/runtime/copy_exchange.h"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

namespace k3 {
namespace {

std::int64_t sum(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// Chooses slot and rank of every copy and counts the blocks.
void count_blocks(const PackInput& input, SendPlan& plan) {
  const std::size_t ranks = at(input.placement.num_ranks());
  plan.copies.assign(ranks, 0);
  plan.groups.assign(ranks, 0);
  plan.slot_scratch.resize(input.ids.size());
  plan.rank_scratch.resize(input.ids.size());
  std::vector<std::int64_t>& last_token = plan.rows;  // the token that each rank saw last
  last_token.assign(ranks, -1);
  for (std::size_t i = 0; i < input.ids.size(); ++i) {
    const auto token = static_cast<std::int64_t>(i) / input.top_k;
    const TokenPosition where = input.tokens[at(token)];
    const int slot =
        input.placement.slot_of(input.moe_layer, input.ids[i], where.sequence, where.position);
    const int rank = input.placement.rank_of_slot(input.moe_layer, slot);
    plan.slot_scratch[i] = slot;
    plan.rank_scratch[i] = rank;
    ++plan.copies[at(rank)];
    if (last_token[at(rank)] == token) continue;
    last_token[at(rank)] = token;
    ++plan.groups[at(rank)];
  }
}

/// Where the next copy and the next token of a block go, and the token that was last put there.
struct Cursor {
  std::int64_t copy = 0;
  std::int64_t group_begin = 0;
  std::int64_t group = -1;
  std::int64_t token = -1;
};

std::vector<Cursor> block_cursors(const SendPlan& plan) {
  std::vector<Cursor> cursors(plan.copies.size());
  for (std::size_t rank = 1; rank < cursors.size(); ++rank) {
    cursors[rank].copy = cursors[rank - 1].copy + plan.copies[rank - 1];
    cursors[rank].group_begin = cursors[rank - 1].group_begin + plan.groups[rank - 1];
  }
  return cursors;
}

}  // namespace

void pack_copies(const PackInput& input, SendPlan& plan) {
  count_blocks(input, plan);
  plan.rows = input.dedup ? plan.groups : plan.copies;
  plan.headers.resize(input.ids.size());
  plan.row_token.resize(at(sum(plan.rows)));
  plan.return_row.assign(input.ids.size(), 0);
  const bool reduced = input.reduce == CombineReduce::rank;
  plan.return_weight.assign(reduced ? input.ids.size() : 0, 0.0F);
  std::vector<Cursor> cursors = block_cursors(plan);
  for (std::int64_t token = 0; token < std::ssize(input.tokens); ++token) {
    const std::size_t first = at(token * input.top_k);
    std::size_t next_return = first;
    for (std::size_t i = first; i < first + at(input.top_k); ++i) {
      Cursor& cursor = cursors[at(plan.rank_scratch[i])];
      const bool is_new = cursor.token != token;
      if (is_new) {
        cursor.token = token;
        ++cursor.group;
      }
      const std::int64_t group_row = cursor.group_begin + cursor.group;
      const std::int64_t copy = cursor.copy++;
      plan.headers[at(copy)] = {.slot = plan.slot_scratch[i],
                                .group = static_cast<std::int32_t>(cursor.group),
                                .weight = reduced ? input.weights[i] : 0.0F};
      plan.row_token[at(input.dedup ? group_row : copy)] = static_cast<std::int32_t>(token);
      if (!reduced) {
        plan.return_row[i] = static_cast<std::int32_t>(copy);
      } else if (is_new) {
        plan.return_row[next_return] = static_cast<std::int32_t>(group_row);
        plan.return_weight[next_return++] = 1.0F;
      }
    }
    // NOTE: places left over read a row of the same token with weight 0, so that they add nothing.
    for (; next_return < first + at(input.top_k) && reduced; ++next_return) {
      plan.return_row[next_return] = plan.return_row[first];
    }
  }
}

std::int64_t ReceivePlan::total_copies() const {
  return sum(copies);
}

std::int64_t ReceivePlan::total_groups() const {
  return sum(groups);
}

std::int64_t ReceivePlan::total_rows() const {
  return sum(rows);
}

Result<void> order_copies(int first_slot, int num_slots, RowCount rows, ReceivePlan& plan) {
  plan.slot_copies.assign(at(num_slots), 0);
  for (const CopyHeader& header : plan.headers) {
    const int local = header.slot - first_slot;
    if (local < 0 || local >= num_slots) {
      return fail(Code::internal,
                  fmt::format("a copy for slot {} came to the rank of slots {} to {}", header.slot,
                              first_slot, first_slot + num_slots - 1));
    }
    ++plan.slot_copies[at(local)];
  }
  plan.next_scratch.resize(at(num_slots));
  plan.touched.clear();
  plan.first_row.assign(1, 0);
  std::int64_t total = 0;
  for (int slot = 0; slot < num_slots; ++slot) {
    plan.next_scratch[at(slot)] = total;
    if (plan.slot_copies[at(slot)] == 0) continue;
    total += plan.slot_copies[at(slot)];
    plan.touched.push_back(slot);
    plan.first_row.push_back(total);
  }
  plan.input_row.resize(plan.headers.size());
  plan.position.resize(plan.headers.size());
  std::size_t copy = 0;
  std::int64_t block_row = 0;
  for (std::size_t source = 0; source < plan.copies.size(); ++source) {
    for (std::int64_t i = 0; i < plan.copies[source]; ++i, ++copy) {
      const CopyHeader& header = plan.headers[copy];
      if (header.group < 0 || header.group >= plan.groups[source]) {
        return fail(Code::internal, fmt::format("a copy from rank {} belongs to token {} of {}",
                                                source, header.group, plan.groups[source]));
      }
      const std::int64_t place = plan.next_scratch[at(header.slot - first_slot)]++;
      plan.position[copy] = static_cast<std::int32_t>(place);
      plan.input_row[at(place)] =
          static_cast<std::int32_t>(block_row + (rows == RowCount::per_rank ? header.group : i));
    }
    block_row += plan.rows[source];
  }
  return {};
}

void plan_reduction(ReceivePlan& plan) {
  std::vector<std::int64_t>& filled = plan.next_scratch;
  filled.assign(at(plan.total_groups()), 0);
  const auto for_each_copy = [&](const auto& visit) {
    std::size_t copy = 0;
    std::int64_t first_group = 0;
    for (std::size_t source = 0; source < plan.copies.size(); ++source) {
      for (std::int64_t i = 0; i < plan.copies[source]; ++i, ++copy) {
        visit(copy, at(first_group + plan.headers[copy].group));
      }
      first_group += plan.groups[source];
    }
  };
  for_each_copy([&](std::size_t, std::size_t group) { ++filled[group]; });
  plan.reduce_width = filled.empty() ? 0 : *std::ranges::max_element(filled);
  const std::size_t places = filled.size() * at(plan.reduce_width);
  plan.reduce_row.assign(places, 0);
  plan.reduce_weight.assign(places, 0.0F);
  std::ranges::fill(filled, 0);
  for_each_copy([&](std::size_t copy, std::size_t group) {
    const std::size_t begin = group * at(plan.reduce_width);
    const std::size_t place = begin + at(filled[group]++);
    plan.reduce_row[place] = plan.position[copy];
    plan.reduce_weight[place] = plan.headers[copy].weight;
    // NOTE: later places of the group read the same row with weight 0 until their own copy comes.
    for (std::size_t rest = place + 1; rest < begin + at(plan.reduce_width); ++rest) {
      plan.reduce_row[rest] = plan.position[copy];
    }
  });
}

}  // namespace k3
