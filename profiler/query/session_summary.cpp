#include "profiler/query/session_summary.h"

#include "profiler/store/row_values.h"
#include "profiler/store/schema.h"

namespace k3::query {
namespace {

using store::Statement;

Result<std::vector<PlanSummary>> plans_of(const store::SessionReader& session) {
  K3_TRY(Statement query, session.database().prepare(
                              "SELECT plan_id, hash, phase, num_tasks FROM plan ORDER BY plan_id"));
  std::vector<PlanSummary> plans;
  K3_TRY_VOID(store::for_each_row(query, [&](const Statement& row) -> Result<void> {
    K3_TRY(const Phase phase, store::enum_at<Phase>(row, 2));
    plans.push_back(
        {static_cast<int>(row.integer(0)), std::string(row.text(1)), phase, row.integer(3)});
    return {};
  }));
  return plans;
}

Result<std::vector<MemorySummary>> memory_of(const store::SessionReader& session) {
  K3_TRY(Statement query,
         session.database().prepare("SELECT what, max(bytes), sum(bytes) FROM memory "
                                    "GROUP BY what ORDER BY 2 DESC, 1"));
  std::vector<MemorySummary> memory;
  K3_TRY_VOID(store::for_each_row(query, [&](const Statement& row) -> Result<void> {
    memory.push_back({std::string(row.text(0)), row.integer(1), row.integer(2)});
    return {};
  }));
  return memory;
}

}  // namespace

Result<SessionSummary> summarize(const store::SessionReader& session) {
  SessionSummary summary;
  summary.path = session.path().string();
  summary.kind = session.kind();
  summary.complete = session.is_complete();
  summary.num_ranks = session.num_ranks();
  summary.warning = session.warning();
  K3_TRY(summary.meta, session.meta());
  std::string cores;
  for (const auto& [key, value] : summary.meta) {
    if (key == store::kMetaTitle) summary.title = value;
    if (key == store::kMetaScenario) summary.scenario = value;
    if (key == store::kMetaModel) summary.model = value;
    if (key == store::kMetaMachine) summary.machine = value;
    if (key == store::kMetaProcessor) summary.processor = value;
    if (key == store::kMetaCores) cores = value;
  }
  if (!summary.processor.empty()) summary.processor = cores + " cores of " + summary.processor;
  K3_TRY(const auto steps, session.steps());
  for (const store::StepRow& step : steps) {
    summary.num_spans += step.num_spans;
    summary.steps.push_back({.step = step.step,
                             .plan = step.plan,
                             .phase = step.phase,
                             .sequences = step.sequences,
                             .tokens = step.tokens,
                             .context = step.context,
                             .begin_ns = step.begin_ns,
                             .duration_ns = step.duration_ns});
  }
  K3_TRY(summary.plans, plans_of(session));
  K3_TRY(summary.memory, memory_of(session));
  return summary;
}

}  // namespace k3::query
