#include "gui/models/traffic_content.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "gui/models/figure_content.h"
#include "profiler/query/pair_experts.h"
#include "profiler/visual/chart_bars.h"

namespace k3::gui {
namespace {

using visual::Quantity;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// A number; NaN: no value.
void add(std::vector<Cell>& row, double value) {
  if (std::isnan(value)) {
    row.emplace_back();
  } else {
    row.emplace_back(value);
  }
}

double ratio_of(double b, double a) {
  return a > 0 ? b / a : kNone;
}

/// Bytes of each run, row-major; of two runs with equal rank counts.
struct Matrices {
  std::size_t ranks = 0;
  std::vector<const std::vector<std::uint64_t>*> bytes;
};

Matrices matrices_of(const figures::RunsView& view) {
  Matrices out;
  out.ranks = static_cast<std::size_t>(view.runs.front().detail->traffic.num_ranks);
  for (const figures::RunView& run : view.runs) {
    if (static_cast<std::size_t>(run.detail->traffic.num_ranks) == out.ranks) {
      out.bytes.push_back(&run.detail->traffic.bytes);
    }
  }
  return out;
}

void add_run_columns(DataTable& table, const figures::RunsView& view, const std::string& what) {
  for (const figures::RunView& run : view.runs)
    table.columns.push_back({what + run.name, Quantity::bytes});
}

/// Every pair that exchanges something, largest first.
DataTable pairs_table(const figures::RunsView& view, const Matrices& matrices) {
  DataTable table{
      "Pairs of ranks", {{"source", Quantity::count}, {"destination", Quantity::count}}, {}};
  add_run_columns(table, view, "");
  const bool pair = matrices.bytes.size() == 2;
  if (pair) {
    table.columns.push_back({"difference", Quantity::bytes});
    table.columns.push_back({"ratio", Quantity::ratio});
  }
  for (std::size_t cell = 0; cell < matrices.ranks * matrices.ranks; ++cell) {
    std::vector<Cell> row{static_cast<double>(cell / matrices.ranks),
                          static_cast<double>(cell % matrices.ranks)};
    double largest = 0;
    for (const auto* bytes : matrices.bytes) {
      const auto value = static_cast<double>((*bytes)[cell]);
      largest = std::max(largest, value);
      row.emplace_back(value);
    }
    if (largest == 0) continue;
    if (pair) {
      const auto a = static_cast<double>((*matrices.bytes[0])[cell]);
      const auto b = static_cast<double>((*matrices.bytes[1])[cell]);
      row.emplace_back(b - a);
      add(row, ratio_of(b, a));
    }
    row.resize(table.columns.size());
    table.rows.push_back(std::move(row));
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::get<double>(a[2]) > std::get<double>(b[2]);
  });
  return table;
}

/// What each rank sends and receives, its own part left out, and that over the mean.
DataTable ranks_table(const figures::RunsView& view, const Matrices& matrices) {
  DataTable table{"Ranks", {{"rank", Quantity::count}}, {}};
  for (std::size_t rank = 0; rank < matrices.ranks; ++rank)
    table.rows.push_back({static_cast<double>(rank)});
  for (std::size_t i = 0; i < matrices.bytes.size(); ++i) {
    const std::vector<std::uint64_t>& bytes = *matrices.bytes[i];
    for (const bool sends : {true, false}) {
      const std::string what =
          fmt::format("{}, {}", sends ? "sent" : "received", view.runs[i].name);
      table.columns.push_back({what, Quantity::bytes});
      table.columns.push_back({"over mean", Quantity::ratio});
      std::vector<double> sums(matrices.ranks);
      double total = 0;
      for (std::size_t cell = 0; cell < bytes.size(); ++cell) {
        const std::size_t source = cell / matrices.ranks;
        const std::size_t destination = cell % matrices.ranks;
        if (source == destination) continue;
        sums[sends ? source : destination] += static_cast<double>(bytes[cell]);
        total += static_cast<double>(bytes[cell]);
      }
      for (std::size_t rank = 0; rank < matrices.ranks; ++rank) {
        table.rows[rank].emplace_back(sums[rank]);
        add(table.rows[rank], ratio_of(sums[rank] * static_cast<double>(matrices.ranks), total));
      }
    }
  }
  return table;
}

std::string name_of_cause(const query::ExpertCopies& expert, const Selection& selection) {
  std::string name = fmt::format("expert {}", expert.expert);
  if (!selection.layer) name = fmt::format("L{} E{}", expert.layer, expert.expert);
  if (!selection.direction) name += expert.direction == Direction::dispatch ? " →" : " ←";
  return name;
}

DataTable causes_table(const query::PairExperts& causes, const Selection& selection) {
  DataTable table{fmt::format("Experts behind {} → {}", *selection.rank, *selection.destination),
                  {{"direction"},
                   {"layer", Quantity::count},
                   {"expert", Quantity::count},
                   {"copies", Quantity::count},
                   {"share", Quantity::share}},
                  {}};
  for (const query::ExpertCopies& expert : causes.experts) {
    table.rows.push_back({std::string(name_of(expert.direction)), static_cast<double>(expert.layer),
                          static_cast<double>(expert.expert), static_cast<double>(expert.copies),
                          static_cast<double>(expert.copies) / static_cast<double>(causes.copies)});
  }
  return table;
}

visual::DrawList causes_chart(const query::PairExperts& causes,
                              const Selection& selection,
                              const figures::RunView& run,
                              double width) {
  constexpr std::size_t kShown = 20;
  visual::GroupedBars chart;
  chart.width = width;
  chart.height = 210;
  chart.category_title =
      fmt::format("the {} experts that cause most of {} → {}{}",
                  std::min(kShown, causes.experts.size()), *selection.rank, *selection.destination,
                  selection.direction ? "" : " (→ dispatch to the expert, ← combine from it)");
  chart.value_title = "copies: one per token and chosen expert";
  chart.quantity = Quantity::count;
  visual::BarSeries series{run.name, run.provenance, {}};
  for (std::size_t i = 0; i < std::min(kShown, causes.experts.size()); ++i) {
    const query::ExpertCopies& expert = causes.experts[i];
    visual::BarValue bar;
    bar.value = static_cast<double>(expert.copies);
    bar.paint = visual::Paint::of(expert.direction == Direction::dispatch ? TaskKind::dispatch
                                                                          : TaskKind::combine);
    bar.tip = fmt::format("{} of layer {}, expert {}: {} of {} copies, {}",
                          name_of(expert.direction), expert.layer, expert.expert,
                          visual::count_text(static_cast<std::int64_t>(expert.copies)),
                          visual::count_text(static_cast<std::int64_t>(causes.copies)), run.name);
    series.bars.push_back(std::move(bar));
    chart.categories.push_back(name_of_cause(expert, selection));
  }
  chart.series.push_back(std::move(series));
  chart.colors = {{"dispatch", visual::Paint::of(TaskKind::dispatch)},
                  {"combine", visual::Paint::of(TaskKind::combine)}};
  chart.description = chart.category_title;
  return draw(chart);
}

/// Which experts are behind the selected pair: of the first run that recorded its choices.
Result<void> add_causes(const Runs& runs,
                        const Selection& selection,
                        const figures::RunsView& view,
                        const Room& room,
                        ViewContent& content) {
  std::string reason;
  const query::TrafficFilter filter{.step = selection.step,
                                    .layer = selection.layer,
                                    .direction = selection.direction,
                                    .phase = selection.phase};
  for (std::size_t i = 0; i < runs.readers.size(); ++i) {
    if (*selection.rank >= runs.readers[i].num_ranks() ||
        *selection.destination >= runs.readers[i].num_ranks()) {
      continue;
    }
    K3_TRY(const query::PairExperts causes,
           query::pair_experts(runs.readers[i], filter, *selection.rank, *selection.destination));
    if (!causes.reason.empty()) {
      if (reason.empty()) reason = view.runs[i].name + ": " + causes.reason;
      continue;
    }
    if (causes.experts.empty()) {
      reason = fmt::format("no token of {} chose an expert for {} → {}.", view.runs[i].name,
                           *selection.rank, *selection.destination);
      break;
    }
    content.pictures.push_back({causes_chart(causes, selection, view.runs[i], room.width), {}});
    content.tables.push_back(causes_table(causes, selection));
    return {};
  }
  content.pictures.push_back(
      {visual::empty_chart(room.width, 90,
                           fmt::format("which experts cause {} → {}? {}", *selection.rank,
                                       *selection.destination, reason)),
       {}});
  return {};
}

}  // namespace

Result<ViewContent> traffic_content(const Runs& runs,
                                    const Selection& selection,
                                    const Room& room,
                                    const std::stop_token& /*stop*/) {
  K3_TRY(const figures::Input input, collect(runs, selection, {figures::Part::traffic}));
  K3_TRY_VOID(figures::check(input));
  const figures::RunsView view = figures::view_of(input);
  ViewContent content;
  add_figure(content, traffic_figure(view, room.width));
  if (!content.pictures.front().list.grid) {
    content.empty_reason = content.answer +
                           " What would fill it: a run with several ranks, or fewer restrictions "
                           "in the bar above.";
    return content;
  }
  for (Picture& picture : content.pictures) {
    add_targets(picture, [&](int source, int destination) {
      Selection pair = selection;
      pair.rank = source;
      pair.destination = destination;
      return pair;
    });
    if (selection.rank && selection.destination) {
      mark(picture, *selection.rank, *selection.destination);
    }
  }
  const Matrices matrices = matrices_of(view);
  if (selection.rank && selection.destination) {
    K3_TRY_VOID(add_causes(runs, selection, view, room, content));
  } else {
    content.note += " Click a cell to see which experts cause it.";
  }
  content.tables.push_back(pairs_table(view, matrices));
  content.tables.push_back(ranks_table(view, matrices));
  add_source(content, view);
  return content;
}

}  // namespace k3::gui
