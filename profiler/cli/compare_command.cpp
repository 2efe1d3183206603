#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "engine/base/text_table.h"
#include "engine/text/json.h"
#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/options.h"
#include "profiler/query/comparison.h"
#include "profiler/store/session_reader.h"
#include "profiler/visual/numbers.h"

namespace k3::cli {
namespace {

constexpr int kLimitExceeded = 3;

/// "5%" or "0.05" as a fraction. More than 100 % is only meant where a % says so.
Result<double> parse_limit(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool percent = stop + 1 == end && *stop == '%';
  if (error != std::errc{} || (stop != end && !percent) || !(value >= 0)) {
    return fail(Code::invalid_input,
                fmt::format("`{}` is no limit; write a share such as 5% or 0.05", text),
                "--fail-above");
  }
  if (!percent && value > 1) {
    return fail(Code::invalid_input,
                fmt::format("`{0}` would be {1:.0f} %; did you mean {0}%?", text, value * 100),
                "--fail-above");
  }
  return percent ? value / 100 : value;
}

Json rows_json(const std::vector<query::ComparisonRow>& rows) {
  Json json = Json::array();
  for (const query::ComparisonRow& row : rows) {
    json.push(Json::object()
                  .set("kind", name_of(row.kind))
                  .set("layer", row.layer)
                  .set("measured_us", row.measured_us)
                  .set("simulated_us", row.simulated_us)
                  .set("ratio", row.ratio));
  }
  return json;
}

Json step_json(const query::StepComparison& step) {
  return Json::object()
      .set("measured_ms", step.measured_ms)
      .set("simulated_ms", step.simulated_ms)
      .set("steps", step.steps);
}

Json to_json(const query::Comparison& c) {
  Json json = Json::object();
  json.set("a", c.a.path).set("b", c.b.path);
  json.set("join",
           c.join == query::Join::by_task ? "step and task id" : "phase, kind, layer and stage");
  json.set("step", step_json(c.step)).set("prefill", step_json(c.prefill));
  json.set("traffic", Json::object()
                          .set("ranks", c.traffic.num_ranks)
                          .set("measured_bytes", c.traffic.measured_total)
                          .set("simulated_bytes", c.traffic.simulated_total)
                          .set("max_cell_error", c.traffic.max_cell_error));
  json.set("balance", Json::object().set("measured", c.a_balance).set("simulated", c.b_balance));
  Json verdicts = Json::array();
  for (const std::string& verdict : c.verdicts)
    verdicts.push(verdict);
  json.set("verdicts", verdicts);
  json.set("rows", rows_json(c.rows)).set("prefill_rows", rows_json(c.prefill_rows));
  return json;
}

struct Sums {
  double measured = 0;
  double simulated = 0;
};

/// Rows of all layers by kind, or the rows as they are.
std::string rows_table(const std::vector<query::ComparisonRow>& rows, bool by_layer) {
  std::vector<double> seconds;
  for (const query::ComparisonRow& row : rows)
    seconds.push_back(row.measured_us * 1e-6);
  std::array<Sums, kNumTaskKinds> sums{};
  for (const query::ComparisonRow& row : rows) {
    sums[static_cast<std::size_t>(row.kind)].measured += row.measured_us * 1e-6;
    sums[static_cast<std::size_t>(row.kind)].simulated += row.simulated_us * 1e-6;
  }
  if (!by_layer) {
    seconds.clear();
    for (const Sums& s : sums)
      seconds.push_back(std::max(s.measured, s.simulated));
  }
  const visual::Unit unit = visual::unit_for(visual::Quantity::time, seconds);
  const auto cells = [&](double measured, double simulated) {
    return std::vector<std::string>{
        visual::number_in(measured, unit), visual::number_in(simulated, unit),
        measured > 0 ? visual::text_of(visual::Quantity::ratio, simulated / measured) : "–"};
  };
  TextTable table({by_layer ? "kind, layer" : "kind", fmt::format("measured/{}", unit.symbol),
                   fmt::format("simulated/{}", unit.symbol), "simulated/measured"});
  const auto add = [&](std::string label, double measured, double simulated) {
    std::vector<std::string> row = cells(measured, simulated);
    row.insert(row.begin(), std::move(label));
    table.add_row(std::move(row));
  };
  if (by_layer) {
    for (const query::ComparisonRow& row : rows) {
      add(row.layer < 0 ? std::string(name_of(row.kind))
                        : fmt::format("{} {}", name_of(row.kind), row.layer),
          row.measured_us * 1e-6, row.simulated_us * 1e-6);
    }
  } else {
    for (std::size_t kind = 0; kind < sums.size(); ++kind) {
      if (sums[kind].measured == 0 && sums[kind].simulated == 0) continue;
      add(std::string(kTaskKindNames[kind]), sums[kind].measured, sums[kind].simulated);
    }
  }
  return table.text();
}

Result<int> run_compare(const Arguments& arguments, Console& console) {
  std::optional<double> limit;
  if (const auto text = arguments.value("fail-above")) {
    K3_TRY(limit, parse_limit(*text));
  }
  K3_TRY(const store::SessionReader a, store::SessionReader::open(arguments.required(0)));
  K3_TRY(const store::SessionReader b, store::SessionReader::open(arguments.required(1)));
  for (const store::SessionReader* session : {&a, &b}) {
    if (!session->warning().empty()) console.note(session->warning());
  }
  K3_TRY(const query::Comparison comparison, query::compare(a, b));
  if (arguments.has("json")) {
    console.print_json(to_json(comparison));
  } else {
    for (const std::string& verdict : comparison.verdicts)
      console.print(verdict + '\n');
    console.print("\nper step and rank, mean; A (measured) is " + comparison.a.path +
                  ", B (simulated) is " + comparison.b.path + "\n\n");
    console.print(rows_table(comparison.rows, arguments.has("layers")));
    if (!comparison.prefill_rows.empty() && comparison.step.steps > 0) {
      console.print("\nprefill\n\n" + rows_table(comparison.prefill_rows, arguments.has("layers")));
    }
  }
  if (!limit) return 0;
  const query::StepComparison& step = comparison.step;
  const double error = step.measured_ms > 0 ? std::abs(step.simulated_ms / step.measured_ms - 1)
                                            : std::numeric_limits<double>::infinity();
  return error > *limit ? kLimitExceeded : 0;
}

}  // namespace

Command compare_command() {
  return {
      .name = "compare",
      .summary = "a measured session beside a simulated one, kind by kind and layer by layer",
      .details = "See `k3rack help comparing` for how runs are joined and what is averaged.",
      .positionals = {{"A", "the measured session (or any)"},
                      {"B", "the session to hold against it"}},
      .options = {json_option(),
                  {"layers", "", "one row per kind and layer instead of sums over layers"},
                  {"fail-above", "LIMIT", "exit code 3 if the step times differ by more, e.g. 5%"}},
      .run = run_compare};
}

}  // namespace k3::cli
