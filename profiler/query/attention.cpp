#include "profiler/query/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>

#include "profiler/query/scope_internal.h"
#include "profiler/store/row_values.h"

namespace k3::query {
namespace {

using store::Statement;

/// Spans that are read for a spread; of longer runs evenly chosen steps are.
constexpr std::int64_t kMaxSpans = 1'000'000;

constexpr double kLowShare = 0.05;
constexpr double kHighShare = 0.95;

struct Mean {
  double sum_ns = 0;
  int count = 0;

  double us() const { return count > 0 ? sum_ns * 1e-3 / count : 0; }
};

/// Nearest rank on sorted values.
double quantile(const std::vector<double>& sorted, double share) {
  const double last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::lround(share * last))];
}

std::vector<store::StepRow> chosen(std::vector<store::StepRow> steps, const Scope& scope) {
  std::erase_if(steps, [&](const store::StepRow& step) { return !in_scope(scope, step); });
  return steps;
}

/// All steps, or evenly spread ones where there are too many spans.
std::vector<store::StepRow> affordable(const std::vector<store::StepRow>& steps) {
  std::int64_t spans = 0;
  for (const store::StepRow& step : steps)
    spans += step.num_spans;
  const auto stride = static_cast<std::size_t>(1 + spans / kMaxSpans);
  std::vector<store::StepRow> out;
  for (std::size_t i = 0; i < steps.size(); i += stride)
    out.push_back(steps[i]);
  return out;
}

using Key = std::tuple<Phase, int, TaskKind>;
using Samples = std::map<Key, std::vector<double>>;

/// One sample per rank and attention layer of the step.
Result<void> add_step(const store::SessionReader& session,
                      const store::StepRow& step,
                      const PlanRecord& plan,
                      Samples& samples) {
  K3_TRY(const std::vector<Span> spans, session.spans(step));
  std::map<std::tuple<int, TaskKind, std::int32_t>, double> busy_ns;
  for (const Span& span : spans) {
    if (span.depth != 0 || span.category == SpanCategory::wait || span.task < 0 ||
        static_cast<std::size_t>(span.task) >= plan.tasks.size()) {
      continue;
    }
    const TaskRecord& task = plan.tasks[static_cast<std::size_t>(span.task)];
    if (task.kind != TaskKind::kda && task.kind != TaskKind::mla) continue;
    busy_ns[{task.layer, task.kind, task.rank}] += static_cast<double>(span.duration_ns);
  }
  for (const auto& [place, ns] : busy_ns) {
    samples[{step.phase, std::get<0>(place), std::get<1>(place)}].push_back(ns);
  }
  return {};
}

}  // namespace

Result<std::vector<AttentionStep>> attention_steps(const store::SessionReader& session,
                                                   const Scope& scope) {
  K3_TRY(const auto steps, session.steps());
  K3_TRY(Statement query,
         session.database().prepare(
             "SELECT step, kind, layer, sum(busy_ns * 1.0 / ranks) FROM step_cost JOIN step "
             "USING (step)" +
             std::string(kInScope) + "AND kind IN ('kda', 'mla') GROUP BY step, kind, layer"));
  bind_scope(query, scope);
  std::map<std::int64_t, std::array<Mean, 2>> means;
  K3_TRY_VOID(store::for_each_row(query, [&](const Statement& row) -> Result<void> {
    K3_TRY(const TaskKind kind, store::enum_at<TaskKind>(row, 1));
    Mean& mean = means[row.integer(0)][kind == TaskKind::mla ? 1 : 0];
    mean.sum_ns += row.real(3);
    ++mean.count;
    return {};
  }));
  std::vector<AttentionStep> out;
  for (const store::StepRow& step : steps) {
    const auto found = means.find(step.step);
    if (found == means.end()) continue;
    out.push_back({step.step, step.phase, step.context, step.tokens, found->second[0].us(),
                   found->second[1].us()});
  }
  return out;
}

Result<AttentionSpread> attention_spread(const store::SessionReader& session, const Scope& scope) {
  K3_TRY(std::vector<store::StepRow> all, session.steps());
  const std::vector<store::StepRow> steps = chosen(std::move(all), scope);
  const std::vector<store::StepRow> used = affordable(steps);
  AttentionSpread spread;
  spread.steps = static_cast<int>(steps.size());
  spread.steps_used = static_cast<int>(used.size());
  Samples samples;
  std::map<int, PlanRecord> plans;
  for (const store::StepRow& step : used) {
    if (!plans.contains(step.plan)) {
      K3_TRY(plans[step.plan], session.plan(step.plan));
    }
    K3_TRY_VOID(add_step(session, step, plans[step.plan], samples));
  }
  for (auto& [key, ns] : samples) {
    const auto [phase, layer, kind] = key;
    if (scope.layer && layer != *scope.layer) continue;
    std::sort(ns.begin(), ns.end());
    spread.layers.push_back(
        {phase, kind, layer, quantile(ns, kLowShare) * 1e-3, quantile(ns, kHighShare) * 1e-3});
  }
  return spread;
}

}  // namespace k3::query
