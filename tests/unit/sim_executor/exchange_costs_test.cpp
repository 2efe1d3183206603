#include "sim/executor/exchange_costs.h"

#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

#include "tests/unit/sim_executor/run_builder.h"

namespace k3::sim {
namespace {

using test::simulate;
using test::TinyRun;

SimulationInput with(const TinyRun& run, NetworkModel network, LinkDetail links) {
  SimulationInput input = run.input();
  input.network = network;
  input.links = links;
  return input;
}

TinyRun decode_on_four() {
  return TinyRun(StepShape::uniform(Phase::decode, 4, 6, 20, 1));
}

/// Bytes of a step's exchanges that leave their rank, in one direction.
std::int64_t crossing(const StepRecord& step, Direction direction) {
  std::int64_t bytes = 0;
  for (const TrafficRecord& traffic : step.traffic) {
    if (traffic.direction != direction) continue;
    for (std::size_t cell = 0; cell < traffic.bytes.size(); ++cell) {
      if (cell % 5 != 0) bytes += static_cast<std::int64_t>(traffic.bytes[cell]);
    }
  }
  return bytes;
}

TEST(ExchangeCosts, ExactIsNeverBelowEndpoint) {
  const TinyRun run = decode_on_four();
  const auto exact = simulate(with(run, NetworkModel::exact, LinkDetail::none));
  const auto endpoint = simulate(with(run, NetworkModel::endpoint, LinkDetail::none));
  const auto& a = exact.steps[0].transfers;
  const auto& b = endpoint.steps[0].transfers;
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_GE(a[i].move_ns, b[i].move_ns);
  EXPECT_EQ(exact.summary.endpoint_error.exchanges, 0);
  EXPECT_EQ(endpoint.summary.endpoint_error.exchanges, 6);
  EXPECT_GE(endpoint.summary.endpoint_error.mean, 0);
  EXPECT_GE(endpoint.summary.endpoint_error.max, endpoint.summary.endpoint_error.mean);
}

TEST(ExchangeCosts, LinksCarryWhatLeavesTheRanks) {
  for (const NetworkModel network : {NetworkModel::exact, NetworkModel::endpoint}) {
    const auto run = simulate(with(decode_on_four(), network, LinkDetail::totals));
    const StepRecord& step = run.steps[0];
    std::map<Direction, std::int64_t> bytes;
    for (const LinkUseRecord& use : step.link_use) {
      EXPECT_EQ(use.layer, -1);
      EXPECT_GT(use.busy_ns, 0);
      bytes[use.direction] += use.bytes;
    }
    // Each byte takes an up-link and a down-link; per link the sums are rounded to whole bytes.
    for (const Direction direction : {Direction::dispatch, Direction::combine})
      EXPECT_LE(std::abs(bytes[direction] - 2 * crossing(step, direction)), 16);
  }
}

TEST(ExchangeCosts, LayersSumToTheTotals) {
  const auto run = simulate(with(decode_on_four(), NetworkModel::exact, LinkDetail::layers));
  std::map<std::pair<Direction, std::int32_t>, std::int64_t> totals;
  std::map<std::pair<Direction, std::int32_t>, std::int64_t> sums;
  for (const LinkUseRecord& use : run.steps[0].link_use)
    (use.layer < 0 ? totals : sums)[{use.direction, use.link}] += use.bytes;
  ASSERT_EQ(totals.size(), sums.size());
  for (const auto& [link, bytes] : totals)
    EXPECT_LE(std::abs(bytes - sums[link]), 3);
}

TEST(ExchangeCosts, CombineGoesTheOtherWayRound) {
  // What a link carries in the dispatch, its opposite carries in the combine, in longer rows.
  const auto run = simulate(with(decode_on_four(), NetworkModel::exact, LinkDetail::totals));
  const Topology topology = build_topology(decode_on_four().machine);
  std::map<std::pair<Direction, std::int32_t>, LinkUseRecord> use;
  for (const LinkUseRecord& record : run.steps[0].link_use)
    use[{record.direction, record.link}] = record;
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    for (std::size_t k = 0; k < topology.links.size(); ++k) {
      if (topology.links[i].from != topology.links[k].to ||
          topology.links[i].to != topology.links[k].from) {
        continue;
      }
      const auto& out = use[{Direction::dispatch, static_cast<std::int32_t>(i)}];
      const auto& back = use[{Direction::combine, static_cast<std::int32_t>(k)}];
      EXPECT_NEAR(static_cast<double>(back.bytes), static_cast<double>(out.bytes) * 64 / 33, 2);
      EXPECT_NEAR(static_cast<double>(back.busy_ns), static_cast<double>(out.busy_ns) * 64 / 33, 2);
    }
  }
}

TEST(ExchangeCosts, SamplesHoldTheBytesOfTheLinks) {
  const auto run = simulate(with(decode_on_four(), NetworkModel::exact, LinkDetail::samples));
  const StepRecord& step = run.steps[0];
  ASSERT_FALSE(step.link_samples.empty());
  std::map<std::int32_t, double> sampled;
  for (std::size_t i = 0; i + 1 < step.link_samples.size(); ++i) {
    const LinkSampleRecord& now = step.link_samples[i];
    const LinkSampleRecord& next = step.link_samples[i + 1];
    EXPECT_GE(now.t_ns, step.begin_ns);
    EXPECT_LE(now.t_ns, step.begin_ns + step.duration_ns);
    if (next.link != now.link) {
      EXPECT_EQ(now.bytes_per_s, 0);
      continue;
    }
    EXPECT_GT(next.t_ns, now.t_ns);
    sampled[now.link] += now.bytes_per_s * static_cast<double>(next.t_ns - now.t_ns) * 1e-9;
  }
  std::map<std::int32_t, double> totals;
  for (const LinkUseRecord& use : step.link_use) {
    if (use.layer < 0) totals[use.link] += static_cast<double>(use.bytes);
  }
  for (const auto& [link, bytes] : totals)
    EXPECT_NEAR(sampled[link], bytes, 8);
}

TEST(ExchangeCosts, NothingIsRecordedUnlessAsked) {
  EXPECT_TRUE(simulate(with(decode_on_four(), NetworkModel::exact, LinkDetail::none))
                  .steps[0]
                  .link_use.empty());
}

}  // namespace
}  // namespace k3::sim
