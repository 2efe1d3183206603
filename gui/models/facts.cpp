#include "gui/models/facts.h"

#include <map>
#include <utility>

#include <fmt/core.h>

#include "engine/base/task_kind.h"
#include "profiler/query/costs.h"
#include "profiler/query/traffic.h"
#include "profiler/store/names.h"
#include "profiler/visual/numbers.h"
#include "profiler/visual/palette.h"

namespace k3::gui {
namespace {

using visual::Quantity;

std::string time_text(std::int64_t ns) {
  return visual::text_of(Quantity::time, 1e-9 * static_cast<double>(ns));
}

/// Three digits, and all of them where those say less.
std::string exact_time_text(std::int64_t ns) {
  return fmt::format("{} ({} ns)", time_text(ns), visual::count_text(ns));
}

std::string per_second(double amount, std::int64_t ns, Quantity quantity) {
  return visual::text_of(quantity, amount / (1e-9 * static_cast<double>(ns)));
}

const TaskRecord* task_of(const query::Lanes& lanes, const query::LaneSpan& span) {
  const store::StepRow* step = step_of(lanes, span.step);
  if (step == nullptr || span.task < 0 || step->plan < 0) return nullptr;
  if (static_cast<std::size_t>(step->plan) >= lanes.plans.size()) return nullptr;
  const auto& tasks = lanes.plans[static_cast<std::size_t>(step->plan)].tasks;
  if (static_cast<std::size_t>(span.task) >= tasks.size()) return nullptr;
  return &tasks[static_cast<std::size_t>(span.task)];
}

void add_values(FactGroup& group,
                const SpanValues& values,
                std::int64_t duration_ns,
                const std::string& source) {
  if (values.flops > 0) {
    group.facts.push_back({"operations", visual::number(values.flops) + " FLOP", source});
    if (duration_ns > 0) {
      group.facts.push_back({"operations per second",
                             per_second(values.flops, duration_ns, Quantity::flop_rate),
                             source + ", over its duration"});
    }
  }
  if (values.bytes <= 0) return;
  group.facts.push_back({"bytes", visual::text_of(Quantity::bytes, values.bytes), source});
  if (duration_ns > 0) {
    group.facts.push_back({"bytes per second",
                           per_second(values.bytes, duration_ns, Quantity::bandwidth),
                           source + ", over its duration"});
  }
}

std::string layer_text(int layer) {
  return layer < 0 ? "none" : std::to_string(layer);
}

}  // namespace

Result<SpanValues> span_values(const store::SessionReader& session, std::int64_t span_id) {
  K3_TRY(store::Statement statement,
         session.database().prepare("SELECT flops, bytes FROM span WHERE span_id = ?"));
  statement.bind(1, span_id);
  K3_TRY(const bool there, statement.next());
  if (!there) return fail(Code::corrupt, fmt::format("no span {}", span_id));
  return SpanValues{statement.real(0), statement.real(1)};
}

FactGroup span_facts(const TimelineFocus& focus,
                     const SpanRef& ref,
                     const std::optional<SpanValues>& values) {
  const RunLanes& run = focus.runs()[ref.run];
  const query::Lanes& lanes = *run.lanes;
  const query::LaneSpan span = lanes.span(ref.span);
  const Lane& lane = lanes.lanes[static_cast<std::size_t>(span.lane)];
  const std::string& source = run.facts->name;
  const std::int64_t duration_ns = span.time.duration_ns();
  FactGroup group{lanes.names[static_cast<std::size_t>(span.name)], {}};
  const auto add = [&](std::string what, std::string value) {
    group.facts.push_back({std::move(what), std::move(value), source});
  };
  add("duration", exact_time_text(duration_ns));
  if (const store::StepRow* step = step_of(lanes, span.step)) {
    add("begin in step", exact_time_text(span.time.begin_ns - step->begin_ns));
    add("step", fmt::format("{} ({})", span.step, name_of(step->phase)));
  }
  add("begin in run", exact_time_text(span.time.begin_ns));
  if (span.kind != query::kNoKind)
    add("kind", std::string(visual::title_of(static_cast<TaskKind>(span.kind))));
  if (const TaskRecord* task = task_of(lanes, span))
    add("stage", std::string(name_of(task->stage)));
  add("layer", layer_text(span.layer));
  add("rank", std::to_string(lane.rank));
  add("lane", lane.name);
  add("spent on", std::string(store::stored_name(span.category)));
  if (values) add_values(group, *values, duration_ns, source);
  return group;
}

FactGroup task_facts(const TimelineFocus& focus, const SpanRef& ref) {
  const query::Lanes& lanes = *focus.runs()[ref.run].lanes;
  const query::LaneSpan span = lanes.span(ref.span);
  FactGroup group{"Its task", {}};
  const TaskRecord* task = task_of(lanes, span);
  if (task == nullptr) return group;
  group.facts.push_back({"task", fmt::format("{} of rank {}", span.task, task->rank), "plan"});
  add_values(group, {task->flops, task->bytes}, 0, "plan, first step");
  return group;
}

Result<FactGroup> pair_facts(const Runs& runs, const Selection& selection) {
  FactGroup group;
  if (!selection.rank || !selection.destination) return group;
  group.title = fmt::format("Rank {} to rank {}", *selection.rank, *selection.destination);
  for (std::size_t i = 0; i < runs.readers.size(); ++i) {
    for (const Direction direction : {Direction::dispatch, Direction::combine}) {
      K3_TRY(const query::TrafficSum sum,
             query::traffic_matrix(runs.readers[i],
                                   {selection.step, selection.layer, direction, selection.phase}));
      const auto ranks = static_cast<std::size_t>(sum.num_ranks);
      const auto from = static_cast<std::size_t>(*selection.rank);
      const auto to = static_cast<std::size_t>(*selection.destination);
      if (from >= ranks || to >= ranks) continue;
      const std::size_t cell = from * ranks + to;
      const std::string what(name_of(direction));
      const std::string& source = runs.facts[i]->name;
      group.facts.push_back({what + ", bytes",
                             visual::text_of(Quantity::bytes, static_cast<double>(sum.bytes[cell])),
                             source});
      group.facts.push_back(
          {what + ", rows", visual::count_text(static_cast<std::int64_t>(sum.rows[cell])), source});
    }
  }
  return group;
}

Result<FactGroup> layer_facts(const Runs& runs, const Selection& selection) {
  FactGroup group;
  if (!selection.layer) return group;
  group.title = fmt::format("Layer {}, per rank and step", *selection.layer);
  for (std::size_t i = 0; i < runs.readers.size(); ++i) {
    K3_TRY(const std::vector<query::LayerCost> costs, query::layer_costs(runs.readers[i]));
    std::map<std::pair<Phase, TaskKind>, double> mean_us;
    for (const query::LayerCost& cost : costs) {
      if (cost.layer != *selection.layer) continue;
      if (selection.phase && cost.phase != *selection.phase) continue;
      mean_us[{cost.phase, cost.kind}] += cost.mean_us;
    }
    for (const auto& [key, us] : mean_us) {
      group.facts.push_back(
          {fmt::format("{}, {}", visual::title_of(key.second), name_of(key.first)),
           visual::text_of(Quantity::time, 1e-6 * us),
           runs.facts[i]->name + ", mean over steps and ranks"});
    }
  }
  return group;
}

std::string to_text(const std::vector<FactGroup>& groups) {
  std::string text;
  for (const FactGroup& group : groups) {
    if (group.facts.empty()) continue;
    text += group.title + '\n';
    for (const Fact& fact : group.facts)
      text += fmt::format("  {}: {} [{}]\n", fact.what, fact.value, fact.source);
  }
  return text;
}

}  // namespace k3::gui
