#include "profiler/report/report.h"

#include <cstddef>

#include <fmt/core.h>

#include "profiler/report/view_internal.h"

namespace k3::report {
namespace {

Result<void> check_square(std::size_t cells, int num_ranks, const std::string& where) {
  const auto n = static_cast<std::size_t>(num_ranks < 0 ? 0 : num_ranks);
  if (cells == n * n) return {};
  return fail(
      Code::invalid_input,
      fmt::format("a traffic matrix has {} cells; {} ranks need {}", cells, num_ranks, n * n),
      where);
}

Result<void> check(const ReportInput& input) {
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

}  // namespace

Result<std::string> render_report(const ReportInput& input) {
  K3_TRY_VOID(check(input));
  const ReportView view = view_of(input);
  return page(view, {step_figure(view), layer_figure(view), traffic_figure(view), load_figure(view),
                     error_figure(view)});
}

}  // namespace k3::report
