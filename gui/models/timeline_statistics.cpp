#include "gui/models/timeline_statistics.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "engine/base/task_kind.h"
#include "profiler/query/lane_statistics.h"
#include "profiler/visual/palette.h"

namespace k3::gui {
namespace {

using query::RangeStatistics;
using visual::Quantity;

double seconds(std::int64_t ns) {
  return 1e-9 * static_cast<double>(ns);
}

double ratio(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string title_of_kind(std::uint8_t kind) {
  return kind == query::kNoKind ? "no task"
                                : std::string(visual::title_of(static_cast<TaskKind>(kind)));
}

void add_columns(DataTable& table, const std::string& prefix) {
  for (const DataColumn& column :
       {DataColumn{"spans", Quantity::count}, DataColumn{"busy", Quantity::time},
        DataColumn{"waiting", Quantity::time}, DataColumn{"mean span", Quantity::time},
        DataColumn{"share", Quantity::share}}) {
    table.columns.push_back({prefix + column.title, column.quantity});
  }
}

struct KindSums {
  std::int64_t count = 0;
  std::int64_t busy_ns = 0;
  std::int64_t wait_ns = 0;

  std::int64_t all_ns() const { return busy_ns + wait_ns; }
};

KindSums sums_of(const RangeStatistics& statistics, std::uint8_t kind) {
  return {statistics.num_spans(kind), statistics.kind_ns(kind), statistics.kind_wait_ns(kind)};
}

KindSums sums_of(const RangeStatistics& statistics) {
  return {statistics.num_spans(), statistics.busy_ns(), statistics.wait_ns()};
}

void add_cells(std::vector<Cell>& row, const KindSums& sums, const KindSums& all) {
  if (sums.count == 0) {
    row.insert(row.end(), 5, Cell{});
    return;
  }
  row.emplace_back(static_cast<double>(sums.count));
  row.emplace_back(seconds(sums.busy_ns));
  row.emplace_back(seconds(sums.wait_ns));
  row.emplace_back(seconds(sums.all_ns()) / static_cast<double>(sums.count));
  row.emplace_back(ratio(sums.all_ns(), all.all_ns()));
}

std::string shares_of(const StatisticsRequest::Run& run, const RangeStatistics& statistics) {
  const std::int64_t whole = run.range.duration_ns() * run.num_ranks;
  const auto share = [&](std::int64_t ns) {
    return visual::text_of(Quantity::share, ratio(ns, whole));
  };
  return fmt::format("computing {}, moving {}, waiting {}",
                     share(statistics.busy_ns() - statistics.transfer_ns()),
                     share(statistics.transfer_ns()), share(statistics.wait_ns()));
}

}  // namespace

StatisticsRequest statistics_request(const TimelineFocus& focus, const Selection& selection) {
  StatisticsRequest request;
  request.marked = focus.range().has_value();
  for (std::size_t number = 0; number < focus.runs().size(); ++number) {
    const RunLanes& loaded = focus.runs()[number];
    const query::TimeRange wanted = focus.in_run(number, focus.chosen());
    const query::TimeRange& data = loaded.data.range;
    StatisticsRequest::Run run{.name = loaded.facts->name,
                               .lanes = loaded.lanes,
                               .range = {std::clamp(wanted.begin_ns, data.begin_ns, data.end_ns),
                                         std::clamp(wanted.end_ns, data.begin_ns, data.end_ns)},
                               .chosen = focus.shown_lanes(number, selection.rank)};
    std::set<int> ranks;
    for (const std::int32_t lane : run.chosen)
      ranks.insert(loaded.lanes->lanes[static_cast<std::size_t>(lane)].rank);
    run.num_ranks = static_cast<int>(ranks.size());
    request.runs.push_back(std::move(run));
  }
  return request;
}

TimelineStatistics timeline_statistics(const StatisticsRequest& request) {
  TimelineStatistics result;
  result.table.title = request.marked ? "Marked range" : "In sight";
  result.table.columns.push_back({"kind", Quantity::plain});
  std::vector<RangeStatistics> sums;
  for (const StatisticsRequest::Run& run : request.runs) {
    sums.push_back(query::range_statistics(*run.lanes, run.range, run.chosen));
    add_columns(result.table, request.runs.size() > 1 ? run.name + " " : "");
  }
  for (std::uint8_t kind = 0; kind < query::kNumKinds; ++kind) {
    const auto has = [kind](const RangeStatistics& s) { return s.num_spans(kind) > 0; };
    if (std::ranges::none_of(sums, has)) continue;
    std::vector<Cell> row{title_of_kind(kind)};
    for (const RangeStatistics& statistics : sums)
      add_cells(row, sums_of(statistics, kind), sums_of(statistics));
    result.table.rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < request.runs.size(); ++i) {
    const StatisticsRequest::Run& run = request.runs[i];
    if (sums[i].num_spans() == 0) continue;
    result.sentence +=
        fmt::format("{}{}: {} of {} {} {}: {}", result.sentence.empty() ? "" : "; ", run.name,
                    visual::text_of(Quantity::time, seconds(run.range.duration_ns())),
                    run.num_ranks, run.num_ranks == 1 ? "rank" : "ranks",
                    request.marked ? "marked" : "in sight", shares_of(run, sums[i]));
  }
  result.sentence = result.sentence.empty() ? "No spans here." : result.sentence + ".";
  return result;
}

}  // namespace k3::gui
