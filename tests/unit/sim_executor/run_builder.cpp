#include "tests/unit/sim_executor/run_builder.h"

#include <utility>

#include <gtest/gtest.h>

#include "tests/support/tiny_machine.h"
#include "tests/support/tiny_model.h"

namespace k3::test {

TinyRun::TinyRun(StepShape first, int count)
    : model(tiny_model()),
      machine(tiny_machine(first.num_ranks)),
      shape(std::move(first)),
      steps(count),
      placement(Placement::contiguous(3, 8, shape.num_ranks)) {
  const RoutingShape routing_shape{3, 8, 2};
  routing = make_popularity_routing(routing_shape, lognormal_popularity(routing_shape, 0.5, 1), 1);
  set_execution({});
}

void TinyRun::set_execution(const ExecutionSpec& spec) {
  execution = spec;
  plan = std::make_unique<const Plan>(
      Plan::build({.model = model, .execution = execution, .shape = shape}));
}

sim::SimulationInput TinyRun::input() const {
  return {.model = model,
          .machine = machine,
          .precision = precision,
          .execution = execution,
          .placement = placement,
          .routing = *routing,
          .phases = {{.plan = *plan, .steps = steps}}};
}

FinishedRun simulate(const sim::SimulationInput& input) {
  CollectingSink sink;
  auto summary = sim::run(input, sink);
  EXPECT_TRUE(summary.has_value()) << (summary ? "" : summary.error().text());
  if (!summary) return {};
  return {*std::move(summary), std::move(sink.steps)};
}

}  // namespace k3::test
