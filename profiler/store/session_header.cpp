#include "profiler/store/session_header.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include <fmt/core.h>

#include "profiler/store/database.h"
#include "profiler/store/names.h"
#include "profiler/store/schema.h"

namespace k3::store {
namespace {

tl::unexpected<Error> misuse(std::string message) {
  return fail(Code::internal, std::move(message));
}

bool below(std::int64_t index, std::size_t size) {
  return index >= 0 && static_cast<std::size_t>(index) < size;
}

Result<void> check_header(const RunHeader& header) {
  const auto ranks = static_cast<std::size_t>(std::max(0, header.num_ranks));
  for (const Lane& lane : header.lanes) {
    if (!below(lane.rank, ranks)) return misuse(fmt::format("lane of rank {}", lane.rank));
  }
  for (const PlanRecord& plan : header.plans) {
    for (const TaskRecord& task : plan.tasks) {
      if (!below(task.rank, ranks) || !below(task.name, header.names.size()) || task.layer < -1) {
        return misuse(
            fmt::format("task of rank {}, layer {}, name {}", task.rank, task.layer, task.name));
      }
    }
  }
  for (const PlacementRecord& slot : header.placement) {
    if (!below(slot.rank, ranks)) return misuse(fmt::format("slot on rank {}", slot.rank));
  }
  return {};
}

Result<void> insert_meta(const Database& database, const RunHeader& header) {
  K3_TRY(auto rows, Inserter<kMetaTable>::prepare(database));
  K3_TRY_VOID(rows.row(kMetaKind, stored_name(header.kind)));
  K3_TRY_VOID(rows.row(kMetaScenario, header.scenario));
  K3_TRY_VOID(rows.row(kMetaComplete, std::string_view("0")));
  K3_TRY_VOID(rows.row(kMetaNumRanks, std::to_string(header.num_ranks)));
  K3_TRY_VOID(rows.row(kMetaGpusPerTray, std::to_string(header.gpus_per_tray)));
  for (const auto& [key, value] : header.meta)
    K3_TRY_VOID(rows.row(key, value));
  return {};
}

Result<void> insert_ranks(const Database& database, const RunHeader& header) {
  K3_TRY(auto ranks, Inserter<kRankTable>::prepare(database));
  for (int rank = 0; rank < header.num_ranks; ++rank) {
    std::optional<std::int64_t> tray;
    if (header.gpus_per_tray > 0) tray = rank / header.gpus_per_tray;
    // The clocks of one process and of a simulation are one.
    K3_TRY_VOID(
        ranks.row(rank, header.host, header.device, tray, 0, 0, std::string_view("shared")));
  }
  K3_TRY(auto memory, Inserter<kMemoryTable>::prepare(database));
  for (const MemoryRecord& record : header.memory) {
    K3_TRY_VOID(memory.row(record.rank, record.what, record.bytes));
  }
  K3_TRY(auto placement, Inserter<kPlacementTable>::prepare(database));
  for (const PlacementRecord& slot : header.placement) {
    K3_TRY_VOID(placement.row(slot.layer, slot.slot, slot.rank, slot.expert, slot.share));
  }
  return {};
}

Result<void> insert_links(const Database& database, const RunHeader& header) {
  K3_TRY(auto links, Inserter<kLinkTable>::prepare(database));
  for (std::size_t i = 0; i < header.links.size(); ++i) {
    const LinkRecord& link = header.links[i];
    K3_TRY_VOID(links.row(i, link.src_node, link.dst_node, link.plane, link.capacity_bytes_per_s,
                          link.latency_ns));
  }
  return {};
}

/// Strings, and lanes with their names interned behind the header's own.
Result<void> insert_lanes(const Database& database, const RunHeader& header) {
  K3_TRY(auto strings, Inserter<kStringTable>::prepare(database));
  std::unordered_map<std::string_view, std::size_t> ids;
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    ids.emplace(header.names[i], i);
    K3_TRY_VOID(strings.row(i, header.names[i]));
  }
  K3_TRY(auto lanes, Inserter<kLaneTable>::prepare(database));
  std::size_t next_string = header.names.size();
  for (std::size_t i = 0; i < header.lanes.size(); ++i) {
    const Lane& lane = header.lanes[i];
    const auto [entry, is_new] = ids.try_emplace(lane.name, next_string);
    if (is_new) K3_TRY_VOID(strings.row(next_string++, lane.name));
    K3_TRY_VOID(lanes.row(i, lane.rank, nullptr, stored_name(lane.kind), entry->second, i, nullptr,
                          nullptr));
  }
  return {};
}

Result<void> insert_plans(const Database& database, const RunHeader& header) {
  K3_TRY(auto plans, Inserter<kPlanTable>::prepare(database));
  K3_TRY(auto tasks, Inserter<kTaskTable>::prepare(database));
  for (std::size_t p = 0; p < header.plans.size(); ++p) {
    const PlanRecord& plan = header.plans[p];
    K3_TRY_VOID(plans.row(p, fmt::format("{:016x}", plan.hash), stored_name(plan.phase),
                          plan.tasks.size()));
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      const TaskRecord& task = plan.tasks[t];
      K3_TRY_VOID(tasks.row(p, t, task.rank, stored_name(task.kind), task.layer,
                            stored_name(task.stage), task.name, task.flops, task.bytes));
    }
  }
  return {};
}

}  // namespace

Result<void> write_header_file(const std::filesystem::path& path, const RunHeader& header) {
  K3_TRY_VOID(check_header(header));
  K3_TRY(const Database database, Database::open(path, OpenMode::create));
  // NOTE: until it is published nobody else sees the file, and publish_file flushes it to disk.
  K3_TRY_VOID(database.execute(fmt::format(
      "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA application_id = {};"
      "PRAGMA user_version = {}",
      kApplicationId, kUserVersion)));
  K3_TRY(Transaction transaction, Transaction::begin(database));
  for (const Table* table : kTables)
    K3_TRY_VOID(database.execute(create_statement(*table)));
  for (const View& view : kViews)
    K3_TRY_VOID(database.execute(create_statement(view)));
  K3_TRY_VOID(insert_meta(database, header));
  K3_TRY_VOID(insert_ranks(database, header));
  K3_TRY_VOID(insert_links(database, header));
  K3_TRY_VOID(insert_lanes(database, header));
  K3_TRY_VOID(insert_plans(database, header));
  return transaction.commit();
}

}  // namespace k3::store
