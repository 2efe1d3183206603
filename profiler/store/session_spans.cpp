#include <algorithm>

#include <fmt/core.h>

#include "profiler/store/row_values.h"
#include "profiler/store/schema.h"
#include "profiler/store/session_reader.h"
#include "profiler/store/span_block.h"

namespace k3::store {
namespace {

/// Rows to make room for at most before they have been seen.
constexpr std::int64_t kMaxReserve = 1 << 20;

/// Less than any row of `span` takes: its thirteen columns have a byte each in the row's head.
constexpr std::int64_t kLeastRowBytes = 14;

constexpr const char* kSpanColumns =
    "begin_ns, duration_ns, lane_id, task_id, layer, depth, category, name_id, flops, bytes, "
    "span_id, step";

/// Numbers that indices of spans stay below.
struct SpanLimits {
  std::int64_t num_lanes = 0;
  std::int64_t num_names = 0;
  std::int64_t num_tasks = 0;
};

Result<Span> span_at(const Statement& row, const SpanLimits& limits) {
  Span span;
  span.begin_ns = row.integer(0);
  span.duration_ns = row.integer(1);
  K3_TRY(span.lane, index_at<std::int32_t>(row, 2, limits.num_lanes));
  K3_TRY(span.task, index_at<std::int32_t>(row, 3, limits.num_tasks, -1));
  K3_TRY(span.layer, layer_at(row, 4));
  span.depth = integer_as<std::uint8_t>(row, 5);
  K3_TRY(span.category, enum_at<SpanCategory>(row, 6));
  K3_TRY(span.name, index_at<std::int32_t>(row, 7, limits.num_names));
  span.flops = row.real(8);
  span.bytes = row.real(9);
  return span;
}

Result<SpanLimits> limits_of(const Database& database, const std::string& num_tasks) {
  SpanLimits limits;
  K3_TRY(limits.num_lanes, database.integer("SELECT count(*) FROM lane"));
  K3_TRY(limits.num_names, database.integer("SELECT count(*) FROM string"));
  K3_TRY(limits.num_tasks, database.integer(num_tasks));
  return limits;
}

}  // namespace

Result<std::vector<Span>> SessionReader::spans(const StepRow& step) const {
  K3_TRY(const SpanLimits limits,
         limits_of(database_, fmt::format("SELECT coalesce(sum(num_tasks), 0) FROM plan "
                                          "WHERE plan_id = {}",
                                          step.plan)));
  K3_TRY(Statement query,
         database_.prepare(fmt::format("SELECT {} FROM span WHERE span_id >= ?1 AND "
                                       "span_id - ?1 < ?2 AND step = ?3 ORDER BY span_id LIMIT ?2",
                                       kSpanColumns)));
  query.bind(1, step.first_span);
  query.bind(2, step.num_spans);
  query.bind(3, step.step);
  std::vector<Span> out;
  out.reserve(static_cast<std::size_t>(std::clamp<std::int64_t>(step.num_spans, 0, kMaxReserve)));
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    K3_TRY(Span span, span_at(row, limits));
    out.push_back(span);
    return {};
  }));
  if (std::ssize(out) != step.num_spans) {
    return damaged(
        fmt::format("step {} has {} of {} spans", step.step, out.size(), step.num_spans));
  }
  return out;
}

Result<std::vector<StoredSpan>> SessionReader::spans_between(std::int64_t begin_ns,
                                                             std::int64_t end_ns) const {
  K3_TRY(const SpanLimits limits,
         limits_of(database_, "SELECT coalesce(max(num_tasks), 0) FROM plan"));
  const bool has_stretches = user_version_ >= kSpanRangeTable.since;
  K3_TRY(Statement query,
         database_.prepare(fmt::format(
             "SELECT {} FROM {} WHERE begin_ns < ?2 AND begin_ns + duration_ns > ?1{} "
             "ORDER BY span_id",
             kSpanColumns, has_stretches ? "v_span" : "span",
             has_stretches ? " AND stretch_begin_ns < ?2 AND stretch_end_ns > ?1" : "")));
  query.bind(1, begin_ns);
  query.bind(2, end_ns);
  std::vector<StoredSpan> out;
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    K3_TRY(const Span span, span_at(row, limits));
    out.push_back({row.integer(10), integer_as<std::int32_t>(row, 11), span});
    return {};
  }));
  return out;
}

Result<std::vector<SpanBlock>> SessionReader::span_blocks() const {
  std::vector<SpanBlock> out;
  if (user_version_ < kSpanBlockTable.since) return out;
  K3_TRY(const std::int64_t num_lanes, database_.integer("SELECT count(*) FROM lane"));
  K3_TRY(const std::int64_t num_pages, database_.integer("PRAGMA page_count"));
  K3_TRY(const std::int64_t page_bytes, database_.integer("PRAGMA page_size"));
  K3_TRY(Statement query, database_.prepare("SELECT lane_id, depth, count, span_limit, columns "
                                            "FROM span_block ORDER BY rowid"));
  std::int64_t num_spans = 0;
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    SpanBlock& block = out.emplace_back();
    K3_TRY(block.lane, index_at<std::int32_t>(row, 0, num_lanes));
    K3_TRY(block.depth, index_at<std::uint8_t>(row, 1, 1 << 8));
    K3_TRY(block.count, index_at<std::size_t>(row, 2, kMaxBlockSpans + 1, 1));
    K3_TRY(block.span_limit, index_at<std::int64_t>(row, 3, kMaxCount, 1));
    const std::span<const std::byte> columns = row.blob(4);
    block.columns.assign(columns.begin(), columns.end());
    // NOTE: a few bytes can stand for a full block; all of them have rows too.
    num_spans += static_cast<std::int64_t>(block.count);
    if (num_spans <= num_pages * page_bytes / kLeastRowBytes) return {};
    return damaged("more spans in blocks than rows have room for");
  }));
  return out;
}

}  // namespace k3::store
