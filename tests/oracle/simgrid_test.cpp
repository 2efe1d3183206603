// Completion times per flow against SimGrid, whose maximum-minimum solver shares nothing with ours.
// Its defaults model TCP; the settings below make it pure max-min sharing.

#include <chrono>
#include <cmath>
#include <numeric>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <simgrid/s4u.hpp>

#include "engine/base/rng.h"
#include "sim/network/max_min.h"

namespace k3::sim {
namespace {

namespace sg4 = simgrid::s4u;

struct Network {
  std::string name;
  std::vector<double> capacity;
  std::vector<std::vector<std::int32_t>> links;  ///< per flow
  std::vector<double> bytes;
  std::vector<double> start_s;
};

int below(Rng& rng, int end) {
  return static_cast<int>(rng.uniform() * end);
}

/// Flows over up to five links of a network without any structure.
Network random_graph(Rng rng, int num_links, int num_flows) {
  Network network{fmt::format("graph-{}-{}", num_links, num_flows), {}, {}, {}, {}};
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
    network.bytes.push_back(std::exp(3 * rng.uniform()) * 1e6);
    network.start_s.push_back(below(rng, 2) == 0 ? 0 : rng.uniform() * 5e-3);
  }
  return network;
}

/// One plane with uneven links, every pair another size.
Network random_all_to_all(Rng rng, int ranks) {
  Network network{fmt::format("all-to-all-{}", ranks), {}, {}, {}, {}};
  for (int i = 0; i < 2 * ranks; ++i)
    network.capacity.push_back((below(rng, 4) == 0 ? 25 : 50) * 1e9);
  for (int s = 0; s < ranks; ++s) {
    for (int d = 0; d < ranks; ++d) {
      if (s == d) continue;
      network.links.push_back({s, ranks + d});
      network.bytes.push_back(std::exp(2 * rng.uniform()) * 1e5);
      network.start_s.push_back(0);
    }
  }
  return network;
}

/// Adds a network's links and, per flow, two hosts with its route; completions go to `done`.
void add_to(sg4::NetZone& zone, const Network& network, std::vector<double>& done) {
  std::vector<sg4::Link*> links;
  for (std::size_t i = 0; i < network.capacity.size(); ++i) {
    links.push_back(
        zone.create_link(fmt::format("{}-link-{}", network.name, i), network.capacity[i])
            ->set_latency(0)
            ->seal());
  }
  done.resize(network.links.size());
  for (std::size_t flow = 0; flow < network.links.size(); ++flow) {
    const std::string name = fmt::format("{}-{}", network.name, flow);
    sg4::Host* from = zone.create_host(name + "-from", 1e9)->seal();
    sg4::Host* to = zone.create_host(name + "-to", 1e9)->seal();
    std::vector<sg4::LinkInRoute> route;
    for (const std::int32_t link : network.links[flow])
      route.emplace_back(links[static_cast<std::size_t>(link)]);
    zone.add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
    const double bytes = network.bytes[flow];
    const double start_s = network.start_s[flow];
    sg4::Actor::create(name + "-sender", from, [name, bytes, start_s] {
      static int payload = 0;
      if (start_s > 0) sg4::this_actor::sleep_until(start_s);
      sg4::Mailbox::by_name(name)->put(&payload, static_cast<std::uint64_t>(bytes));
    });
    sg4::Actor::create(name + "-receiver", to, [name, &done, flow] {
      sg4::Mailbox::by_name(name)->get<int>();
      done[flow] = sg4::Engine::get_clock();
    });
  }
}

TEST(SimGrid, GivesTheSameCompletionTimes) {
  std::vector<Network> networks;
  const Rng rng = Rng(7);
  for (std::uint64_t i = 0; i < 12; ++i)
    networks.push_back(
        random_graph(rng.split(i), 3 + static_cast<int>(i), 5 + 4 * static_cast<int>(i)));
  networks.push_back(random_graph(rng.split("large"), 60, 400));
  networks.push_back(random_all_to_all(rng.split("small"), 9));
  networks.push_back(random_all_to_all(rng.split("tray"), 36));
  for (Network& network : networks) {
    for (double& bytes : network.bytes)
      bytes = std::floor(bytes);  // SimGrid takes whole bytes
  }

  std::vector<std::string> words{"oracle", "--log=root.thres:critical"};
  for (const char* setting :
       {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "network/weight-S:0",
        "network/bandwidth-factor:1", "network/latency-factor:1", "surf/precision:1e-15"}) {
    words.push_back(fmt::format("--cfg={}", setting));
  }
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  sg4::Engine engine(&count, arguments.data());
  sg4::NetZone* zone = sg4::create_full_zone("zone");
  std::vector<std::vector<double>> done(networks.size());
  for (std::size_t i = 0; i < networks.size(); ++i)
    add_to(*zone, networks[i], done[i]);
  zone->seal();
  engine.run();

  for (std::size_t i = 0; i < networks.size(); ++i) {
    const Network& network = networks[i];
    FlowProblem problem(network.capacity);
    for (std::size_t flow = 0; flow < network.links.size(); ++flow) {
      problem.add({.links = network.links[flow],
                   .bytes = network.bytes[flow],
                   .start_s = network.start_s[flow],
                   .after = {}});
    }
    const FlowTimes times = solve_flows(problem);
    double worst = 0;
    for (std::size_t flow = 0; flow < network.links.size(); ++flow)
      worst = std::max(worst, std::abs(times.arrival_s[flow] - done[i][flow]) / done[i][flow]);
    EXPECT_LT(worst, 1e-9) << network.name;
  }
}

}  // namespace
}  // namespace k3::sim
