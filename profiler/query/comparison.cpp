#include "profiler/query/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <tuple>

#include "profiler/query/comparison_internal.h"
#include "profiler/query/expert_load.h"
#include "profiler/query/scope_internal.h"
#include "profiler/query/traffic.h"
#include "profiler/store/row_values.h"

namespace k3::query {

using store::SessionReader;
using store::Statement;
using store::StepRow;

std::vector<StepPair> paired_steps(const std::vector<StepRow>& a,
                                   const std::vector<StepRow>& b,
                                   Phase phase) {
  std::vector<StepPair> pairs;
  auto other = b.begin();
  for (const StepRow& step : a) {
    if (step.phase != phase) continue;
    other = std::find_if(other, b.end(), [&](const StepRow& s) { return s.phase == phase; });
    if (other == b.end()) break;
    pairs.emplace_back(step, *other++);
  }
  return pairs;
}

namespace {

using Group = std::tuple<TaskKind, int, Stage>;

/// Time of one group over the paired steps, in one run.
struct GroupTime {
  double total_ns = 0;  ///< waiting included
  double wait_ns = 0;
  std::int64_t shares = 0;  ///< ranks × steps that it is the sum over
};

using GroupTimes = std::map<Group, GroupTime>;

Result<std::vector<std::uint64_t>> plan_hashes(const SessionReader& session) {
  K3_TRY(const SessionSummary summary, summarize(session));
  std::vector<std::uint64_t> hashes;
  for (const PlanSummary& plan : summary.plans) {
    hashes.push_back(std::strtoull(plan.hash.c_str(), nullptr, 16));
  }
  return hashes;
}

/// True if every pair ran the same plan, so that task ids mean the same in both runs.
bool same_plans(const std::vector<StepPair>& pairs,
                const std::vector<std::uint64_t>& a,
                const std::vector<std::uint64_t>& b) {
  const auto hash = [](const std::vector<std::uint64_t>& hashes, int plan) {
    const bool known = plan >= 0 && static_cast<std::size_t>(plan) < hashes.size();
    return known ? hashes[static_cast<std::size_t>(plan)] : 0;
  };
  return !pairs.empty() && std::all_of(pairs.begin(), pairs.end(), [&](const StepPair& pair) {
    const std::uint64_t first = hash(a, pair.first.plan);
    return first != 0 && first == hash(b, pair.second.plan);
  });
}

/// From the sums that the writer keeps per step.
Result<void> add_step_costs(const SessionReader& session, int step, GroupTimes& times) {
  K3_TRY(Statement query,
         session.database().prepare(
             "SELECT kind, layer, stage, ranks, busy_ns, wait_ns FROM step_cost WHERE step = ?"));
  query.bind(1, step);
  return store::for_each_row(query, [&](const Statement& row) -> Result<void> {
    K3_TRY(const TaskKind kind, store::enum_at<TaskKind>(row, 0));
    K3_TRY(const std::int16_t layer, store::layer_at(row, 1));
    K3_TRY(const Stage stage, store::enum_at<Stage>(row, 2));
    GroupTime& time = times[Group(kind, layer, stage)];
    K3_TRY(const auto ranks, store::index_at<std::int64_t>(row, 3, store::kMaxRanks + 1));
    time.shares += ranks;
    time.total_ns += row.real(4) + row.real(5);
    time.wait_ns += row.real(5);
    return {};
  });
}

struct TaskTime {
  double total_ns = 0;
  double wait_ns = 0;
  bool seen = false;
};

Result<std::vector<TaskTime>> task_times(const SessionReader& session,
                                         const StepRow& step,
                                         std::size_t num_tasks) {
  K3_TRY(const std::vector<Span> spans, session.spans(step));
  std::vector<TaskTime> times(num_tasks);
  for (const Span& span : spans) {
    if (span.depth != 0 || span.task < 0 || static_cast<std::size_t>(span.task) >= num_tasks)
      continue;
    TaskTime& time = times[static_cast<std::size_t>(span.task)];
    time.seen = true;
    const auto duration_ns = static_cast<double>(span.duration_ns);
    time.total_ns += duration_ns;
    if (span.category == SpanCategory::wait) time.wait_ns += duration_ns;
  }
  return times;
}

/// True if every task of the plan has a span in the step: then the sums per group hold just the
/// joined tasks.
Result<bool> has_all_tasks(const SessionReader& session, const StepRow& step) {
  K3_TRY(Statement query, session.database().prepare(
                              "SELECT sum(tasks) = (SELECT num_tasks FROM plan WHERE plan_id = ?1) "
                              "FROM step_cost WHERE step = ?2"));
  query.bind(1, step.plan);
  query.bind(2, step.step);
  K3_TRY(const bool found, query.next());
  return found && query.integer(0) == 1;
}

struct BothTimes {
  GroupTimes a;
  GroupTimes b;
};

Result<void> add_common_tasks(const std::pair<const SessionReader&, const SessionReader&>& runs,
                              const StepPair& steps,
                              BothTimes& times) {
  K3_TRY(const PlanRecord plan, runs.first.plan(steps.first.plan));
  K3_TRY(const auto tasks_a, task_times(runs.first, steps.first, plan.tasks.size()));
  K3_TRY(const auto tasks_b, task_times(runs.second, steps.second, plan.tasks.size()));
  std::map<Group, std::int32_t> last_rank;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    if (!tasks_a[i].seen || !tasks_b[i].seen) continue;
    const TaskRecord& task = plan.tasks[i];
    const Group group(task.kind, task.layer, task.stage);
    // Task ids ascend with the rank, so a rank's tasks of one group follow each other.
    const auto [entry, is_new] = last_rank.try_emplace(group, task.rank);
    const std::int64_t share = is_new || entry->second != task.rank ? 1 : 0;
    entry->second = task.rank;
    for (const auto& [time, tasks] :
         {std::pair(&times.a[group], &tasks_a[i]), std::pair(&times.b[group], &tasks_b[i])}) {
      time->shares += share;
      time->total_ns += tasks->total_ns;
      time->wait_ns += tasks->wait_ns;
    }
  }
  return {};
}

/// Only tasks that have spans in both runs count.
Result<BothTimes> joined_by_task(const SessionReader& a,
                                 const SessionReader& b,
                                 const std::vector<StepPair>& pairs) {
  BothTimes times;
  for (const StepPair& steps : pairs) {
    K3_TRY(const bool all_a, has_all_tasks(a, steps.first));
    K3_TRY(const bool all_b, has_all_tasks(b, steps.second));
    if (all_a && all_b) {
      K3_TRY_VOID(add_step_costs(a, steps.first.step, times.a));
      K3_TRY_VOID(add_step_costs(b, steps.second.step, times.b));
    } else {
      K3_TRY_VOID(add_common_tasks({a, b}, steps, times));
    }
  }
  return times;
}

Result<BothTimes> joined_by_stage(const SessionReader& a,
                                  const SessionReader& b,
                                  const std::vector<StepPair>& pairs) {
  BothTimes times;
  for (const auto& [step_a, step_b] : pairs) {
    K3_TRY_VOID(add_step_costs(a, step_a.step, times.a));
    K3_TRY_VOID(add_step_costs(b, step_b.step, times.b));
  }
  return times;
}

/// Microseconds per step and rank.
double per_share(double ns, std::int64_t shares) {
  return shares == 0 ? 0 : ns * 1e-3 / static_cast<double>(shares);
}

/// Stages of one kind and layer become one row.
std::vector<ComparisonRow> rows_of(const BothTimes& times) {
  std::map<std::pair<TaskKind, int>, ComparisonRow> rows;
  const auto row_of = [&](const Group& group) -> ComparisonRow& {
    const auto [kind, layer, stage] = group;
    ComparisonRow& row = rows[{kind, layer}];
    row.kind = kind;
    row.layer = layer;
    return row;
  };
  for (const auto& [group, time] : times.a) {
    row_of(group).measured_us += per_share(time.total_ns, time.shares);
    row_of(group).measured_wait_us += per_share(time.wait_ns, time.shares);
  }
  for (const auto& [group, time] : times.b) {
    row_of(group).simulated_us += per_share(time.total_ns, time.shares);
    row_of(group).simulated_wait_us += per_share(time.wait_ns, time.shares);
  }
  std::vector<ComparisonRow> out;
  for (auto& [key, row] : rows) {
    if (row.measured_us > 0) row.ratio = row.simulated_us / row.measured_us;
    out.push_back(row);
  }
  return out;
}

StepComparison step_times(const std::vector<StepPair>& pairs) {
  StepComparison out;
  out.steps = static_cast<int>(pairs.size());
  if (pairs.empty()) return out;
  for (const auto& [a, b] : pairs) {
    out.measured_ms += static_cast<double>(a.duration_ns) * 1e-6;
    out.simulated_ms += static_cast<double>(b.duration_ns) * 1e-6;
  }
  out.measured_ms /= static_cast<double>(pairs.size());
  out.simulated_ms /= static_cast<double>(pairs.size());
  return out;
}

Result<TrafficComparison> traffic_of(
    const std::pair<const SessionReader&, const SessionReader&>& runs,
    const CommonSteps& steps,
    const Scope& scope) {
  TrafficFilter filter;
  filter.layer = scope.layer;
  K3_TRY(const TrafficSum first, traffic_matrix(runs.first, filter, steps.a));
  K3_TRY(const TrafficSum second, traffic_matrix(runs.second, filter, steps.b));
  return compared(first, second);
}

/// Mean over layers of the busiest rank's share; 0 when no load was recorded.
Result<double> mean_balance(const SessionReader& session, const Scope& scope, int& layers) {
  K3_TRY(const auto loads, expert_loads(session, scope));
  layers = static_cast<int>(loads.size());
  double sum = 0;
  for (const ExpertLoad& load : loads)
    sum += load.rank_balance;
  return loads.empty() ? 0 : sum / static_cast<double>(loads.size());
}

struct Pairs {
  std::vector<StepPair> decode;
  std::vector<StepPair> prefill;

  std::vector<StepPair> all() const {
    std::vector<StepPair> both = prefill;
    both.insert(both.end(), decode.begin(), decode.end());
    return both;
  }
};

Result<Pairs> pairs_of(const SessionReader& a, const SessionReader& b, const Scope& scope) {
  K3_TRY(const auto steps_a, a.steps());
  K3_TRY(const auto steps_b, b.steps());
  Pairs pairs{paired_steps(steps_a, steps_b, Phase::decode),
              paired_steps(steps_a, steps_b, Phase::prefill)};
  const auto outside = [&](const StepPair& pair) { return !in_scope(scope, pair.first); };
  std::erase_if(pairs.decode, outside);
  std::erase_if(pairs.prefill, outside);
  return pairs;
}

CommonSteps numbers_of(const std::vector<StepPair>& pairs) {
  CommonSteps steps;
  for (const auto& [step_a, step_b] : pairs) {
    steps.a.push_back(step_a.step);
    steps.b.push_back(step_b.step);
  }
  return steps;
}

/// The part of the second run that is beside `scope`, which names a step of the first.
Scope scope_beside(const Scope& scope, const std::vector<StepPair>& pairs) {
  Scope beside = scope;
  if (scope.step && !pairs.empty()) beside.step = pairs.front().second.step;
  return beside;
}

Result<std::vector<ComparisonRow>> compared_rows(
    const std::pair<const SessionReader&, const SessionReader&>& runs,
    const std::vector<StepPair>& pairs,
    Join join,
    const Scope& scope) {
  K3_TRY(const BothTimes times, join == Join::by_task
                                    ? joined_by_task(runs.first, runs.second, pairs)
                                    : joined_by_stage(runs.first, runs.second, pairs));
  std::vector<ComparisonRow> rows = rows_of(times);
  std::erase_if(rows,
                [&](const ComparisonRow& row) { return scope.layer && row.layer != *scope.layer; });
  return rows;
}

}  // namespace

Result<CommonSteps> common_steps(const SessionReader& a,
                                 const SessionReader& b,
                                 const Scope& scope) {
  K3_TRY(const Pairs pairs, pairs_of(a, b, scope));
  return numbers_of(pairs.all());
}

TrafficComparison compared(const TrafficSum& a, const TrafficSum& b) {
  TrafficComparison traffic;
  traffic.measured_total = static_cast<double>(a.total_bytes());
  traffic.simulated_total = static_cast<double>(b.total_bytes());
  if (a.num_ranks != b.num_ranks) return traffic;
  traffic.num_ranks = a.num_ranks;
  traffic.measured_bytes.assign(a.bytes.begin(), a.bytes.end());
  traffic.simulated_bytes.assign(b.bytes.begin(), b.bytes.end());
  double largest = 0;
  for (std::size_t i = 0; i < traffic.measured_bytes.size(); ++i) {
    largest = std::max(largest, std::abs(traffic.simulated_bytes[i] - traffic.measured_bytes[i]));
  }
  if (traffic.measured_total > 0) {
    traffic.max_cell_error =
        largest / traffic.measured_total * static_cast<double>(traffic.measured_bytes.size());
  }
  return traffic;
}

Result<Comparison> compare(const SessionReader& a, const SessionReader& b, const Scope& scope) {
  Comparison result;
  K3_TRY(result.a, summarize(a));
  K3_TRY(result.b, summarize(b));
  K3_TRY(const Pairs pairs, pairs_of(a, b, scope));
  const auto& [decode, prefill] = pairs;
  const std::vector<StepPair> all = pairs.all();

  K3_TRY(const auto hashes_a, plan_hashes(a));
  K3_TRY(const auto hashes_b, plan_hashes(b));
  result.join = same_plans(all, hashes_a, hashes_b) ? Join::by_task : Join::by_stage;
  VerdictFacts facts{
      .step = decode.empty() ? prefill : decode,
      .step_phase = decode.empty() && !prefill.empty() ? Phase::prefill : Phase::decode,
      .prefill = prefill};
  K3_TRY(result.prefill_rows, compared_rows({a, b}, prefill, result.join, scope));
  if (decode.empty()) {
    result.rows = result.prefill_rows;
  } else {
    K3_TRY(result.rows, compared_rows({a, b}, decode, result.join, scope));
  }
  result.step = step_times(facts.step);
  result.prefill = step_times(prefill);
  K3_TRY(result.traffic, traffic_of({a, b}, numbers_of(all), scope));
  int layers_a = 0;
  int layers_b = 0;
  K3_TRY(result.a_balance, mean_balance(a, scope, layers_a));
  K3_TRY(result.b_balance, mean_balance(b, scope_beside(scope, all), layers_b));
  facts.moe_layers = std::min(layers_a, layers_b);
  result.verdicts = verdicts_of(result, facts);
  return result;
}

}  // namespace k3::query
