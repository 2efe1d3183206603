#include "gui/models/overview.h"

#include <utility>

#include <fmt/core.h>

namespace k3::gui {
namespace {

DataTable facts_table(const Runs& runs) {
  DataTable table{"Runs", {{"what"}}, {}};
  std::vector<std::vector<Cell>> rows{{std::string("file")},  {std::string("title")},
                                      {std::string("model")}, {std::string("machine")},
                                      {std::string("ranks")}, {std::string("steps")},
                                      {std::string("spans")}, {std::string("state")}};
  for (const auto& facts : runs.facts) {
    const query::SessionSummary& summary = facts->summary;
    table.columns.push_back({facts->name});
    std::size_t row = 0;
    const auto add = [&](std::string text) { rows[row++].emplace_back(std::move(text)); };
    add(facts->file);
    add(summary.title);
    add(summary.model);
    add(summary.machine);
    add(visual::count_text(summary.num_ranks));
    add(visual::count_text(static_cast<std::int64_t>(summary.steps.size())));
    add(visual::count_text(summary.num_spans));
    add(!summary.warning.empty() ? summary.warning
        : summary.complete       ? "complete"
                                 : "interrupted: finished steps are there");
  }
  table.rows = std::move(rows);
  return table;
}

DataTable steps_table(const RunFacts& facts) {
  using visual::Quantity;
  DataTable table{"Steps, " + facts.name,
                  {{"step", Quantity::count},
                   {"phase"},
                   {"sequences", Quantity::count},
                   {"tokens", Quantity::count},
                   {"context", Quantity::count},
                   {"begin", Quantity::time},
                   {"duration", Quantity::time}},
                  {}};
  for (const query::StepSummary& step : facts.summary.steps) {
    table.rows.push_back({static_cast<double>(step.step), std::string(name_of(step.phase)),
                          static_cast<double>(step.sequences), static_cast<double>(step.tokens),
                          static_cast<double>(step.context),
                          1e-9 * static_cast<double>(step.begin_ns),
                          1e-9 * static_cast<double>(step.duration_ns)});
  }
  return table;
}

DataTable memory_table(const RunFacts& facts) {
  using visual::Quantity;
  DataTable table{"Memory, " + facts.name,
                  {{"part"}, {"fullest rank", Quantity::memory}, {"all ranks", Quantity::memory}},
                  {}};
  for (const query::MemorySummary& part : facts.summary.memory) {
    table.rows.push_back(
        {part.what, static_cast<double>(part.max_bytes), static_cast<double>(part.total_bytes)});
  }
  return table;
}

std::string sentence(const RunFacts& facts) {
  const query::SessionSummary& summary = facts.summary;
  return fmt::format(
      "{}: {} on {} {} of {}, {} {}.", facts.file, summary.model.empty() ? "a run" : summary.model,
      visual::count_text(summary.num_ranks), summary.num_ranks == 1 ? "rank" : "ranks",
      summary.machine.empty() ? "an unnamed machine" : summary.machine,
      visual::count_text(static_cast<std::int64_t>(summary.steps.size())),
      summary.steps.size() == 1 ? "step" : "steps");
}

}  // namespace

Result<ViewContent> overview(const Runs& runs,
                             const Selection& /*selection*/,
                             const Room& /*room*/,
                             const std::stop_token& /*stop*/) {
  ViewContent content;
  content.question = runs.pair() ? "Which runs are compared?" : "What was recorded?";
  for (const auto& facts : runs.facts)
    content.answer += (content.answer.empty() ? "" : " ") + sentence(*facts);
  content.tables.push_back(facts_table(runs));
  for (const auto& facts : runs.facts) {
    content.tables.push_back(steps_table(*facts));
    content.tables.push_back(memory_table(*facts));
  }
  return content;
}

}  // namespace k3::gui
