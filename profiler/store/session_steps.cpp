#include "profiler/store/blob.h"
#include "profiler/store/row_values.h"
#include "profiler/store/session_reader.h"

namespace k3::store {
Result<std::vector<StepRow>> SessionReader::steps() const {
  K3_TRY(Statement query,
         database_.prepare("SELECT step, plan_id, phase, sequences, tokens, context, begin_ns, "
                           "duration_ns, first_span, num_spans FROM step ORDER BY step"));
  std::vector<StepRow> out;
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    StepRow& step = out.emplace_back();
    step.step = integer_as<std::int32_t>(row, 0);
    step.plan = integer_as<std::int32_t>(row, 1);
    K3_TRY(step.phase, enum_at<Phase>(row, 2));
    K3_TRY(step.sequences, index_at<std::int64_t>(row, 3, kMaxCount));
    K3_TRY(step.tokens, index_at<std::int64_t>(row, 4, kMaxCount));
    K3_TRY(step.context, index_at<std::int64_t>(row, 5, kMaxCount));
    step.begin_ns = row.integer(6);
    step.duration_ns = row.integer(7);
    K3_TRY(step.first_span, index_at<std::int64_t>(row, 8, kMaxCount));
    K3_TRY(step.num_spans, index_at<std::int64_t>(row, 9, kMaxCount));
    return {};
  }));
  return out;
}

Result<std::vector<TrafficRecord>> SessionReader::traffic(int step) const {
  K3_TRY(Statement query,
         database_.prepare("SELECT layer, direction, num_ranks, copies, rows, bytes FROM traffic "
                           "WHERE step = ? ORDER BY layer, direction DESC"));
  query.bind(1, step);
  std::vector<TrafficRecord> out;
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    TrafficRecord& record = out.emplace_back();
    K3_TRY(record.layer, layer_at(row, 0));
    K3_TRY(record.direction, enum_at<Direction>(row, 1));
    K3_TRY(record.num_ranks, index_at<int>(row, 2, kMaxRanks));
    const auto n = static_cast<std::size_t>(record.num_ranks);
    K3_TRY(record.copies, array_from<std::uint32_t>(row.blob(3), n * n));
    K3_TRY(record.rows, array_from<std::uint32_t>(row.blob(4), n * n));
    K3_TRY(record.bytes, array_from<std::uint64_t>(row.blob(5), n * n));
    return {};
  }));
  return out;
}

Result<std::vector<TransferRecord>> SessionReader::transfers(int step) const {
  K3_TRY(
      Statement query,
      database_.prepare("SELECT layer, direction, rank, begin_ns, wait_ns, move_ns FROM transfer "
                        "WHERE step = ? ORDER BY layer, direction DESC, rank"));
  query.bind(1, step);
  std::vector<TransferRecord> out;
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    TransferRecord& record = out.emplace_back();
    K3_TRY(record.layer, layer_at(row, 0));
    K3_TRY(record.direction, enum_at<Direction>(row, 1));
    K3_TRY(record.rank, index_at<std::int32_t>(row, 2, num_ranks_));
    record.begin_ns = row.integer(3);
    record.wait_ns = row.integer(4);
    record.move_ns = row.integer(5);
    return {};
  }));
  return out;
}

Result<std::vector<ExpertLoadRecord>> SessionReader::expert_load(int step) const {
  K3_TRY(Statement query,
         database_.prepare("SELECT layer, num_experts, tokens, slot_tokens FROM expert_load "
                           "WHERE step = ? ORDER BY layer"));
  query.bind(1, step);
  std::vector<ExpertLoadRecord> out;
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    ExpertLoadRecord& record = out.emplace_back();
    K3_TRY(record.layer, layer_at(row, 0));
    K3_TRY(record.expert_tokens,
           array_from<std::uint32_t>(row.blob(2), integer_as<std::size_t>(row, 1)));
    K3_TRY(record.slot_tokens, array_from<std::uint32_t>(row.blob(3)));
    return {};
  }));
  return out;
}

Result<std::vector<RoutingRecord>> SessionReader::routing(int step) const {
  K3_TRY(Statement query, database_.prepare("SELECT layer, num_tokens, top_k, experts FROM routing "
                                            "WHERE step = ? ORDER BY layer"));
  query.bind(1, step);
  std::vector<RoutingRecord> out;
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    RoutingRecord& record = out.emplace_back();
    K3_TRY(record.layer, layer_at(row, 0));
    K3_TRY(record.num_tokens, index_at<int>(row, 1, std::int64_t{1} << 31));
    K3_TRY(record.top_k, index_at<int>(row, 2, std::int64_t{1} << 31));
    const auto choices =
        static_cast<std::size_t>(record.num_tokens) * static_cast<std::size_t>(record.top_k);
    K3_TRY(record.experts, decompressed(row.blob(3), choices));
    return {};
  }));
  return out;
}

Result<StepRecord> SessionReader::step(const StepRow& row) const {
  StepRecord record{.step = row.step,
                    .plan = row.plan,
                    .phase = row.phase,
                    .sequences = row.sequences,
                    .tokens = row.tokens,
                    .context = row.context,
                    .begin_ns = row.begin_ns,
                    .duration_ns = row.duration_ns,
                    .spans = {},
                    .traffic = {},
                    .transfers = {},
                    .expert_load = {},
                    .routing = {},
                    .memory = {}};
  K3_TRY(record.spans, spans(row));
  K3_TRY(record.traffic, traffic(row.step));
  K3_TRY(record.transfers, transfers(row.step));
  K3_TRY(record.expert_load, expert_load(row.step));
  K3_TRY(record.routing, routing(row.step));
  K3_TRY(record.link_use, link_use(row.step));
  K3_TRY(record.link_samples, link_samples(row.step));
  return record;
}

}  // namespace k3::store
