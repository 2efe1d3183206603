#pragma once

#include <memory>
#include <vector>

#include "sim/executor/simulation.h"

namespace k3::test {

/// Keeps every step in memory.
class CollectingSink final : public TraceSink {
 public:
  Result<void> begin(const RunHeader& /*header*/) override { return {}; }

  Result<void> step(const StepRecord& step) override {
    steps.push_back(step);
    return {};
  }

  Result<void> finish() override { return {}; }

  std::vector<StepRecord> steps;
};

/// Everything that a simulation of the tiny model refers to: eight experts in three MoE layers,
/// float32 nowhere, drawn from a log-normal popularity. Change what a test is about, then ask for
/// `input`.
struct TinyRun {
  explicit TinyRun(StepShape shape, int steps = 1);

  /// Rebuilds what depends on the execution settings.
  void set_execution(const ExecutionSpec& spec);

  sim::SimulationInput input() const;

  ModelConfig model;
  Machine machine;
  PrecisionSpec precision;
  ExecutionSpec execution;
  StepShape shape;
  int steps = 1;
  Placement placement;
  std::unique_ptr<Routing> routing;
  std::unique_ptr<const Plan> plan;
};

/// Runs it; the test fails when the run does.
struct FinishedRun {
  sim::SimulationSummary summary;
  std::vector<StepRecord> steps;
};

FinishedRun simulate(const sim::SimulationInput& input);

}  // namespace k3::test
