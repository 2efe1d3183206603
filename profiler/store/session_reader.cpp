#include "profiler/store/session_reader.h"

#include <charconv>
#include <system_error>

#include <fmt/core.h>
#include <unistd.h>

#include "profiler/store/names.h"
#include "profiler/store/row_values.h"
#include "profiler/store/session_file.h"
#include "profiler/store/totals.h"

namespace k3::store {
namespace fs = std::filesystem;

namespace {

/// The file, where an error does not name a place yet.
template <class T>
Result<T> at_file(Result<T> result, const fs::path& path) {
  if (!result && result.error().where.empty()) result.error().where = path.string();
  return result;
}

Result<Database> open_database(const fs::path& path,
                               const FileHeader& header,
                               std::string& warning) {
  if (!header.is_wal || fold_wal(path)) return Database::open(path, OpenMode::read);
  const bool writable = access(path.c_str(), W_OK) == 0;
  {
    // Works while another program writes, and where the companions of the file are still there.
    K3_TRY(Database database, Database::open(path, OpenMode::read));
    if (database.integer("SELECT count(*) FROM sqlite_master")) {
      warning = writable ? "another program has this file open; shown is what was complete just now"
                         : "this file was not closed by its run";
      return database;
    }
  }
  std::error_code ignored;
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

Result<void> check_tables(const Database& database, int user_version) {
  for (const Table* table : kTables) {
    if (table->since > user_version) continue;
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
  K3_TRY_VOID(check_tables(database_, user_version_));
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
  K3_TRY(const std::int64_t rows, database_.integer("SELECT count(*) FROM rank"));
  if (rows != num_ranks_) return damaged(fmt::format("{} of {} ranks", rows, num_ranks_));
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
  K3_TRY(header.links, links());
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
