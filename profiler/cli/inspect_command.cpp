#include <limits>

#include <fmt/core.h>

#include "engine/base/text_table.h"
#include "engine/text/json.h"
#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/options.h"
#include "profiler/query/conservation.h"
#include "profiler/query/session_summary.h"
#include "profiler/query/sql.h"
#include "profiler/store/session_reader.h"
#include "profiler/visual/numbers.h"

namespace k3::cli {
namespace {

using visual::Quantity;
using visual::text_of;

std::string_view name_of_run(RunKind kind) {
  switch (kind) {
    case RunKind::measured:
      return "measured";
    case RunKind::simulated:
      return "simulated";
    case RunKind::imported:
      return "imported";
  }
  return "?";
}

std::string head(const query::SessionSummary& s) {
  std::string text = fmt::format("{}: {} run{}\n", s.path, name_of_run(s.kind),
                                 s.complete ? "" : ", interrupted: whole steps only");
  const auto line = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<10}{}\n", label, value);
  };
  line("title", s.title);
  line("model", s.model);
  line("machine", s.machine);
  line("ranks", fmt::format("{}", s.num_ranks));
  line("spans", visual::count_text(s.num_spans));
  for (const query::PlanSummary& plan : s.plans) {
    line(fmt::format("plan {}", plan.plan),
         fmt::format("{}, {}, hash {}", name_of(plan.phase), visual::counted(plan.tasks, "task"),
                     plan.hash));
  }
  return text;
}

std::string step_table(const query::SessionSummary& s) {
  std::vector<double> seconds;
  for (const query::StepSummary& step : s.steps) {
    seconds.push_back(static_cast<double>(step.duration_ns) * 1e-9);
  }
  const visual::Unit unit = visual::unit_for(Quantity::time, seconds);
  TextTable table(
      {"step", "phase", "sequences", "tokens", "context", fmt::format("duration/{}", unit.symbol)});
  for (std::size_t i = 0; i < s.steps.size(); ++i) {
    const query::StepSummary& step = s.steps[i];
    table.add_row({fmt::format("{}", step.step), std::string(name_of(step.phase)),
                   visual::count_text(step.sequences), visual::count_text(step.tokens),
                   visual::count_text(step.context), visual::number_in(seconds[i], unit)});
  }
  return table.text();
}

std::string memory_table(const query::SessionSummary& s) {
  TextTable table({"memory", "largest rank", "all ranks"});
  for (const query::MemorySummary& m : s.memory) {
    table.add_row({m.what, text_of(Quantity::memory, static_cast<double>(m.max_bytes)),
                   text_of(Quantity::memory, static_cast<double>(m.total_bytes))});
  }
  return table.text();
}

std::string conservation_text(const query::ConservationReport& report) {
  if (report.checks == 0) return "conservation: no traffic in this session\n";
  std::string text =
      fmt::format("conservation: {}, {}\n", visual::counted(report.checks, "equation"),
                  report.holds() ? "all hold" : fmt::format("{} VIOLATED", report.num_violations));
  for (const std::string& violation : report.violations)
    text += "  " + violation + '\n';
  return text;
}

Json to_json(const query::SessionSummary& s, const query::ConservationReport& conservation) {
  Json json = Json::object();
  json.set("kind", name_of_run(s.kind)).set("complete", s.complete).set("title", s.title);
  json.set("model", s.model).set("machine", s.machine).set("ranks", s.num_ranks);
  json.set("spans", s.num_spans).set("scenario", s.scenario);
  Json plans = Json::array();
  for (const query::PlanSummary& plan : s.plans) {
    plans.push(Json::object()
                   .set("plan_id", plan.plan)
                   .set("phase", name_of(plan.phase))
                   .set("hash", plan.hash)
                   .set("tasks", plan.tasks));
  }
  json.set("plans", plans);
  Json steps = Json::array();
  for (const query::StepSummary& step : s.steps) {
    steps.push(Json::object()
                   .set("step", step.step)
                   .set("plan_id", step.plan)
                   .set("phase", name_of(step.phase))
                   .set("sequences", step.sequences)
                   .set("tokens", step.tokens)
                   .set("context", step.context)
                   .set("begin_ns", step.begin_ns)
                   .set("duration_ns", step.duration_ns));
  }
  json.set("steps", steps);
  Json memory = Json::array();
  for (const query::MemorySummary& m : s.memory) {
    memory.push(Json::object()
                    .set("what", m.what)
                    .set("max_bytes", m.max_bytes)
                    .set("total_bytes", m.total_bytes));
  }
  json.set("memory", memory);
  Json violations = Json::array();
  for (const std::string& violation : conservation.violations)
    violations.push(violation);
  json.set("conservation", Json::object()
                               .set("checks", conservation.checks)
                               .set("violations", conservation.num_violations)
                               .set("examples", violations)
                               .set("copies", conservation.copies)
                               .set("rows", conservation.rows)
                               .set("tokens", conservation.tokens));
  return json;
}

/// A blob is its size: SQL's hex(column) has the bytes.
Json to_json(const query::SqlCell& cell) {
  switch (cell.type) {
    case store::ValueType::null:
      return {};
    case store::ValueType::integer:
      return cell.integer;
    case store::ValueType::real:
      return cell.real;
    case store::ValueType::text:
      return cell.text;
    case store::ValueType::blob:
      return Json::object().set("blob_bytes", cell.integer);
  }
  return {};
}

Result<int> print_sql(const store::SessionReader& session,
                      const std::string& sql,
                      const Arguments& arguments,
                      Console& console) {
  query::SqlLimits limits;
  // Text is cut so that a table stays readable, which is no concern of a program.
  if (arguments.has("json")) limits.cell_bytes = std::numeric_limits<std::size_t>::max();
  K3_TRY(const query::SqlTable table, query::run_sql(session, sql, limits));
  if (arguments.has("json")) {
    Json rows = Json::array();
    for (const std::vector<query::SqlCell>& cells : table.rows) {
      Json row = Json::array();
      for (const query::SqlCell& cell : cells)
        row.push(to_json(cell));
      rows.push(row);
    }
    Json columns = Json::array();
    for (const std::string& column : table.columns)
      columns.push(column);
    console.print_json(
        Json::object().set("columns", columns).set("rows", rows).set("cut", table.cut));
    return 0;
  }
  TextTable text(table.columns);
  for (const std::vector<query::SqlCell>& cells : table.rows) {
    std::vector<std::string> row;
    for (const query::SqlCell& cell : cells)
      row.push_back(cell.text);
    text.add_row(std::move(row));
  }
  console.print(text.text());
  if (table.cut) console.note("further rows left out; add LIMIT and OFFSET to the statement");
  return 0;
}

Result<int> run_inspect(const Arguments& arguments, Console& console) {
  K3_TRY(const store::SessionReader session, store::SessionReader::open(arguments.required(0)));
  if (!session.warning().empty()) console.note(session.warning());
  if (const auto sql = arguments.value("sql")) return print_sql(session, *sql, arguments, console);
  K3_TRY(const query::SessionSummary summary, query::summarize(session));
  K3_TRY(const query::ConservationReport conservation, query::conservation(session));
  if (arguments.has("json")) {
    console.print_json(to_json(summary, conservation));
    return 0;
  }
  if (arguments.has("scenario")) {
    console.print(summary.scenario);
    return 0;
  }
  console.print(head(summary) + '\n' + step_table(summary) + '\n');
  if (!summary.memory.empty()) console.print(memory_table(summary) + '\n');
  console.print(conservation_text(conservation));
  return 0;
}

}  // namespace

Command inspect_command() {
  return {
      .name = "inspect",
      .summary = "what a session file holds",
      .details =
          "Tables and columns for --sql are described in the session schema; times are\n"
          "integer nanoseconds (_ns). With --json numbers are numbers, NULL is null and a blob\n"
          "is {\"blob_bytes\": N}; hex(column) gives its bytes.",
      .positionals = {{"SESSION", "a .k3r file"}},
      .options = {json_option(),
                  {"sql", "STATEMENT", "run one reading SQL statement"},
                  {"scenario", "", "print the scenario that the session was made from"}},
      .run = run_inspect};
}

}  // namespace k3::cli
