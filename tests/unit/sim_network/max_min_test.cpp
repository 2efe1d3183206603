#include "sim/network/max_min.h"

#include <array>

#include <gtest/gtest.h>

namespace k3::sim {
namespace {

using Links = std::vector<std::int32_t>;

std::int32_t add(FlowProblem& problem, const Links& links, double bytes, double start_s = 0) {
  return problem.add({.links = links, .bytes = bytes, .start_s = start_s, .after = {}});
}

TEST(MaxMin, HeldFlowLeavesItsShareToOthers) {
  // Link 0 carries 10, link 1 carries 4. Both flows of link 1 get 2, so that link 0 has 8 left.
  FlowProblem problem({10, 4});
  add(problem, {0, 1}, 1);
  add(problem, {0}, 1);
  add(problem, {1}, 1);
  EXPECT_EQ(max_min_rates(problem), (std::vector<double>{2, 8, 2}));
}

TEST(MaxMin, LinkOfHeldFlowsOnlyIsNotOverloaded) {
  // Shares at first 1, 10 / 2 and 8. Flow 0 leaves 9 of link 1 to flow 1, which is more than link
  // 2, later in the order, can carry.
  FlowProblem problem({1, 10, 8});
  add(problem, {0, 1}, 1);
  add(problem, {1, 2}, 1);
  EXPECT_EQ(max_min_rates(problem), (std::vector<double>{1, 8}));
}

TEST(MaxMin, RatesChangeWhenFlowEnds) {
  // 5 + 5 until 10 bytes are through at 2 s; then the other 20 of 30 at 10 per second.
  FlowProblem problem({10});
  add(problem, {0}, 10);
  add(problem, {0}, 30);
  const FlowTimes times = solve_flows(problem);
  EXPECT_EQ(times.arrival_s, (std::vector<double>{2, 4}));
  EXPECT_EQ(times.makespan_s(), 4);
  EXPECT_EQ(times.events, 2);
}

TEST(MaxMin, RatesChangeWhenFlowStarts) {
  // 10 bytes alone in the first second, then 5 + 5: both have 10 left.
  FlowProblem problem({10});
  add(problem, {0}, 20);
  add(problem, {0}, 10, 1);
  const FlowTimes times = solve_flows(problem);
  EXPECT_EQ(times.arrival_s, (std::vector<double>{3, 3}));
  EXPECT_EQ(times.start_s, (std::vector<double>{0, 1}));
}

TEST(MaxMin, IdleBetweenFlows) {
  FlowProblem problem({10});
  add(problem, {0}, 10);
  add(problem, {0}, 10, 5);
  EXPECT_EQ(solve_flows(problem).arrival_s, (std::vector<double>{1, 6}));
}

TEST(MaxMin, FlowWaitsForOthersAndTheirLatency) {
  FlowProblem problem({10, 10});
  const Links first{0};
  const Links second{1};
  const std::int32_t a = problem.add({.links = first, .bytes = 10, .latency_s = 0.5, .after = {}});
  const std::int32_t b =
      problem.add({.links = second, .bytes = 40, .latency_s = 0.25, .after = {}});
  const std::array<std::int32_t, 1> one{a};
  const std::array<std::int32_t, 2> both{a, b};
  problem.add({.links = second, .bytes = 10, .after = one});
  problem.add({.links = first, .bytes = 10, .after = both});
  // b runs alone until 1.5 (15 of 40 bytes); then it shares until the third flow's 10 are through
  // at 3.5 (25 of 40), and ends at 5; the last starts at 5.25.
  const FlowTimes times = solve_flows(problem);
  EXPECT_EQ(times.arrival_s, (std::vector<double>{1.5, 5.25, 3.5, 6.25}));
  EXPECT_EQ(times.start_s, (std::vector<double>{0, 0, 1.5, 5.25}));
}

TEST(MaxMin, MulticastRunsAtTheSlowestBranch) {
  // One copy on the up-link, one on each down-link; down-link 2 is shared with a plain flow.
  FlowProblem problem({100, 50, 40, 100});
  add(problem, {0, 1, 2}, 20);
  add(problem, {3, 2}, 20);
  EXPECT_EQ(max_min_rates(problem), (std::vector<double>{20, 20}));
  EXPECT_EQ(solve_flows(problem).arrival_s, (std::vector<double>{1, 1}));
}

TEST(MaxMin, FlowsOfOnePathCountSeparately) {
  FlowProblem problem({30});
  for (const double bytes : {10.0, 10.0, 40.0})
    add(problem, {0}, bytes);
  // 10 each until 1 s; the last has 30 left at 30 per second.
  EXPECT_EQ(solve_flows(problem).arrival_s, (std::vector<double>{1, 1, 2}));
}

TEST(MaxMin, NothingTakesNoTime) {
  const FlowProblem problem({10});
  EXPECT_EQ(solve_flows(problem).makespan_s(), 0);
  EXPECT_TRUE(max_min_rates(problem).empty());
}

TEST(MaxMin, ThreadsDoNotChangeTheResult) {
  FlowProblem problem(std::vector<double>(200, 3));
  for (std::int32_t i = 0; i < 1000; ++i)
    add(problem, {i % 100, 100 + (i * 7 + i / 100) % 100}, 1 + i % 13);
  EXPECT_EQ(solve_flows(problem, {.threads = 1}).arrival_s,
            solve_flows(problem, {.threads = 4}).arrival_s);
}

}  // namespace
}  // namespace k3::sim
