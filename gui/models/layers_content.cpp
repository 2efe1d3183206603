#include "gui/models/layers_content.h"

#include <cstddef>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "gui/models/figure_content.h"

namespace k3::gui {
namespace {

using visual::Quantity;

/// The rows of the report's table of layers: time without waiting.
DataTable layers_table(const figures::RunsView& view) {
  DataTable table{"Layers", {{"layer", Quantity::count}, {"attention"}, {"feed-forward"}}, {}};
  constexpr std::size_t kFirst = 3;
  std::map<int, std::vector<Cell>> rows;
  for (std::size_t r = 0; r < view.runs.size(); ++r) {
    const figures::RunView& run = view.runs[r];
    table.columns.push_back({"attention, " + run.name, Quantity::time});
    table.columns.push_back({"feed-forward, " + run.name, Quantity::time});
    for (const figures::LayerTime& layer : layer_times(run, view.phase)) {
      std::vector<Cell>& row = rows[layer.layer];
      row.resize(kFirst + 2 * view.runs.size());
      row[0] = static_cast<double>(layer.layer);
      if (layer.attention) {
        row[1] = std::string(*layer.attention == TaskKind::kda ? "KDA" : "MLA");
        row[kFirst + 2 * r] = layer.attention_s;
      }
      if (layer.feed_forward) {
        row[2] = std::string(*layer.feed_forward == TaskKind::dense ? "dense" : "MoE");
        row[kFirst + 2 * r + 1] = layer.feed_forward_s;
      }
    }
  }
  for (auto& [layer, row] : rows)
    table.rows.push_back(std::move(row));
  return table;
}

DataTable stages_table(const figures::RunsView& view, int layer) {
  DataTable table{fmt::format("Stages of layer {}", layer), {{"kind"}, {"stage"}}, {}};
  std::map<std::pair<TaskKind, Stage>, std::vector<Cell>> rows;
  for (std::size_t r = 0; r < view.runs.size(); ++r) {
    const std::string& name = view.runs[r].name;
    table.columns.push_back({name, Quantity::time});
    table.columns.push_back({"waiting in it, " + name, Quantity::time});
    for (const query::LayerCost& cost : view.runs[r].detail->layers) {
      if (cost.layer != layer || cost.phase != view.phase) continue;
      std::vector<Cell>& row = rows[{cost.kind, cost.stage}];
      row.resize(2 + 2 * view.runs.size());
      row[0] = std::string(visual::title_of(cost.kind));
      row[1] = std::string(name_of(cost.stage));
      row[2 + 2 * r] = cost.mean_us * 1e-6;
      row[3 + 2 * r] = cost.wait_us * 1e-6;
    }
  }
  for (auto& [key, row] : rows)
    table.rows.push_back(std::move(row));
  return table;
}

DataTable steps_table(const figures::RunsView& view) {
  DataTable table{"Attention per step",
                  {{"run"},
                   {"step", Quantity::count},
                   {"context", Quantity::count},
                   {"KDA layer", Quantity::time},
                   {"MLA layer", Quantity::time}},
                  {}};
  for (const figures::RunView& run : view.runs) {
    for (const query::AttentionStep& step : run.detail->attention) {
      if (step.phase != view.phase) continue;
      table.rows.push_back({run.name, static_cast<double>(step.step),
                            static_cast<double>(step.context), step.kda_us * 1e-6,
                            step.mla_us * 1e-6});
    }
  }
  return table;
}

bool any_layer(const figures::RunsView& view) {
  for (const figures::RunView& run : view.runs) {
    if (!layer_times(run, view.phase).empty()) return true;
  }
  return false;
}

}  // namespace

Result<ViewContent> layers_content(const Runs& runs,
                                   const Selection& selection,
                                   const Room& room,
                                   const std::stop_token& /*stop*/) {
  Selection all_layers = selection;
  all_layers.layer.reset();
  K3_TRY(const figures::Input input,
         collect(runs, all_layers, {figures::Part::costs, figures::Part::attention}));
  const figures::RunsView view = figures::view_of(input);
  ViewContent content;
  content.question = fmt::format(
      "What does each layer of a {} step cost: KDA, full attention, "
      "experts?",
      name_of(view.phase));
  if (!any_layer(view)) {
    content.empty_reason = fmt::format(
        "No layer has a cost in the {} steps selected. Executed and simulated runs have tasks per "
        "layer; imported traces only where their spans name layers.",
        name_of(view.phase));
    return content;
  }
  if (selection.layer) add_figure(content, stage_figure(view, *selection.layer, room.width));
  const std::size_t first = content.pictures.size();
  add_figure(content, layer_figure(view, room.width));
  for (std::size_t i = first; i < content.pictures.size(); ++i) {
    add_targets(content.pictures[i], [&](int, int layer) { return with_layer(selection, layer); });
    if (selection.layer) mark(content.pictures[i], -1, *selection.layer);
  }
  if (!selection.layer) content.note += " Click a layer to see its stages.";
  add_figure(content, context_figure(view, room.width));
  content.tables.push_back(layers_table(view));
  if (selection.layer) content.tables.push_back(stages_table(view, *selection.layer));
  content.tables.push_back(steps_table(view));
  add_source(content, view);
  return content;
}

}  // namespace k3::gui
