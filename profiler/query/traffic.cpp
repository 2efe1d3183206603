#include "profiler/query/traffic.h"

#include <numeric>
#include <string>

#include <fmt/core.h>

#include "profiler/store/blob.h"
#include "profiler/store/row_values.h"

namespace k3::query {
namespace {

using store::Statement;

/// Conditions on `table` (traffic or transfer) beside `step`; parameters 1 to 4.
std::string where_of(std::string_view table) {
  return fmt::format(
      "FROM {0} JOIN step USING (step) WHERE (?1 IS NULL OR step = ?1) AND (?2 IS NULL OR "
      "{0}.layer = ?2) "
      "AND (?3 IS NULL OR {0}.direction = ?3) AND (?4 IS NULL OR phase = ?4)",
      table);
}

void bind(Statement& query, const TrafficFilter& filter) {
  query.bind(1, filter.step ? std::optional<std::int64_t>(*filter.step) : std::nullopt);
  query.bind(2, filter.layer ? std::optional<std::int64_t>(*filter.layer) : std::nullopt);
  if (filter.direction) query.bind(3, name_of(*filter.direction));
  if (filter.phase) query.bind(4, name_of(*filter.phase));
}

template <class T>
Result<void> add_blob(std::vector<std::uint64_t>& sum, std::span<const std::byte> blob) {
  K3_TRY(const std::vector<T> values, store::array_from<T>(blob, sum.size()));
  for (std::size_t i = 0; i < sum.size(); ++i)
    sum[i] += values[i];
  return {};
}

TrafficSum empty_sum(int num_ranks) {
  const auto cells = static_cast<std::size_t>(num_ranks) * static_cast<std::size_t>(num_ranks);
  TrafficSum sum;
  sum.num_ranks = num_ranks;
  sum.copies.resize(cells);
  sum.rows.resize(cells);
  sum.bytes.resize(cells);
  return sum;
}

/// All steps and layers: from the stored totals.
Result<TrafficSum> total_matrix(const store::SessionReader& session, const TrafficFilter& filter) {
  K3_TRY_VOID(session.ensure_totals());
  TrafficSum sum = empty_sum(session.num_ranks());
  K3_TRY(Statement count, session.database().prepare("SELECT count(*) " + where_of("traffic")));
  bind(count, filter);
  K3_TRY(const bool counted, count.next());
  sum.exchanges = counted ? static_cast<int>(count.integer(0)) : 0;
  K3_TRY(Statement query,
         session.database().prepare("SELECT src, dst, copies, rows, bytes FROM traffic_total "
                                    "WHERE ?1 IS NULL OR direction = ?1"));
  if (filter.direction) query.bind(1, name_of(*filter.direction));
  K3_TRY_VOID(store::for_each_row(query, [&](const Statement& row) -> Result<void> {
    K3_TRY(const auto source, store::index_at<std::size_t>(row, 0, sum.num_ranks));
    K3_TRY(const auto destination, store::index_at<std::size_t>(row, 1, sum.num_ranks));
    const std::size_t cell = source * static_cast<std::size_t>(sum.num_ranks) + destination;
    sum.copies[cell] += static_cast<std::uint64_t>(row.integer(2));
    sum.rows[cell] += static_cast<std::uint64_t>(row.integer(3));
    sum.bytes[cell] += static_cast<std::uint64_t>(row.integer(4));
    return {};
  }));
  return sum;
}

}  // namespace

std::uint64_t TrafficSum::total_bytes() const {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

Result<TrafficSum> traffic_matrix(const store::SessionReader& session,
                                  const TrafficFilter& filter) {
  if (!filter.step && !filter.layer && !filter.phase) return total_matrix(session, filter);
  TrafficSum sum = empty_sum(session.num_ranks());
  K3_TRY(Statement query, session.database().prepare("SELECT num_ranks, copies, rows, bytes " +
                                                     where_of("traffic")));
  bind(query, filter);
  const auto add = [&](const Statement& row) -> Result<void> {
    if (row.integer(0) != sum.num_ranks) {
      return store::damaged(
          fmt::format("traffic of {} ranks, the run has {}", row.integer(0), sum.num_ranks));
    }
    ++sum.exchanges;
    K3_TRY_VOID(add_blob<std::uint32_t>(sum.copies, row.blob(1)));
    K3_TRY_VOID(add_blob<std::uint32_t>(sum.rows, row.blob(2)));
    return add_blob<std::uint64_t>(sum.bytes, row.blob(3));
  };
  K3_TRY_VOID(store::for_each_row(query, add));
  return sum;
}

Result<TrafficSum> traffic_matrix(const store::SessionReader& session,
                                  const TrafficFilter& filter,
                                  std::span<const int> steps) {
  K3_TRY(const auto all, session.steps());
  if (all.size() == steps.size()) return traffic_matrix(session, filter);
  TrafficSum sum = empty_sum(session.num_ranks());
  for (const int step : steps) {
    if (filter.step && *filter.step != step) continue;
    TrafficFilter one = filter;
    one.step = step;
    K3_TRY(const TrafficSum part, traffic_matrix(session, one));
    sum.exchanges += part.exchanges;
    for (std::size_t i = 0; i < sum.bytes.size(); ++i) {
      sum.copies[i] += part.copies[i];
      sum.rows[i] += part.rows[i];
      sum.bytes[i] += part.bytes[i];
    }
  }
  return sum;
}

Result<std::vector<RankTransfer>> transfer_times(const store::SessionReader& session,
                                                 const TrafficFilter& filter) {
  std::vector<RankTransfer> ranks(static_cast<std::size_t>(session.num_ranks()));
  for (std::size_t i = 0; i < ranks.size(); ++i)
    ranks[i].rank = static_cast<int>(i);
  K3_TRY(Statement query, session.database().prepare("SELECT rank, sum(wait_ns), sum(move_ns) " +
                                                     where_of("transfer") + " GROUP BY rank"));
  bind(query, filter);
  K3_TRY_VOID(store::for_each_row(query, [&](const Statement& row) -> Result<void> {
    K3_TRY(const auto rank, store::index_at<std::size_t>(row, 0, std::ssize(ranks)));
    ranks[rank].wait_us = static_cast<double>(row.integer(1)) * 1e-3;
    ranks[rank].move_us = static_cast<double>(row.integer(2)) * 1e-3;
    return {};
  }));
  return ranks;
}

}  // namespace k3::query
