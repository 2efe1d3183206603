#include "profiler/figures/collect.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/core.h>

namespace k3::figures {
namespace {

Result<void> check_square(std::size_t cells, int num_ranks, const std::string& where) {
  const auto n = static_cast<std::size_t>(num_ranks < 0 ? 0 : num_ranks);
  if (cells == n * n) return {};
  return fail(
      Code::invalid_input,
      fmt::format("a traffic matrix has {} cells; {} ranks need {}", cells, num_ranks, n * n),
      where);
}

}  // namespace

Result<void> check(const Input& input) {
  K3_TRY_VOID(check_square(input.first.traffic.bytes.size(), input.first.traffic.num_ranks,
                           input.first.summary.path));
  if (input.second) {
    K3_TRY_VOID(check_square(input.second->traffic.bytes.size(), input.second->traffic.num_ranks,
                             input.second->summary.path));
  }
  if (!input.comparison || input.comparison->traffic.num_ranks == 0) return {};
  const query::TrafficComparison& traffic = input.comparison->traffic;
  K3_TRY_VOID(check_square(traffic.measured_bytes.size(), traffic.num_ranks, "comparison"));
  return check_square(traffic.simulated_bytes.size(), traffic.num_ranks, "comparison");
}

Result<RunDetail> run_detail(const store::SessionReader& session) {
  RunDetail detail;
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

Result<Input> collect(const std::filesystem::path& first,
                      const std::optional<std::filesystem::path>& second) {
  Input input;
  K3_TRY(store::SessionReader a, store::SessionReader::open(first));
  if (!second) {
    K3_TRY(input.first, run_detail(a));
    return input;
  }
  K3_TRY(store::SessionReader b, store::SessionReader::open(*second));
  if (a.kind() != RunKind::measured && b.kind() == RunKind::measured) std::swap(a, b);
  K3_TRY(input.first, run_detail(a));
  K3_TRY(input.second, run_detail(b));
  K3_TRY(input.comparison, query::compare(a, b));
  return input;
}

}  // namespace k3::figures
