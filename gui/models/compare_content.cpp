#include "gui/models/compare_content.h"

#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "gui/models/figure_content.h"

namespace k3::gui {
namespace {

using visual::Quantity;

/// A number, or no value.
void add(std::vector<Cell>& cells, std::optional<double> value) {
  if (value) {
    cells.emplace_back(*value);
  } else {
    cells.emplace_back();
  }
}

std::optional<double> known(bool is_known, double value) {
  return is_known ? std::optional(value) : std::nullopt;
}

/// All rows of query::compare.
DataTable rows_table(const figures::RunsView& view,
                     const std::vector<query::ComparisonRow>& rows,
                     const std::string& title) {
  const std::string& a = view.runs[0].name;
  const std::string& b = view.runs[1].name;
  DataTable table{title,
                  {{"kind"},
                   {"layer", Quantity::count},
                   {a, Quantity::time},
                   {b, Quantity::time},
                   {"ratio", Quantity::ratio},
                   {"error", Quantity::share},
                   {"waiting, " + a, Quantity::time},
                   {"waiting, " + b, Quantity::time}},
                  {}};
  for (const query::ComparisonRow& row : rows) {
    std::vector<Cell> cells{std::string(visual::title_of(row.kind))};
    add(cells, known(row.layer >= 0, row.layer));
    cells.emplace_back(row.measured_us * 1e-6);
    cells.emplace_back(row.simulated_us * 1e-6);
    add(cells, known(row.measured_us > 0, row.ratio));
    add(cells, known(row.measured_us > 0, row.ratio - 1));
    cells.emplace_back(row.measured_wait_us * 1e-6);
    cells.emplace_back(row.simulated_wait_us * 1e-6);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

DataTable steps_table(const figures::RunsView& view, const query::Comparison& comparison) {
  DataTable table{"Steps that both runs have",
                  {{"phase"},
                   {"steps", Quantity::count},
                   {view.runs[0].name + ", mean", Quantity::time},
                   {view.runs[1].name + ", mean", Quantity::time},
                   {"ratio", Quantity::ratio}},
                  {}};
  const auto add_phase = [&](Phase phase, const query::StepComparison& step) {
    if (step.steps == 0) return;
    std::vector<Cell> row{std::string(name_of(phase)), static_cast<double>(step.steps),
                          step.measured_ms * 1e-3, step.simulated_ms * 1e-3};
    add(row, known(step.measured_ms > 0, step.simulated_ms / step.measured_ms));
    table.rows.push_back(std::move(row));
  };
  if (view.phase == Phase::decode) add_phase(Phase::decode, comparison.step);
  add_phase(Phase::prefill, comparison.prefill);
  return table;
}

}  // namespace

Result<ViewContent> compare_content(const Runs& runs,
                                    const Selection& selection,
                                    const Room& room,
                                    const std::stop_token& /*stop*/) {
  ViewContent content;
  if (!runs.pair()) {
    content.question = "How do two runs differ?";
    content.empty_reason =
        "One session alone has nothing to be compared with. Open a second one with File → Compare "
        "with: a simulation of the scenario that was measured, or another run.";
    return content;
  }
  K3_TRY(const figures::Input input,
         collect(runs, selection,
                 {figures::Part::costs, figures::Part::traffic, figures::Part::comparison}));
  const figures::RunsView view = figures::view_of(input);
  add_figure(content, error_figure(view, room.width));
  add_figure(content, steps_figure(view, room.width));
  for (const std::string& verdict : input.comparison->verdicts)
    content.answer += "\n• " + verdict;
  const bool both = !input.comparison->prefill_rows.empty() && view.phase == Phase::decode;
  content.tables.push_back(rows_table(view, input.comparison->rows,
                                      fmt::format("Kinds and layers, {}", name_of(view.phase))));
  if (both) {
    content.tables.push_back(
        rows_table(view, input.comparison->prefill_rows, "Kinds and layers, prefill"));
  }
  content.tables.push_back(steps_table(view, *input.comparison));
  add_source(content, view);
  return content;
}

}  // namespace k3::gui
