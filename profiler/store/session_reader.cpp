#include "profiler/store/session_reader.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <fmt/core.h>

#include "profiler/store/blob.h"
#include "profiler/store/names.h"
#include "profiler/store/session_file.h"
#include "profiler/store/totals.h"

namespace k3::store {
namespace fs = std::filesystem;

namespace {

/// More ranks than any file of this program has: what a damaged number must not exceed.
constexpr int kMaxRanks = 1 << 16;

/// Rows to make room for at most before they have been seen.
constexpr std::int64_t kMaxReserve = 1 << 20;

tl::unexpected<Error> damaged(std::string what) {
  return fail(Code::corrupt, fmt::format("file is damaged ({}); record the run again", what));
}

template <class T>
T integer_as(const Statement& row, int column) {
  return static_cast<T>(row.integer(column));
}

template <class Enum>
Result<Enum> enum_at(const Statement& row, int column) {
  if (const auto value = from_stored_name<Enum>(row.text(column))) return *value;
  return damaged(fmt::format("unknown {} '{}'", row.column_name(column), row.text(column)));
}

/// An index below `limit`, and at least `lowest` (0, or −1 where that means none).
template <class T>
Result<T> index_at(const Statement& row, int column, std::int64_t limit, std::int64_t lowest = 0) {
  const std::int64_t value = row.integer(column);
  if (value >= lowest && value < limit) return static_cast<T>(value);
  return damaged(fmt::format("{} is {}, only {} exist", row.column_name(column), value, limit));
}

/// Layers count from 0; −1: none.
Result<std::int16_t> layer_at(const Statement& row, int column) {
  return index_at<std::int16_t>(row, column, 1 << 15, -1);
}

/// The file, where an error does not name a place yet.
template <class T>
Result<T> at_file(Result<T> result, const fs::path& path) {
  if (!result && result.error().where.empty()) result.error().where = path.string();
  return result;
}

Result<Database> open_database(const fs::path& path,
                               const FileHeader& header,
                               std::string& warning) {
  std::error_code ignored;
  if (!header.is_wal) return Database::open(path, OpenMode::read);
  const bool folded = fold_wal(path).has_value();
  if (folded) return Database::open(path, OpenMode::read);
  {
    // Works while another program writes, and on read-only media that still hold the companions.
    K3_TRY(Database database, Database::open(path, OpenMode::read));
    if (database.integer("SELECT count(*) FROM sqlite_master")) {
      warning = "another program has this file open; shown is what was complete when it was opened";
      return database;
    }
  }
  if (fs::exists(wal_path(path), ignored) && fs::file_size(wal_path(path), ignored) > 0) {
    return fail(
        Code::io,
        "was not closed by its run and cannot be recovered where it is; copy it together with "
        "its -wal file into a folder that can be written",
        path.string());
  }
  warning = "this file was not closed by its run; it is read as it is";
  return Database::open(path, OpenMode::immutable);
}

Result<void> check_size(const fs::path& path) {
  K3_TRY(const FileHeader header, read_file_header(path));
  std::error_code ignored;
  const std::uint64_t size = fs::file_size(path, ignored);
  if (header.is_wal || size >= header.stated_bytes) return {};
  return fail(
      Code::corrupt,
      fmt::format("is cut off: {} of {} bytes are there; copy it again", size, header.stated_bytes),
      path.string());
}

Result<void> check_tables(const Database& database) {
  for (const Table* table : kTables) {
    K3_TRY(
        Statement query,
        database.prepare("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"));
    query.bind(1, table->name);
    K3_TRY(const bool found, query.next());
    if (!found || query.integer(0) != 1)
      return damaged(fmt::format("table {} is missing", table->name));
  }
  return {};
}

}  // namespace

Result<SessionReader> SessionReader::open(const fs::path& path) {
  K3_TRY(const FileHeader header, read_file_header(path));
  std::string warning;
  K3_TRY(Database database, open_database(path, header, warning));
  K3_TRY_VOID(check_size(path));
  SessionReader reader(std::move(database));
  reader.warning_ = std::move(warning);
  reader.user_version_ = header.user_version;
  K3_TRY_VOID(at_file(reader.read_basics(), path));
  return reader;
}

Result<void> SessionReader::read_basics() {
  // NOTE: held until the reader goes, so that all queries see the same steps while a run goes on
  // writing.
  K3_TRY_VOID(database_.execute("BEGIN"));
  K3_TRY_VOID(check_tables(database_));
  K3_TRY(const std::string kind, meta(kMetaKind));
  const auto known = from_stored_name<RunKind>(kind);
  if (!known) return damaged(fmt::format("unknown kind of run '{}'", kind));
  kind_ = *known;
  K3_TRY(const std::string complete, meta(kMetaComplete));
  complete_ = complete == "1";
  K3_TRY(const std::string ranks, meta(kMetaNumRanks));
  const auto parsed = std::from_chars(ranks.data(), ranks.data() + ranks.size(), num_ranks_);
  if (parsed.ec != std::errc() || num_ranks_ < 0 || num_ranks_ > kMaxRanks) {
    return damaged(fmt::format("'{}' ranks", ranks));
  }
  return {};
}

Result<std::vector<std::pair<std::string, std::string>>> SessionReader::meta() const {
  K3_TRY(Statement query, database_.prepare("SELECT key, value FROM meta ORDER BY key"));
  std::vector<std::pair<std::string, std::string>> out;
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    out.emplace_back(row.text(0), row.text(1));
    return {};
  }));
  return out;
}

Result<std::string> SessionReader::meta(std::string_view key) const {
  K3_TRY(Statement query, database_.prepare("SELECT value FROM meta WHERE key = ?"));
  query.bind(1, key);
  K3_TRY(const bool found, query.next());
  return found ? std::string(query.text(0)) : std::string();
}

Result<RunHeader> SessionReader::header() const {
  RunHeader header;
  header.kind = kind_;
  header.num_ranks = num_ranks_;
  K3_TRY(const auto pairs, meta());
  for (const auto& [key, value] : pairs) {
    if (key == kMetaScenario) {
      header.scenario = value;
    } else if (key == kMetaGpusPerTray) {
      std::from_chars(value.data(), value.data() + value.size(), header.gpus_per_tray);
    } else if (key != kMetaKind && key != kMetaComplete && key != kMetaNumRanks) {
      header.meta.emplace_back(key, value);
    }
  }
  K3_TRY(Statement rank, database_.prepare("SELECT host, device FROM rank ORDER BY rank LIMIT 1"));
  K3_TRY(const bool found, rank.next());
  if (found) {
    header.host = rank.text(0);
    header.device = rank.text(1);
  }
  K3_TRY(header.names, names());
  K3_TRY(header.lanes, lanes());
  K3_TRY(const std::int64_t num_plans, database_.integer("SELECT count(*) FROM plan"));
  for (std::int64_t p = 0; p < num_plans; ++p) {
    K3_TRY(PlanRecord record, plan(static_cast<int>(p)));
    header.plans.push_back(std::move(record));
  }
  K3_TRY(header.placement, placement());
  K3_TRY(header.memory, memory());
  return header;
}

Result<std::vector<std::string>> SessionReader::names() const {
  K3_TRY(Statement query, database_.prepare("SELECT id, text FROM string ORDER BY id"));
  std::vector<std::string> out;
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    if (row.integer(0) != std::ssize(out)) return damaged("strings are missing");
    out.emplace_back(row.text(1));
    return {};
  }));
  return out;
}

Result<std::vector<Lane>> SessionReader::lanes() const {
  K3_TRY(Statement query, database_.prepare("SELECT lane_id, rank, kind, text FROM lane "
                                            "LEFT JOIN string ON id = name_id ORDER BY lane_id"));
  std::vector<Lane> out;
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    if (row.integer(0) != std::ssize(out)) return damaged("lanes are missing");
    Lane& lane = out.emplace_back();
    K3_TRY(lane.rank, index_at<std::int32_t>(row, 1, num_ranks_));
    K3_TRY(lane.kind, enum_at<LaneKind>(row, 2));
    lane.name = row.text(3);
    return {};
  }));
  return out;
}

Result<PlanRecord> SessionReader::plan(int plan_id) const {
  PlanRecord plan;
  K3_TRY(Statement head, database_.prepare("SELECT hash, phase FROM plan WHERE plan_id = ?"));
  head.bind(1, plan_id);
  K3_TRY(const bool found, head.next());
  if (!found) return fail(Code::not_found, fmt::format("no plan {}", plan_id), path().string());
  const std::string_view hash = head.text(0);
  std::from_chars(hash.data(), hash.data() + hash.size(), plan.hash, 16);
  K3_TRY(plan.phase, enum_at<Phase>(head, 1));
  K3_TRY(const std::int64_t num_names, database_.integer("SELECT count(*) FROM string"));
  K3_TRY(
      Statement query,
      database_.prepare("SELECT task_id, rank, kind, stage, layer, name_id, flops, bytes FROM task "
                        "WHERE plan_id = ? ORDER BY task_id"));
  query.bind(1, plan_id);
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    if (row.integer(0) != std::ssize(plan.tasks)) return damaged("tasks are missing");
    TaskRecord& task = plan.tasks.emplace_back();
    K3_TRY(task.rank, index_at<std::int32_t>(row, 1, num_ranks_));
    K3_TRY(task.kind, enum_at<TaskKind>(row, 2));
    K3_TRY(task.stage, enum_at<Stage>(row, 3));
    K3_TRY(task.layer, layer_at(row, 4));
    K3_TRY(task.name, index_at<std::int32_t>(row, 5, num_names));
    task.flops = row.real(6);
    task.bytes = row.real(7);
    return {};
  }));
  return plan;
}

Result<std::vector<PlacementRecord>> SessionReader::placement() const {
  K3_TRY(Statement query,
         database_.prepare(
             "SELECT layer, slot, rank, expert, share FROM placement ORDER BY layer, slot"));
  std::vector<PlacementRecord> out;
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    PlacementRecord& slot = out.emplace_back();
    K3_TRY(slot.layer, layer_at(row, 0));
    slot.slot = integer_as<std::int32_t>(row, 1);
    K3_TRY(slot.rank, index_at<std::int32_t>(row, 2, num_ranks_));
    slot.expert = integer_as<std::int32_t>(row, 3);
    slot.share = row.real(4);
    return {};
  }));
  return out;
}

Result<std::vector<MemoryRecord>> SessionReader::memory() const {
  K3_TRY(Statement query,
         database_.prepare("SELECT rank, what, bytes FROM memory ORDER BY rank, what"));
  std::vector<MemoryRecord> out;
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    K3_TRY(const auto rank, index_at<std::int32_t>(row, 0, num_ranks_));
    out.push_back({rank, std::string(row.text(1)), row.integer(2)});
    return {};
  }));
  return out;
}

Result<std::vector<StepRow>> SessionReader::steps() const {
  K3_TRY(Statement query,
         database_.prepare("SELECT step, plan_id, phase, sequences, tokens, context, begin_ns, "
                           "duration_ns, first_span, num_spans FROM step ORDER BY step"));
  std::vector<StepRow> out;
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    K3_TRY(const Phase phase, enum_at<Phase>(row, 2));
    out.push_back({.step = integer_as<std::int32_t>(row, 0),
                   .plan = integer_as<std::int32_t>(row, 1),
                   .phase = phase,
                   .sequences = row.integer(3),
                   .tokens = row.integer(4),
                   .context = row.integer(5),
                   .begin_ns = row.integer(6),
                   .duration_ns = row.integer(7),
                   .first_span = row.integer(8),
                   .num_spans = row.integer(9)});
    return {};
  }));
  return out;
}

Result<std::vector<Span>> SessionReader::spans(const StepRow& step) const {
  K3_TRY(const std::int64_t num_lanes, database_.integer("SELECT count(*) FROM lane"));
  K3_TRY(const std::int64_t num_names, database_.integer("SELECT count(*) FROM string"));
  K3_TRY(Statement tasks, database_.prepare("SELECT num_tasks FROM plan WHERE plan_id = ?"));
  tasks.bind(1, step.plan);
  K3_TRY(const bool has_plan, tasks.next());
  const std::int64_t num_tasks = has_plan ? tasks.integer(0) : 0;
  K3_TRY(
      Statement query,
      database_.prepare("SELECT begin_ns, duration_ns, lane_id, task_id, layer, depth, category, "
                        "name_id, flops, bytes FROM span WHERE span_id >= ?1 AND span_id - ?1 < ?2 "
                        "AND step = ?3 ORDER BY span_id LIMIT ?2"));
  query.bind(1, step.first_span);
  query.bind(2, step.num_spans);
  query.bind(3, step.step);
  std::vector<Span> out;
  out.reserve(static_cast<std::size_t>(std::clamp<std::int64_t>(step.num_spans, 0, kMaxReserve)));
  K3_TRY_VOID(for_each_row(query, [&](const Statement& row) -> Result<void> {
    Span& span = out.emplace_back();
    span.begin_ns = row.integer(0);
    span.duration_ns = row.integer(1);
    K3_TRY(span.lane, index_at<std::int32_t>(row, 2, num_lanes));
    K3_TRY(span.task, index_at<std::int32_t>(row, 3, num_tasks, -1));
    K3_TRY(span.layer, layer_at(row, 4));
    span.depth = integer_as<std::uint8_t>(row, 5);
    K3_TRY(span.category, enum_at<SpanCategory>(row, 6));
    K3_TRY(span.name, index_at<std::int32_t>(row, 7, num_names));
    span.flops = row.real(8);
    span.bytes = row.real(9);
    return {};
  }));
  if (std::ssize(out) != step.num_spans) {
    return damaged(
        fmt::format("step {} has {} of {} spans", step.step, out.size(), step.num_spans));
  }
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
                    .routing = {}};
  K3_TRY(record.spans, spans(row));
  K3_TRY(record.traffic, traffic(row.step));
  K3_TRY(record.transfers, transfers(row.step));
  K3_TRY(record.expert_load, expert_load(row.step));
  K3_TRY(record.routing, routing(row.step));
  return record;
}

Result<void> SessionReader::ensure_totals() const {
  if (complete_ || totals_ready_) return {};
  for (const Table* table : {&kLaneSummaryTable, &kTrafficTotalTable, &kExpertLoadTotalTable}) {
    K3_TRY_VOID(database_.execute(fmt::format("DROP TABLE IF EXISTS temp.{}", table->name)));
    K3_TRY_VOID(database_.execute(create_statement(*table, "TEMP ")));
  }
  for (const View& view : kViews) {
    K3_TRY_VOID(database_.execute(fmt::format("DROP VIEW IF EXISTS temp.{}", view.name)));
    K3_TRY_VOID(database_.execute(create_statement(view, "TEMP ")));
  }
  K3_TRY_VOID(database_.execute(
      "INSERT INTO temp.lane_summary SELECT lane_id, category, layer, count(*), "
      "sum(duration_ns) FROM span WHERE depth = 0 GROUP BY lane_id, category, layer"));
  K3_TRY(const auto slots, placement());
  TrafficTotals traffic_totals;
  ExpertTotals expert_totals(slots);
  K3_TRY(const auto rows, steps());
  for (const StepRow& row : rows) {
    K3_TRY(const auto matrices, traffic(row.step));
    for (const TrafficRecord& record : matrices)
      K3_TRY_VOID(traffic_totals.add(record));
    K3_TRY(const auto loads, expert_load(row.step));
    for (const ExpertLoadRecord& record : loads)
      K3_TRY_VOID(expert_totals.add(record));
  }
  K3_TRY_VOID(traffic_totals.insert(database_));
  K3_TRY_VOID(expert_totals.insert(database_));
  totals_ready_ = true;
  return {};
}

}  // namespace k3::store
