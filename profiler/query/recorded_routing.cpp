#include "profiler/query/recorded_routing.h"

#include <algorithm>

#include <fmt/core.h>

#include "profiler/store/row_values.h"

namespace k3::query {
namespace {

Result<StepRouting> step_routing(int step, const std::vector<RoutingRecord>& layers) {
  const RoutingRecord& first = layers.front();
  StepRouting routing(static_cast<int>(layers.size()), first.num_tokens, first.top_k);
  auto out = routing.experts.begin();
  for (const RoutingRecord& layer : layers) {
    if (layer.num_tokens != first.num_tokens || layer.top_k != first.top_k) {
      return store::damaged(fmt::format(
          "step {} has {} choices of {} in layer {}, {} of {} in layer {}", step, first.num_tokens,
          first.top_k, first.layer, layer.num_tokens, layer.top_k, layer.layer));
    }
    out = std::copy(layer.experts.begin(), layer.experts.end(), out);
  }
  return routing;
}

}  // namespace

Result<std::vector<StepRouting>> read_routing(const store::SessionReader& session) {
  K3_TRY(const auto steps, session.steps());
  std::vector<StepRouting> out;
  for (const store::StepRow& step : steps) {
    K3_TRY(const auto layers, session.routing(step.step));
    if (layers.empty()) {
      return fail(
          Code::not_found,
          fmt::format("step {} holds no expert choices; runs of K3Rack record them", step.step),
          session.path().string());
    }
    K3_TRY(StepRouting routing, step_routing(step.step, layers));
    out.push_back(std::move(routing));
  }
  if (out.empty()) return fail(Code::not_found, "holds no steps", session.path().string());
  return out;
}

}  // namespace k3::query
