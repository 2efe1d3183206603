#include "profiler/session/report_data.h"

#include <algorithm>
#include <utility>

namespace k3::session {
namespace {

Result<report::RunDetail> detail_of(const store::SessionReader& session) {
  report::RunDetail detail;
  K3_TRY(detail.summary, query::summarize(session));
  K3_TRY(detail.kinds, query::step_breakdown(session));
  K3_TRY(detail.layers, query::layer_costs(session));
  const bool decodes =
      std::any_of(detail.summary.steps.begin(), detail.summary.steps.end(),
                  [](const query::StepSummary& s) { return s.phase == Phase::decode; });
  query::TrafficFilter filter;
  filter.phase = decodes ? Phase::decode : Phase::prefill;
  K3_TRY(detail.traffic, query::traffic_matrix(session, filter));
  K3_TRY(detail.load, query::expert_loads(session));
  return detail;
}

}  // namespace

Result<report::ReportInput> report_input(const std::filesystem::path& first,
                                         const std::optional<std::filesystem::path>& second) {
  report::ReportInput input;
  K3_TRY(store::SessionReader a, store::SessionReader::open(first));
  if (!second) {
    K3_TRY(input.first, detail_of(a));
    return input;
  }
  K3_TRY(store::SessionReader b, store::SessionReader::open(*second));
  if (a.kind() != RunKind::measured && b.kind() == RunKind::measured) std::swap(a, b);
  K3_TRY(input.first, detail_of(a));
  K3_TRY(input.second, detail_of(b));
  K3_TRY(input.comparison, query::compare(a, b));
  return input;
}

}  // namespace k3::session
