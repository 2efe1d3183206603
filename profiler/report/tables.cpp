#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "profiler/query/private_data.h"
#include "profiler/report/tables_internal.h"

namespace k3::report {
namespace {

using figures::LayerTime;
using figures::ratio_text;
using figures::RunsView;
using figures::RunView;
using visual::Quantity;
using visual::Unit;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string with_unit(const std::string& title, const Unit& unit) {
  return title + ", " + std::string(unit.symbol);
}

double ratio_of(double simulated, double measured) {
  return measured > 0 ? simulated / measured : kNone;
}

/// One value per run and row, with the ratio for a pair.
struct TimeRow {
  std::string name;
  std::vector<double> seconds;
  std::vector<double> wait_s;
};

/// Every column has its own unit: two runs a thousand times apart stay readable.
std::vector<Unit> units_of(const std::vector<TimeRow>& rows, std::size_t runs) {
  std::vector<Unit> units;
  for (std::size_t r = 0; r < runs; ++r) {
    std::vector<double> column;
    for (const TimeRow& row : rows)
      column.push_back(row.seconds[r]);
    units.push_back(visual::unit_for(Quantity::time, column));
  }
  return units;
}

std::vector<TimeRow> kind_rows(const RunsView& view) {
  std::vector<TimeRow> rows;
  const std::size_t runs = view.runs.size();
  for (int k = 0; k < kNumTaskKinds; ++k) {
    const auto kind = static_cast<TaskKind>(k);
    TimeRow row{std::string(visual::title_of(kind)), std::vector<double>(runs, kNone),
                std::vector<double>(runs, kNone)};
    bool any = false;
    for (std::size_t r = 0; r < runs; ++r) {
      for (const query::KindCost& cost : view.runs[r].detail->kinds) {
        if (cost.kind != kind || cost.phase != view.phase) continue;
        row.seconds[r] = cost.mean_us * 1e-6;
        row.wait_s[r] = cost.wait_us * 1e-6;
        any = true;
      }
    }
    if (any) rows.push_back(std::move(row));
  }
  const auto rank = [](const TimeRow& row) {
    return std::isnan(row.seconds.front()) ? -1 : row.seconds.front();
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const TimeRow& a, const TimeRow& b) { return rank(a) > rank(b); });
  TimeRow sum{"all kinds", std::vector<double>(runs, 0), std::vector<double>(runs, 0)};
  for (const TimeRow& row : rows) {
    for (std::size_t r = 0; r < runs; ++r) {
      if (!std::isnan(row.seconds[r])) sum.seconds[r] += row.seconds[r];
      if (!std::isnan(row.wait_s[r])) sum.wait_s[r] += row.wait_s[r];
    }
  }
  if (!rows.empty()) rows.push_back(std::move(sum));
  return rows;
}

struct HalfTimes {
  std::string attention = "–";
  std::string feed_forward = "–";
  std::vector<double> attention_s;
  std::vector<double> feed_forward_s;
  std::vector<double> balance;
};

std::map<int, HalfTimes> layer_rows(const RunsView& view) {
  std::map<int, HalfTimes> rows;
  const std::size_t runs = view.runs.size();
  const auto row_of = [&](int layer) -> HalfTimes& {
    HalfTimes& row = rows[layer];
    for (std::vector<double>* column : {&row.attention_s, &row.feed_forward_s, &row.balance}) {
      column->resize(runs, kNone);
    }
    return row;
  };
  for (std::size_t r = 0; r < runs; ++r) {
    for (const LayerTime& layer : layer_times(view.runs[r], view.phase)) {
      HalfTimes& row = row_of(layer.layer);
      if (layer.attention) {
        row.attention = *layer.attention == TaskKind::kda ? "KDA" : "MLA";
        row.attention_s[r] = layer.attention_s;
      }
      if (layer.feed_forward) {
        row.feed_forward = *layer.feed_forward == TaskKind::dense ? "dense" : "MoE";
        row.feed_forward_s[r] = layer.feed_forward_s;
      }
    }
    for (const query::ExpertLoad& load : view.runs[r].detail->load) {
      row_of(load.layer).balance[r] =
          load.rank_tokens.empty() ? load.expert_balance : load.rank_balance;
    }
  }
  return rows;
}

void add_times(std::vector<std::string>& cells,
               const std::vector<double>& seconds,
               std::span<const Unit> units) {
  for (std::size_t r = 0; r < seconds.size(); ++r) {
    cells.push_back(visual::number_in(seconds[r], units[r]));
  }
  if (seconds.size() == 2) cells.push_back(ratio_text(ratio_of(seconds[1], seconds[0])));
}

void add_time_header(std::vector<std::string>& header,
                     const RunsView& view,
                     const std::string& what,
                     std::span<const Unit> units) {
  for (std::size_t r = 0; r < view.runs.size(); ++r) {
    header.push_back(with_unit(what + view.runs[r].name, units[r]));
  }
  if (view.pair()) header.emplace_back("ratio");
}

std::string steps_text(const query::SessionSummary& summary) {
  int decode = 0;
  int prefill = 0;
  std::int64_t tokens = 0;
  for (const query::StepSummary& step : summary.steps) {
    (step.phase == Phase::decode ? decode : prefill) += 1;
    tokens += step.tokens;
  }
  return fmt::format("{} prefill, {} decode; {} tokens{}", visual::count_text(prefill),
                     visual::count_text(decode), visual::count_text(tokens),
                     summary.complete ? "" : " (run was interrupted)");
}

std::string plans_text(const query::SessionSummary& summary) {
  std::string out;
  for (const query::PlanSummary& plan : summary.plans) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{} ({}, {} tasks)", plan.hash, name_of(plan.phase),
                       visual::count_text(plan.tasks));
  }
  return out;
}

std::string meta_value(const query::SessionSummary& summary, std::string_view key) {
  for (const auto& [name, value] : summary.meta) {
    if (name == key) return query::without_folders(value);
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> facts_of(const RunView& run) {
  const query::SessionSummary& summary = run.detail->summary;
  std::vector<std::pair<std::string, std::string>> facts{
      {"session file", run.file},
      {"title", query::without_folders(summary.title)},
      {"model", query::without_folders(summary.model)},
      {"machine", run.machine},
      {"ranks", visual::count_text(summary.num_ranks)},
      {"steps", steps_text(summary)},
      {"spans", visual::count_text(summary.num_spans)},
      {"plan hash", plans_text(summary)},
      {"scenario hash", summary.scenario.empty() ? "" : query::fingerprint(summary.scenario)},
  };
  // Only keys known to be free of private data: a session may hold host names and command lines.
  constexpr std::array<std::string_view, 7> kPublicKeys{
      "version", "commit", "backend", "transport", "precision", "seed", "calibration"};
  for (const std::string_view key : kPublicKeys) {
    facts.emplace_back(std::string(key), meta_value(summary, key));
  }
  return facts;
}

}  // namespace

Table kind_table(const RunsView& view) {
  const std::vector<TimeRow> rows = kind_rows(view);
  if (rows.empty()) return {};
  const std::vector<Unit> units = units_of(rows, view.runs.size());
  std::vector<std::string> header{"kind"};
  add_time_header(header, view, "", units);
  for (std::size_t r = 0; r < view.runs.size(); ++r) {
    header.push_back(with_unit("waiting in it, " + view.runs[r].name, units[r]));
  }
  Table table{"table-kinds",
              fmt::format("Time per kind of task, {} step, mean over steps and ranks, waiting "
                          "included; largest first.",
                          name_of(view.phase)),
              std::move(header),
              {},
              Table::Cells::numbers};
  for (const TimeRow& row : rows) {
    std::vector<std::string> cells{row.name};
    add_times(cells, row.seconds, units);
    for (std::size_t r = 0; r < row.wait_s.size(); ++r) {
      cells.push_back(visual::number_in(row.wait_s[r], units[r]));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table layer_table(const RunsView& view) {
  const std::map<int, HalfTimes> rows = layer_rows(view);
  if (rows.empty()) return {};
  std::vector<TimeRow> columns;
  for (const auto& [layer, row] : rows) {
    columns.push_back({"", row.attention_s, {}});
    columns.push_back({"", row.feed_forward_s, {}});
  }
  const std::vector<Unit> units = units_of(columns, view.runs.size());
  std::vector<std::string> header{"layer", "attention"};
  add_time_header(header, view, "", units);
  header.emplace_back("feed-forward");
  add_time_header(header, view, "", units);
  for (const RunView& run : view.runs)
    header.push_back("balance, " + run.name);
  Table table{"table-layers",
              "Time per layer, mean over steps and ranks, without waiting; balance is max/mean "
              "tokens per rank. Layers count from 0.",
              std::move(header),
              {},
              Table::Cells::numbers};
  for (const auto& [layer, row] : rows) {
    std::vector<std::string> cells{std::to_string(layer), row.attention};
    add_times(cells, row.attention_s, units);
    cells.push_back(row.feed_forward);
    add_times(cells, row.feed_forward_s, units);
    for (const double balance : row.balance)
      cells.push_back(ratio_text(balance));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table run_table(const RunsView& view) {
  std::vector<std::string> header{"what was run"};
  for (const RunView& run : view.runs)
    header.push_back(run.name);
  Table table{"table-runs",
              "The runs behind every number of this report.",
              std::move(header),
              {},
              Table::Cells::words};
  const auto first = facts_of(view.runs.front());
  const auto second = view.pair() ? facts_of(view.runs.back()) : first;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i].second.empty() && second[i].second.empty()) continue;
    std::vector<std::string> cells{first[i].first, first[i].second};
    if (view.pair()) cells.push_back(second[i].second);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table memory_table(const RunsView& view) {
  std::map<std::string, std::vector<double>> rows;
  for (std::size_t r = 0; r < view.runs.size(); ++r) {
    for (const query::MemorySummary& memory : view.runs[r].detail->summary.memory) {
      std::vector<double>& row = rows[memory.what];
      row.resize(view.runs.size(), kNone);
      row[r] = static_cast<double>(memory.max_bytes);
    }
  }
  if (rows.empty()) return {};
  const Unit unit = visual::unit_for(Quantity::memory, 1);
  std::vector<std::string> header{"memory"};
  for (const RunView& run : view.runs)
    header.push_back(with_unit(run.name, unit));
  Table table{"table-memory",
              "Memory of the rank that holds most, by what it holds.",
              std::move(header),
              {},
              Table::Cells::numbers};
  for (const auto& [what, bytes] : rows) {
    std::vector<std::string> cells{what};
    for (const double value : bytes)
      cells.push_back(visual::number_in(value, unit));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace k3::report
