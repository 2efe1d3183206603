// Time of the flow solver against SimGrid's on one byte matrix, both in this run.
// usage: simgrid_bench BYTES.csv agg|hash
// agg: one 900 GB/s up- and down-link per rank; hash: 18 planes of 50 GB/s, a pair on plane
// (source + destination) mod 18. The solver's time is the least of 7 runs; SimGrid runs once.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include <fmt/core.h>

#include "engine/text/number_table.h"
#include "sim/network/max_min.h"
#include "tests/oracle/simgrid_run.h"

namespace {

constexpr int kPlanes = 18;
constexpr int kRepeats = 7;

k3::test::FlowNetwork network_of(const k3::NumberTable& bytes, int planes) {
  k3::test::FlowNetwork network{"matrix", {}, {}, {}, {}};
  const int ranks = bytes.rows;
  network.capacity.assign(static_cast<std::size_t>(2 * ranks * planes), 900e9 / planes);
  for (int s = 0; s < ranks; ++s) {
    for (int d = 0; d < ranks; ++d) {
      if (s == d || bytes.at(s, d) < 1) continue;
      const int first = (s + d) % planes * 2 * ranks;
      network.links.push_back({first + s, first + ranks + d});
      network.bytes.push_back(std::floor(bytes.at(s, d)));
      network.start_s.push_back(0);
    }
  }
  return network;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    fmt::print(stderr, "usage: simgrid_bench BYTES.csv agg|hash\n");
    return 1;
  }
  const auto bytes = k3::read_number_table(words[1]);
  if (!bytes) {
    fmt::print(stderr, "simgrid_bench: {}\n", bytes.error().text());
    return 1;
  }
  const auto network = network_of(*bytes, std::string(words[2]) == "hash" ? kPlanes : 1);
  double wall_s = 1e300;
  k3::sim::FlowTimes times;
  for (int i = 0; i < kRepeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    times = k3::sim::solve_flows(network.problem());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    wall_s = std::min(wall_s, taken.count());
  }
  const auto simgrid = k3::test::simgrid_times({network});
  double worst = 0;
  for (std::size_t i = 0; i < times.arrival_s.size(); ++i) {
    const double expected = simgrid.arrival_s[0][i];
    worst = std::max(worst, std::abs(times.arrival_s[i] - expected) / expected);
  }
  fmt::print(
      "{:>6} flows  {:>6} events  solver {:8.3f} ms  SimGrid {:8.1f} ms  ratio {:6.0f}  "
      "largest difference {:.1e}\n",
      times.arrival_s.size(), times.events, wall_s * 1e3, simgrid.wall_s * 1e3,
      simgrid.wall_s / wall_s, worst);
  return 0;
}
