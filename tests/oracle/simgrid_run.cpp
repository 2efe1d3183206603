#include "tests/oracle/simgrid_run.h"

#include <chrono>

#include <fmt/core.h>
#include <simgrid/s4u.hpp>

namespace k3::test {
namespace {

namespace sg4 = simgrid::s4u;

/// Adds a network's links and, per flow, two hosts with its route; completions go to `done`.
void add_to(sg4::NetZone& zone, const FlowNetwork& network, std::vector<double>& done) {
  std::vector<sg4::Link*> links;
  for (std::size_t i = 0; i < network.capacity.size(); ++i) {
    const std::string name = fmt::format("{}-link-{}", network.name, i);
    links.push_back(zone.create_link(name, network.capacity[i])->set_latency(0)->seal());
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

}  // namespace

sim::FlowProblem FlowNetwork::problem() const {
  sim::FlowProblem problem(capacity);
  for (std::size_t i = 0; i < links.size(); ++i)
    problem.add({.links = links[i], .bytes = bytes[i], .start_s = start_s[i], .after = {}});
  return problem;
}

SimGridTimes simgrid_times(const std::vector<FlowNetwork>& networks) {
  std::vector<std::string> words{"simgrid", "--log=root.thres:critical"};
  for (const char* setting :
       {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "network/weight-S:0",
        "network/bandwidth-factor:1", "network/latency-factor:1", "surf/precision:1e-15",
        "contexts/stack-size:64"}) {
    words.push_back(fmt::format("--cfg={}", setting));
  }
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  sg4::Engine engine(&count, arguments.data());
  sg4::NetZone* zone = sg4::create_full_zone("zone");
  SimGridTimes times;
  times.arrival_s.resize(networks.size());
  for (std::size_t i = 0; i < networks.size(); ++i)
    add_to(*zone, networks[i], times.arrival_s[i]);
  zone->seal();
  const auto begin = std::chrono::steady_clock::now();
  engine.run();
  times.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return times;
}

}  // namespace k3::test
