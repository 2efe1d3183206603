#include "profiler/figures/collect.h"

#include <algorithm>
#include <cstddef>
#include <span>
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

bool asks(const Question& question, Part part) {
  return std::find(question.parts.begin(), question.parts.end(), part) != question.parts.end();
}

/// Both directions and their sum over `steps`.
Result<void> ask_traffic(const store::SessionReader& session,
                         const Question& question,
                         std::span<const int> steps,
                         RunDetail& detail) {
  query::TrafficSum& total = detail.traffic;
  const auto ranks = static_cast<std::size_t>(session.num_ranks());
  total.num_ranks = session.num_ranks();
  for (auto* cells : {&total.copies, &total.rows, &total.bytes})
    cells->assign(ranks * ranks, 0);
  for (const Direction direction : {Direction::dispatch, Direction::combine}) {
    if (question.direction && *question.direction != direction) continue;
    query::TrafficSum& part = detail.exchanges[static_cast<std::size_t>(direction)];
    K3_TRY(part,
           query::traffic_matrix(
               session,
               {.step = {}, .layer = question.scope.layer, .direction = direction, .phase = {}},
               steps));
    total.exchanges += part.exchanges;
    for (std::size_t i = 0; i < total.bytes.size(); ++i) {
      total.copies[i] += part.copies[i];
      total.rows[i] += part.rows[i];
      total.bytes[i] += part.bytes[i];
    }
  }
  return {};
}

Result<RunDetail> detail_of(const store::SessionReader& session,
                            const Question& question,
                            std::span<const int> steps) {
  RunDetail detail;
  K3_TRY(detail.summary, query::summarize(session));
  K3_TRY(const RunHeader header, session.header());
  detail.gpus_per_tray = header.gpus_per_tray;
  if (asks(question, Part::costs)) {
    K3_TRY(detail.kinds, query::step_breakdown(session, question.scope));
    K3_TRY(detail.layers, query::layer_costs(session, question.scope));
  }
  if (asks(question, Part::attention)) {
    K3_TRY(detail.attention, query::attention_steps(session, question.scope));
    K3_TRY(detail.spread, query::attention_spread(session, question.scope));
  }
  if (asks(question, Part::traffic)) {
    K3_TRY_VOID(ask_traffic(session, question, steps, detail));
  }
  if (asks(question, Part::load)) {
    K3_TRY(detail.load, query::expert_loads(session, question.scope));
  }
  return detail;
}

Result<std::vector<int>> steps_in(const store::SessionReader& session, const query::Scope& scope) {
  K3_TRY(const auto all, session.steps());
  std::vector<int> steps;
  for (const store::StepRow& step : all) {
    if (scope.phase && step.phase != *scope.phase) continue;
    if (scope.step && step.step != *scope.step) continue;
    steps.push_back(step.step);
  }
  return steps;
}

Result<void> ask_pair(const store::SessionReader& a,
                      const store::SessionReader& b,
                      const Question& question,
                      Input& input) {
  K3_TRY(const query::CommonSteps steps, query::common_steps(a, b, question.scope));
  Question beside = question;
  if (question.scope.step && !steps.b.empty()) beside.scope.step = steps.b.front();
  K3_TRY(input.first, detail_of(a, question, steps.a));
  K3_TRY(input.second, detail_of(b, beside, steps.b));
  if (asks(question, Part::comparison)) {
    K3_TRY(input.comparison, query::compare(a, b, question.scope));
  } else {
    input.comparison.emplace();
  }
  if (asks(question, Part::traffic)) {
    input.comparison->traffic = query::compared(input.first.traffic, input.second->traffic);
  }
  return {};
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

Result<Input> collect(const store::SessionReader& first,
                      const store::SessionReader* second,
                      const Question& question) {
  Input input;
  input.scope = question.scope;
  input.direction = question.direction;
  if (second != nullptr) {
    K3_TRY_VOID(ask_pair(first, *second, question, input));
    return input;
  }
  K3_TRY(const std::vector<int> steps, steps_in(first, question.scope));
  K3_TRY(input.first, detail_of(first, question, steps));
  return input;
}

Result<Input> collect(const std::filesystem::path& first,
                      const std::optional<std::filesystem::path>& second) {
  K3_TRY(store::SessionReader a, store::SessionReader::open(first));
  if (!second) return collect(a, nullptr);
  K3_TRY(store::SessionReader b, store::SessionReader::open(*second));
  if (a.kind() != RunKind::measured && b.kind() == RunKind::measured) std::swap(a, b);
  return collect(a, &b);
}

}  // namespace k3::figures
