#include "gui/models/experts_content.h"

#include <cstddef>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "gui/models/figure_content.h"

namespace k3::gui {
namespace {

using visual::Quantity;

/// Balance of every layer: max / mean over experts and over ranks.
DataTable balance_table(const figures::RunsView& view) {
  DataTable table{"Balance per layer", {{"layer", Quantity::count}}, {}};
  std::map<int, std::vector<Cell>> rows;
  constexpr std::size_t kColumns = 3;
  for (std::size_t r = 0; r < view.runs.size(); ++r) {
    const std::string& name = view.runs[r].name;
    table.columns.push_back({"tokens, " + name, Quantity::count});
    table.columns.push_back({"busiest / mean expert, " + name, Quantity::ratio});
    table.columns.push_back({"busiest / mean rank, " + name, Quantity::ratio});
    for (const query::ExpertLoad& load : view.runs[r].detail->load) {
      std::vector<Cell>& row = rows[load.layer];
      row.resize(1 + kColumns * view.runs.size());
      row[0] = static_cast<double>(load.layer);
      double tokens = 0;
      for (const std::uint64_t t : load.expert_tokens)
        tokens += static_cast<double>(t);
      const std::size_t first = 1 + kColumns * r;
      row[first] = tokens;
      row[first + 1] = load.expert_balance;
      if (!load.rank_tokens.empty()) row[first + 2] = load.rank_balance;
    }
  }
  for (auto& [layer, row] : rows)
    table.rows.push_back(std::move(row));
  return table;
}

/// Tokens of every expert of one layer.
DataTable experts_table(const figures::RunsView& view, int layer) {
  DataTable table{fmt::format("Experts of layer {}", layer), {{"expert", Quantity::count}}, {}};
  for (std::size_t r = 0; r < view.runs.size(); ++r) {
    table.columns.push_back({"tokens, " + view.runs[r].name, Quantity::count});
    for (const query::ExpertLoad& load : view.runs[r].detail->load) {
      if (load.layer != layer) continue;
      for (std::size_t e = 0; e < load.expert_tokens.size(); ++e) {
        if (table.rows.size() <= e) {
          table.rows.push_back({static_cast<double>(e)});
          table.rows.back().resize(1 + view.runs.size());
        }
        table.rows[e][1 + r] = static_cast<double>(load.expert_tokens[e]);
      }
    }
  }
  return table;
}

}  // namespace

Result<ViewContent> experts_content(const Runs& runs,
                                    const Selection& selection,
                                    const Room& room,
                                    const std::stop_token& /*stop*/) {
  // All layers stay in sight whichever is selected.
  Selection all_layers = selection;
  all_layers.layer.reset();
  K3_TRY(const figures::Input input, collect(runs, all_layers, {figures::Part::load}));
  const figures::RunsView view = figures::view_of(input);
  ViewContent content;
  figures::Figure balance = load_figure(view, room.width);
  figures::Figure maps = expert_maps(view, room.width);
  content.question = balance.question;
  if (maps.pictures.empty()) {
    content.empty_reason =
        balance.answer +
        " A run of a model with MoE layers fills this view; runs of K3Rack record the load of "
        "every layer.";
    return content;
  }
  const int first_layer = view.runs.front().detail->load.empty()
                              ? view.runs.back().detail->load.front().layer
                              : view.runs.front().detail->load.front().layer;
  if (selection.layer) add_figure(content, expert_bars(view, *selection.layer, room.width));
  const std::size_t first_map = content.pictures.size();
  add_figure(content, std::move(maps));
  for (std::size_t i = first_map; i < content.pictures.size(); ++i) {
    Picture& picture = content.pictures[i];
    if (!picture.list.grid) continue;
    visual::CellGrid& grid = *picture.list.grid;
    // One target per row: which column was hit does not matter.
    grid.cell_width *= grid.columns;
    grid.columns = 1;
    add_targets(picture, [&](int row, int) { return with_layer(selection, first_layer + row); });
    if (selection.layer && *selection.layer >= first_layer) {
      mark(picture, *selection.layer - first_layer, -1);
    }
  }
  content.answer = balance.answer + content.answer;
  const std::size_t first_balance = content.pictures.size();
  balance.answer.clear();
  add_figure(content, std::move(balance));
  // The last picture of the figure has a bar per layer, from layer 0 on.
  if (content.pictures.size() > first_balance) {
    add_targets(content.pictures.back(),
                [&](int, int layer) { return with_layer(selection, layer); });
    if (selection.layer) mark(content.pictures.back(), -1, *selection.layer);
  }
  if (!selection.layer) content.note += " Click a layer to see its experts.";
  content.tables.push_back(balance_table(view));
  if (selection.layer) content.tables.push_back(experts_table(view, *selection.layer));
  add_source(content, view);
  return content;
}

}  // namespace k3::gui
