// Completion times per flow against SimGrid, whose maximum-minimum solver shares nothing with ours.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "engine/base/rng.h"
#include "sim/network/max_min.h"
#include "tests/oracle/simgrid_run.h"

namespace k3::sim {
namespace {

using test::FlowNetwork;

int below(Rng& rng, int end) {
  return static_cast<int>(rng.uniform() * end);
}

/// Flows over up to five links of a network without any structure.
FlowNetwork random_graph(Rng rng, int num_links, int num_flows) {
  FlowNetwork network{fmt::format("graph-{}-{}", num_links, num_flows), {}, {}, {}, {}};
  for (int i = 0; i < num_links; ++i)
    network.capacity.push_back(std::exp(2 * rng.uniform()) * 1e9);
  for (int i = 0; i < num_flows; ++i) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(num_links));
    std::iota(all.begin(), all.end(), 0);
    const auto count = static_cast<std::size_t>(1 + below(rng, std::min(5, num_links)));
    for (std::size_t k = 0; k < count; ++k) {
      std::swap(all[k],
                all[k + static_cast<std::size_t>(below(rng, num_links - static_cast<int>(k)))]);
    }
    all.resize(count);
    network.links.push_back(all);
    network.bytes.push_back(std::floor(std::exp(3 * rng.uniform()) * 1e6));
    network.start_s.push_back(below(rng, 2) == 0 ? 0 : rng.uniform() * 5e-3);
  }
  return network;
}

/// One plane with uneven links, every pair another size.
FlowNetwork random_all_to_all(Rng rng, int ranks) {
  FlowNetwork network{fmt::format("all-to-all-{}", ranks), {}, {}, {}, {}};
  for (int i = 0; i < 2 * ranks; ++i)
    network.capacity.push_back((below(rng, 4) == 0 ? 25 : 50) * 1e9);
  for (int s = 0; s < ranks; ++s) {
    for (int d = 0; d < ranks; ++d) {
      if (s == d) continue;
      network.links.push_back({s, ranks + d});
      network.bytes.push_back(std::floor(std::exp(2 * rng.uniform()) * 1e5));
      network.start_s.push_back(0);
    }
  }
  return network;
}

TEST(SimGrid, GivesTheSameCompletionTimes) {
  std::vector<FlowNetwork> networks;
  const Rng rng(7);
  for (int i = 0; i < 12; ++i)
    networks.push_back(random_graph(rng.split(static_cast<std::uint64_t>(i)), 3 + i, 5 + 4 * i));
  networks.push_back(random_graph(rng.split("large"), 60, 400));
  networks.push_back(random_all_to_all(rng.split("small"), 9));
  networks.push_back(random_all_to_all(rng.split("tray"), 36));
  const test::SimGridTimes expected = test::simgrid_times(networks);
  for (std::size_t i = 0; i < networks.size(); ++i) {
    const FlowTimes times = solve_flows(networks[i].problem());
    double worst = 0;
    for (std::size_t flow = 0; flow < times.arrival_s.size(); ++flow) {
      const double arrival = expected.arrival_s[i][flow];
      worst = std::max(worst, std::abs(times.arrival_s[flow] - arrival) / arrival);
    }
    EXPECT_LT(worst, 1e-9) << networks[i].name;
  }
}

}  // namespace
}  // namespace k3::sim
