// Dispatch, routed experts, combine (k3 specification 3.4 e and f).
#include <chrono>

#include "engine/runtime/tasks.h"

namespace k3 {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <class T>
Result<void> upload(RankContext& context, DeviceArray<T>& array, const std::vector<T>& values) {
  return array.upload(context.inputs.backend, context.device, *context.stream,
                      std::span<const T>(values));
}

Result<void> reserve_rows(RankContext& context, DeviceArray<float>& array, std::int64_t rows) {
  return array.reserve(context.inputs.backend, context.device, rows * context.model.moe.latent);
}

/// out[i] = x[rows[i]] for rows of latent width.
Result<void> gather(RankContext& context,
                    const float* x,
                    const std::vector<std::int32_t>& rows,
                    DeviceArray<float>& out) {
  const auto count = static_cast<std::int64_t>(rows.size());
  K3_TRY_VOID(reserve_rows(context, out, count));
  if (count == 0) return {};
  K3_TRY_VOID(upload(context, context.exchange.index, rows));
  context.kernels.gather_rows({.x = x,
                               .rows = context.exchange.index.data(),
                               .out = out.data(),
                               .count = count,
                               .width = context.model.moe.latent},
                              *context.stream);
  return {};
}

/// Times of the calls that make up one all-to-all, added up.
struct Moves {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t move_ns = 0;
};

/// One variable-size all-to-all of `unit` bytes × counts.
struct Block {
  const void* send = nullptr;
  const std::vector<std::int64_t>& send_counts;
  void* receive = nullptr;
  const std::vector<std::int64_t>& receive_counts;
  std::int64_t unit = 0;
};

Result<void> exchange_block(RankContext& context, const Block& block, Moves& moves) {
  ExpertExchange& exchange = context.exchange;
  const auto scale = [&](const std::vector<std::int64_t>& counts,
                         std::vector<std::int64_t>& bytes) {
    bytes.clear();
    for (const std::int64_t count : counts)
      bytes.push_back(count * block.unit);
  };
  scale(block.send_counts, exchange.send_bytes);
  scale(block.receive_counts, exchange.receive_bytes);
  K3_TRY(const ExchangeTimes times,
         context.communicator.exchange({.send = block.send,
                                        .send_bytes = exchange.send_bytes,
                                        .receive = block.receive,
                                        .receive_bytes = exchange.receive_bytes},
                                       *context.stream));
  moves.move_ns += times.move_ns;
  return {};
}

/// Tells every rank how many copies and tokens it gets from this one.
Result<void> exchange_counts(RankContext& context) {
  ExpertExchange& exchange = context.exchange;
  const std::size_t ranks = exchange.send.copies.size();
  exchange.send_counts.resize(2 * ranks);
  exchange.receive_counts.resize(2 * ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    exchange.send_counts[2 * r] = exchange.send.copies[r];
    exchange.send_counts[2 * r + 1] = exchange.send.groups[r];
  }
  K3_TRY_VOID(context.communicator.all_to_all(exchange.send_counts, exchange.receive_counts));
  ReceivePlan& receive = exchange.receive;
  receive.copies.resize(ranks);
  receive.groups.resize(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    receive.copies[r] = exchange.receive_counts[2 * r];
    receive.groups[r] = exchange.receive_counts[2 * r + 1];
  }
  receive.rows = context.inputs.execution.dispatch_dedup ? receive.groups : receive.copies;
  return {};
}

Result<void> exchange_headers(RankContext& context, Moves& moves) {
  ExpertExchange& exchange = context.exchange;
  ReceivePlan& receive = exchange.receive;
  K3_TRY_VOID(upload(context, exchange.sent_headers, exchange.send.headers));
  receive.headers.resize(static_cast<std::size_t>(receive.total_copies()));
  K3_TRY_VOID(exchange.received_headers.reserve(context.inputs.backend, context.device,
                                                receive.total_copies()));
  K3_TRY_VOID(exchange_block(context,
                             {.send = exchange.sent_headers.data(),
                              .send_counts = exchange.send.copies,
                              .receive = exchange.received_headers.data(),
                              .receive_counts = receive.copies,
                              .unit = sizeof(CopyHeader)},
                             moves));
  if (receive.headers.empty()) return {};
  context.stream->copy_to_host(receive.headers.data(), exchange.received_headers.data(),
                               receive.headers.size() * sizeof(CopyHeader));
  context.stream->synchronize();
  return {};
}

/// Brings the rank's choices to the host, writes them into the step's routing and packs them.
void pack(RankContext& context, int moe_layer) {
  ExpertExchange& exchange = context.exchange;
  for (const LocalSequence& local : context.batch.sequences) {
    for (std::int64_t i = 0; i < local.new_tokens; ++i) {
      const auto choice =
          context.tables->routing.choice(moe_layer, static_cast<int>(local.first_global + i));
      const auto first =
          static_cast<std::size_t>((local.first_token + i) * context.model.moe.top_k);
      for (std::size_t j = 0; j < choice.size(); ++j) {
        choice[j] = static_cast<std::uint16_t>(exchange.ids[first + j]);
      }
    }
  }
  pack_copies({.placement = context.inputs.placement,
               .moe_layer = moe_layer,
               .tokens = context.batch.positions,
               .ids = exchange.ids,
               .weights = exchange.weights,
               .top_k = context.model.moe.top_k,
               .dedup = context.inputs.execution.dispatch_dedup,
               .reduce = context.inputs.execution.combine_reduce},
              exchange.send);
}

void fetch_choices(RankContext& context) {
  ExpertExchange& exchange = context.exchange;
  const auto count = static_cast<std::size_t>(context.batch.tokens * context.model.moe.top_k);
  exchange.ids.resize(count);
  exchange.weights.resize(count);
  if (count > 0) {
    context.stream->copy_to_host(exchange.ids.data(), context.work.router_ids.data(), count * 4);
    context.stream->copy_to_host(exchange.weights.data(), context.work.router_weights.data(),
                                 count * 4);
  }
  context.stream->synchronize();
}

void count_traffic_row(TrafficMatrix& matrix,
                       int source,
                       const std::vector<std::int64_t>& copies,
                       const std::vector<std::int64_t>& rows) {
  for (std::size_t destination = 0; destination < copies.size(); ++destination) {
    const std::size_t cell = matrix.at(source, static_cast<int>(destination));
    matrix.copies[cell] = static_cast<std::uint32_t>(copies[destination]);
    matrix.rows[cell] = static_cast<std::uint32_t>(rows[destination]);
  }
}

/// Spans of an all-to-all on the communication lane: packing from `pack_begin`, waiting, moving.
void record_moves(RankContext& context,
                  const Task& task,
                  std::int32_t task_id,
                  std::int64_t pack_begin,
                  const Moves& moves) {
  const std::int64_t wait_ns = moves.end_ns - moves.begin_ns - moves.move_ns;
  record_span(context, task, task_id, SpanCategory::memory, pack_begin, moves.begin_ns);
  record_span(context, task, task_id, SpanCategory::wait, moves.begin_ns, moves.begin_ns + wait_ns);
  record_span(context, task, task_id, SpanCategory::transfer, moves.begin_ns + wait_ns,
              moves.end_ns);
  context.record.transfers.push_back(
      {.layer = task.layer,
       .direction = task.kind == TaskKind::dispatch ? Direction::dispatch : Direction::combine,
       .rank = context.rank,
       .begin_ns = moves.begin_ns,
       .wait_ns = wait_ns,
       .move_ns = moves.move_ns});
}

/// Brings the experts' output into the order in which the copies came, or adds up the copies of a
/// token.
Result<void> pack_returns(RankContext& context) {
  ExpertExchange& exchange = context.exchange;
  ReceivePlan& receive = exchange.receive;
  if (context.inputs.execution.combine_reduce == CombineReduce::none) {
    return gather(context, exchange.expert_output.data(), receive.position, exchange.returned_rows);
  }
  plan_reduction(receive);
  const std::int64_t groups = receive.total_groups();
  K3_TRY_VOID(reserve_rows(context, exchange.returned_rows, groups));
  if (groups == 0) return {};
  K3_TRY_VOID(upload(context, exchange.index, receive.reduce_row));
  K3_TRY_VOID(upload(context, exchange.reduce_weight, receive.reduce_weight));
  context.kernels.combine({.x = exchange.expert_output.data(),
                           .row = exchange.index.data(),
                           .weights = exchange.reduce_weight.data(),
                           .out = exchange.returned_rows.data(),
                           .tokens = groups,
                           .top_k = receive.reduce_width,
                           .width = context.model.moe.latent},
                          *context.stream);
  return {};
}

/// Each token's weighted sum over its copies in router order, or over its expert ranks.
Result<void> sum_returns(RankContext& context) {
  if (context.batch.tokens == 0) return {};
  ExpertExchange& exchange = context.exchange;
  const bool reduced = context.inputs.execution.combine_reduce == CombineReduce::rank;
  K3_TRY_VOID(upload(context, exchange.return_row, exchange.send.return_row));
  if (reduced) K3_TRY_VOID(upload(context, exchange.return_weight, exchange.send.return_weight));
  context.kernels.combine(
      {.x = exchange.collected_rows.data(),
       .row = exchange.return_row.data(),
       .weights = reduced ? exchange.return_weight.data() : context.work.router_weights.data(),
       .out = context.work.latent_sum.data(),
       .tokens = context.batch.tokens,
       .top_k = context.model.moe.top_k,
       .width = context.model.moe.latent},
      *context.stream);
  return {};
}

}  // namespace

std::int64_t ExpertExchange::capacity_bytes() const {
  std::int64_t bytes = sent_headers.capacity_bytes() + received_headers.capacity_bytes() +
                       index.capacity_bytes() + return_row.capacity_bytes();
  for (const DeviceArray<float>* buffer :
       {&return_weight, &reduce_weight, &sent_rows, &received_rows, &expert_input, &expert_output,
        &returned_rows, &collected_rows}) {
    bytes += buffer->capacity_bytes();
  }
  return bytes;
}

Result<void> run_dispatch(RankContext& context, const Task& task, std::int32_t task_id) {
  ExpertExchange& exchange = context.exchange;
  const int moe_layer = context.plan->moe_index(task.layer);
  fetch_choices(context);
  const std::int64_t pack_begin = now_ns();
  pack(context, moe_layer);
  K3_TRY_VOID(
      gather(context, context.work.latent.data(), exchange.send.row_token, exchange.sent_rows));
  context.stream->synchronize();
  Moves moves{.begin_ns = now_ns()};
  K3_TRY_VOID(exchange_counts(context));
  K3_TRY_VOID(exchange_headers(context, moves));
  const std::int64_t received = exchange.receive.total_rows();
  K3_TRY_VOID(reserve_rows(context, exchange.received_rows, received));
  K3_TRY_VOID(exchange_block(context,
                             {.send = exchange.sent_rows.data(),
                              .send_counts = exchange.send.rows,
                              .receive = exchange.received_rows.data(),
                              .receive_counts = exchange.receive.rows,
                              .unit = context.model.moe.latent * std::int64_t{sizeof(float)}},
                             moves));
  moves.end_ns = now_ns();
  record_moves(context, task, task_id, pack_begin, moves);
  LayerTraffic& traffic = context.tables->layers[static_cast<std::size_t>(moe_layer)];
  count_traffic_row(traffic.dispatch, context.rank, exchange.send.copies, exchange.send.rows);
  return {};
}

Result<void> run_experts(RankContext& context, const Task& task) {
  ExpertExchange& exchange = context.exchange;
  ReceivePlan& receive = exchange.receive;
  const int moe_layer = context.plan->moe_index(task.layer);
  const auto [first_slot, last_slot] =
      context.inputs.placement.slots_of_rank(moe_layer, context.rank);
  K3_TRY_VOID(order_copies(
      first_slot, last_slot - first_slot,
      context.inputs.execution.dispatch_dedup ? RowCount::per_rank : RowCount::per_copy, receive));
  LayerTraffic& traffic = context.tables->layers[static_cast<std::size_t>(moe_layer)];
  traffic.experts_touched[static_cast<std::size_t>(context.rank)] =
      static_cast<std::int32_t>(receive.touched.size());
  const std::vector<ops::ExpertWeights>& slots = context.layer(task).moe.slots;
  exchange.touched.clear();
  for (const std::int32_t slot : receive.touched) {
    const auto local = static_cast<std::size_t>(slot);
    exchange.touched.push_back(slots[local]);
    traffic.slot_tokens[static_cast<std::size_t>(first_slot) + local] =
        static_cast<std::uint32_t>(receive.slot_copies[local]);
  }
  K3_TRY_VOID(
      gather(context, exchange.received_rows.data(), receive.input_row, exchange.expert_input));
  K3_TRY_VOID(reserve_rows(context, exchange.expert_output, receive.total_copies()));
  if (exchange.touched.empty()) return {};
  context.kernels.expert_mlp(
      {.x = exchange.expert_input.data(),
       .experts = exchange.touched.data(),
       .first_row = receive.first_row.data(),
       .beta = static_cast<float>(context.model.situ_beta),
       .linear_beta = static_cast<float>(context.model.situ_linear_beta.value_or(0)),
       .out = exchange.expert_output.data(),
       .num_experts = std::ssize(exchange.touched),
       .latent = context.model.moe.latent,
       .width = context.model.moe.expert_width},
      *context.stream);
  return {};
}

Result<void> run_combine(RankContext& context, const Task& task, std::int32_t task_id) {
  ExpertExchange& exchange = context.exchange;
  const bool reduced = context.inputs.execution.combine_reduce == CombineReduce::rank;
  context.stream->synchronize();
  const std::int64_t pack_begin = now_ns();
  K3_TRY_VOID(pack_returns(context));
  const auto& sent = reduced ? exchange.receive.groups : exchange.receive.copies;
  const auto& collected = reduced ? exchange.send.groups : exchange.send.copies;
  std::int64_t total = 0;
  for (const std::int64_t count : collected)
    total += count;
  K3_TRY_VOID(reserve_rows(context, exchange.collected_rows, total));
  context.stream->synchronize();
  Moves moves{.begin_ns = now_ns()};
  K3_TRY_VOID(exchange_block(context,
                             {.send = exchange.returned_rows.data(),
                              .send_counts = sent,
                              .receive = exchange.collected_rows.data(),
                              .receive_counts = collected,
                              .unit = context.model.moe.latent * std::int64_t{sizeof(float)}},
                             moves));
  moves.end_ns = now_ns();
  record_moves(context, task, task_id, pack_begin, moves);
  K3_TRY_VOID(sum_returns(context));
  context.stream->synchronize();
  record_span(context, task, task_id, SpanCategory::compute, moves.end_ns, now_ns());
  LayerTraffic& traffic =
      context.tables->layers[static_cast<std::size_t>(context.plan->moe_index(task.layer))];
  count_traffic_row(traffic.combine, context.rank, exchange.receive.copies, sent);
  return {};
}

}  // namespace k3
