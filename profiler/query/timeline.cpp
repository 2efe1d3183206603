#include "profiler/query/timeline.h"

#include <fmt/core.h>

namespace k3::query {

Result<Timeline> timeline(const store::SessionReader& session, int step) {
  K3_TRY(const auto rows, session.steps());
  for (const store::StepRow& row : rows) {
    if (row.step != step) continue;
    Timeline timeline{.step = step,
                      .begin_ns = row.begin_ns,
                      .duration_ns = row.duration_ns,
                      .lanes = {},
                      .names = {},
                      .tasks = {},
                      .spans = {}};
    K3_TRY(timeline.lanes, session.lanes());
    K3_TRY(timeline.names, session.names());
    K3_TRY(timeline.spans, session.spans(row));
    // NOTE: spans() lets tasks through only where there is a plan; imported runs have none.
    if (Result<PlanRecord> plan = session.plan(row.plan)) {
      timeline.tasks = std::move(plan->tasks);
    } else if (plan.error().code != Code::not_found) {
      return tl::unexpected(std::move(plan).error());
    }
    return timeline;
  }
  return fail(Code::not_found,
              rows.empty() ? "holds no steps"
                           : fmt::format("no step {}; steps {} to {} are there", step,
                                         rows.front().step, rows.back().step),
              session.path().string());
}

}  // namespace k3::query
