#include "sim/executor/simulation.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/hardware/topology.h"
#include "sim/compute/roofline.h"
#include "sim/network/endpoint.h"
#include "tests/unit/sim_executor/run_builder.h"

namespace k3::sim {
namespace {

using test::CollectingSink;
using test::simulate;
using test::TinyRun;
using testing::HasSubstr;

StepShape decode(int ranks, int sequences_per_rank) {
  return StepShape::uniform(Phase::decode, ranks, sequences_per_rank, 20, 1);
}

std::string error_of(const SimulationInput& input) {
  CollectingSink sink;
  const auto summary = run(input, sink);
  EXPECT_FALSE(summary.has_value());
  return summary ? "" : summary.error().text();
}

TEST(Simulation, OneRankIsTheSumOfItsKernels) {
  TinyRun tiny(decode(1, 3));
  const auto run = simulate(tiny.input());
  // Every kernel of the tiny model takes the floor of 2 us; a dispatch or combine 10 us of start-up
  // and the copy of its rows, which the record holds.
  Time expected;
  for (const Task& task : tiny.plan->tasks()) {
    if (!is_communication(task.kind)) expected += 2_us;
  }
  for (const TrafficRecord& traffic : run.steps[0].traffic) {
    expected += 10_us + Time::from_seconds(2 * static_cast<double>(traffic.bytes[0]) / 80e9);
  }
  EXPECT_EQ(run.summary.steps[0].time, expected);
  EXPECT_EQ(run.summary.steps[0].flows, 0);
  EXPECT_EQ(run.summary.steps[0].tasks, static_cast<std::int64_t>(tiny.plan->tasks().size()));
  EXPECT_EQ(run.summary.network, NetworkModel::exact);
}

TEST(Simulation, TwoRunsAreEqual) {
  const TinyRun tiny(decode(4, 5), 2);
  const auto first = simulate(tiny.input());
  const auto second = simulate(tiny.input());
  for (std::size_t s = 0; s < 2; ++s) {
    EXPECT_EQ(first.summary.steps[s].time, second.summary.steps[s].time);
    const auto& a = first.steps[s].spans;
    const auto& b = second.steps[s].spans;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].begin_ns, b[i].begin_ns);
      EXPECT_EQ(a[i].duration_ns, b[i].duration_ns);
      EXPECT_EQ(a[i].task, b[i].task);
      EXPECT_EQ(a[i].bytes, b[i].bytes);
    }
  }
}

TEST(Simulation, MoreWorkTakesLonger) {
  TinyRun small(decode(2, 64));
  TinyRun large(decode(2, 128));
  for (TinyRun* tiny : {&small, &large}) {
    tiny->machine.roofline.kernel_floor = {};
    tiny->machine.roofline.transfer_start = {};
    tiny->machine.link_latency = {};
  }
  const SimulatedStep one = simulate(small.input()).summary.steps[0];
  const SimulatedStep two = simulate(large.input()).summary.steps[0];
  EXPECT_GT(two.time, one.time);
  const auto kda = static_cast<std::size_t>(TaskKind::kda);
  EXPECT_GT(two.breakdown.busy[kda], one.breakdown.busy[kda]);
  EXPECT_LT(two.breakdown.busy[kda], one.breakdown.busy[kda] * 2);  // weights are read once
}

TEST(Simulation, NoStepBeatsItsBounds) {
  const TinyRun tiny(decode(4, 40));
  const auto run = simulate(tiny.input());
  const Time step = run.summary.steps[0].time;
  double network = 0;
  for (const TrafficRecord& traffic : run.steps[0].traffic) {
    network += endpoint_bound_seconds({traffic.num_ranks, traffic.bytes}, tiny.machine);
  }
  std::vector<Time> compute(4);
  for (const Span& span : run.steps[0].spans) {
    if (span.category != SpanCategory::compute) continue;
    const int rank = tiny.plan->tasks()[static_cast<std::size_t>(span.task)].rank;
    const TaskWork work{.flops = span.flops, .bytes_read = span.bytes, .rate = NumberFormat::fp8};
    compute[static_cast<std::size_t>(rank)] +=
        roofline_cost(work, tiny.machine, tiny.execution).lower;
  }
  for (const Time rank : compute) {
    EXPECT_GT(rank, Time{});
    EXPECT_GE(step, rank + Time::from_seconds(network));
  }
}

TEST(Simulation, BreakdownSumsToTheStep) {
  TinyRun tiny(decode(4, 5), 3);
  const auto run = simulate(tiny.input());
  double sum = 0;
  for (const auto& [name, ms] : run.summary.breakdown_ms())
    sum += ms;
  EXPECT_NEAR(sum, run.summary.step_ms(), 1e-12);
  EXPECT_EQ(run.summary.breakdown_ms().back().first, "wait");
  EXPECT_GT(run.summary.breakdown_ms().size(), 8U);
}

TEST(Simulation, PrefillThenDecode) {
  const TinyRun prefill(StepShape::uniform(Phase::prefill, 2, 2, 0, 16));
  const TinyRun decode_run(StepShape::uniform(Phase::decode, 2, 2, 16, 1));
  SimulationInput input = decode_run.input();
  input.phases.clear();
  input.phases.push_back({.plan = *prefill.plan, .steps = 1});
  input.phases.push_back({.plan = *decode_run.plan, .steps = 3});
  const auto run = simulate(input);
  ASSERT_EQ(run.steps.size(), 4U);
  EXPECT_EQ(run.steps[0].phase, Phase::prefill);
  EXPECT_EQ(run.steps[0].plan, 0);
  EXPECT_EQ(run.steps[0].tokens, 64);
  for (int s = 1; s < 4; ++s) {
    const StepRecord& step = run.steps[static_cast<std::size_t>(s)];
    const StepRecord& before = run.steps[static_cast<std::size_t>(s - 1)];
    EXPECT_EQ(step.step, s);
    EXPECT_EQ(step.plan, 1);
    EXPECT_EQ(step.context, 16 + s - 1);
    EXPECT_EQ(step.begin_ns, before.begin_ns + before.duration_ns);
  }
  double decode_ms = 0;
  for (int s = 1; s < 4; ++s)
    decode_ms += run.summary.steps[static_cast<std::size_t>(s)].time.ms();
  EXPECT_NEAR(run.summary.step_ms(), decode_ms / 3, 1e-12);
}

TEST(Simulation, EmptyRanksAndEmptyStepsRun) {
  StepShape shape = decode(3, 4);
  std::erase_if(shape.sequences, [](const SequenceShape& s) { return s.rank == 1; });
  const auto partly = simulate(TinyRun(shape).input());
  EXPECT_GT(partly.summary.steps[0].flows, 0);
  shape.sequences.clear();
  const auto empty = simulate(TinyRun(shape).input());
  EXPECT_EQ(empty.summary.steps[0].flows, 0);
  EXPECT_EQ(empty.steps[0].tokens, 0);
  EXPECT_GT(empty.summary.steps[0].time, Time{});  // kernels of a graph run without tokens, too
}

TEST(Simulation, RefusesWhatDoesNotBelongTogether) {
  TinyRun tiny(decode(4, 1));
  tiny.machine.num_gpus = 3;
  EXPECT_THAT(error_of(tiny.input()), HasSubstr("4 ranks; machine tiny has 3 GPUs"));
  tiny.machine.num_gpus = 4;
  tiny.machine.plane_links = {};
  EXPECT_THAT(error_of(tiny.input()), HasSubstr("states no links"));
  tiny.machine.plane_links = {1, 1};
  tiny.machine.gpu.memory_bandwidth = {};
  EXPECT_THAT(error_of(tiny.input()), HasSubstr("a rate or an efficiency of 0"));
  tiny.machine.gpu.memory_bandwidth = {1e11};
  tiny.placement = Placement::contiguous(3, 8, 2);
  EXPECT_THAT(error_of(tiny.input()), HasSubstr("placement of 2 ranks, plan of 4"));
  tiny.placement = Placement::contiguous(2, 8, 4);
  EXPECT_THAT(error_of(tiny.input()), HasSubstr("placement of 2 layers"));
  tiny.placement = Placement::contiguous(3, 8, 4);
  SimulationInput input = tiny.input();
  input.phases.clear();
  EXPECT_THAT(error_of(input), HasSubstr("no steps"));
}

std::vector<Fault> faults(std::initializer_list<const char*> texts) {
  std::vector<Fault> parsed;
  for (const char* text : texts)
    parsed.push_back(*parse_fault(text));
  return parsed;
}

/// Sum of the spans of a rank that are no communication, in the first step.
std::int64_t kernel_ns(const TinyRun& tiny, int rank) {
  const auto run = simulate(tiny.input());
  std::int64_t sum = 0;
  for (const Span& span : run.steps[0].spans) {
    if (span.task < 0) continue;
    const Task& done = tiny.plan->tasks()[static_cast<std::size_t>(span.task)];
    if (done.rank == rank && !is_communication(done.kind)) sum += span.duration_ns;
  }
  return sum;
}

TEST(Simulation, SlowGpusTakeAsMuchLongerOverEveryKernel) {
  TinyRun tiny(decode(3, 4));
  const std::int64_t healthy = kernel_ns(tiny, 1);
  tiny.machine = *with_faults(std::move(tiny.machine), faults({"gpu1.compute=0.5"}));
  EXPECT_EQ(kernel_ns(tiny, 1), 2 * healthy);
  EXPECT_EQ(kernel_ns(tiny, 0), kernel_ns(TinyRun(decode(3, 4)), 0));
}

TEST(Simulation, RanksRunOnTheGpusThatAreLeft) {
  TinyRun tiny(decode(3, 4));
  tiny.machine.num_gpus = 4;
  const std::int64_t healthy = kernel_ns(tiny, 1);
  tiny.machine = *with_faults(std::move(tiny.machine), faults({"gpu1=gone", "gpu2.compute=0.5"}));
  EXPECT_EQ(kernel_ns(tiny, 1), 2 * healthy);  // rank 1 is on gpu 2
}

TEST(Simulation, NamesTheFaultsThatLeaveTooFewGpus) {
  TinyRun tiny(decode(4, 1));
  tiny.machine = *with_faults(std::move(tiny.machine), faults({"gpu3=gone"}));
  EXPECT_THAT(error_of(tiny.input()),
              HasSubstr("4 ranks; machine tiny has 3 GPUs left after gpu3=gone, at most one rank"));
  tiny.machine.faults.clear();
  tiny.machine = *with_faults(std::move(tiny.machine), faults({"gpu2:plane0=0", "gpu2:plane1=0"}));
  EXPECT_THAT(error_of(tiny.input()),
              HasSubstr("gpu2 of tiny has no link left to the planes of its rack; a GPU that "
                        "cannot be reached is gpu2=gone"));
}

TEST(Simulation, RefusesTimesBeyondTheClock) {
  TinyRun tiny(decode(2, 1));
  tiny.machine.link_bandwidth = {1e-9};
  EXPECT_THAT(error_of(tiny.input()), HasSubstr("more than 106 days"));
}

TEST(Simulation, CancellingKeepsTheStepsBefore) {
  /// Stops the run while it is handed its second step.
  class StoppingSink final : public TraceSink {
   public:
    explicit StoppingSink(Progress& progress) : progress_(progress) {}

    Result<void> begin(const RunHeader& /*header*/) override { return {}; }

    Result<void> step(const StepRecord& /*step*/) override {
      if (++steps == 2) progress_.cancelled = true;
      return {};
    }

    Result<void> finish() override { return {}; }

    int steps = 0;

   private:
    Progress& progress_;
  };

  const TinyRun tiny(decode(2, 1), 5);
  Progress progress;
  SimulationInput input = tiny.input();
  input.progress = &progress;
  StoppingSink sink(progress);
  const auto summary = run(input, sink);
  ASSERT_FALSE(summary.has_value());
  EXPECT_EQ(summary.error().code, Code::cancelled);
  EXPECT_EQ(sink.steps, 2);
  EXPECT_EQ(progress.total, 5 * static_cast<std::int64_t>(tiny.plan->tasks().size()));
}

}  // namespace
}  // namespace k3::sim
