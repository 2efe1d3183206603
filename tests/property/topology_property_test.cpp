// What holds for the network of any machine after any faults.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/hardware/max_flow.h"
#include "engine/hardware/routes.h"
#include "engine/hardware/topology.h"
#include "tests/support/tiny_machine.h"

namespace k3 {
namespace {

Machine any_machine() {
  Machine machine = test::tiny_machine(1);
  machine.racks = *rc::gen::inRange(1, 4);
  machine.num_gpus = machine.racks * *rc::gen::inRange(1, 7);
  machine.gpus_per_tray = *rc::gen::inRange(1, machine.gpus_per_rack() + 1);
  machine.plane_links =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange(1, 4), rc::gen::inRange(1, 4));
  if (machine.racks > 1 || *rc::gen::arbitrary<bool>()) {
    machine.scale_out = ScaleOut{.nic_bandwidth = {1e9},
                                 .latency = Time::from_ns(*rc::gen::inRange(0, 9000)),
                                 .leaf_down_links = *rc::gen::inRange(1, 5),
                                 .spines = *rc::gen::inRange(1, 4),
                                 .links_per_spine = *rc::gen::inRange(1, 3),
                                 .spine_bandwidth = {1e9}};
  }
  return machine;
}

/// A fault with the right form; whether the machine has the part is another matter.
Fault any_fault() {
  const int index = *rc::gen::inRange(0, 12);
  const double left = *rc::gen::element(0.0, 0.25, 0.5, 1.0);
  const std::string text = *rc::gen::element(
      fmt::format("gpu{}:plane{}={}", index, *rc::gen::inRange(0, 6), left),
      fmt::format("plane{}={}", index, left), fmt::format("nic{}={}", index, left),
      fmt::format("leaf{}={}", index, left), fmt::format("spine{}={}", index, left),
      fmt::format("gpu{}.compute={}", index, std::max(left, 0.25)),
      fmt::format("gpu{}=gone", index), fmt::format("tray{}=gone", index));
  const auto fault = parse_fault(text);
  RC_ASSERT(fault.has_value());
  return *fault;
}

/// The machine with one more fault, or as it is if it has no such part.
Machine damaged(const Machine& machine) {
  const std::vector<Fault> faults{any_fault()};
  return with_faults(machine, faults).value_or(machine);
}

RC_GTEST_PROP(TopologyProperty, AFaultNeverRaisesACapacityOrASpeed, ()) {
  Machine machine = any_machine();
  Topology before = build_topology(machine);
  for (int i = 0; i < 4; ++i) {
    machine = damaged(machine);
    const Topology after = build_topology(machine);
    RC_ASSERT(after.links.size() == before.links.size());
    for (std::size_t link = 0; link < after.links.size(); ++link) {
      RC_ASSERT(after.links[link].capacity <= before.links[link].capacity);
      RC_ASSERT(after.links[link].nominal == before.links[link].nominal);
    }
    for (std::size_t gpu = 0; gpu < after.compute_speed.size(); ++gpu) {
      RC_ASSERT(after.compute_speed[gpu] <= before.compute_speed[gpu]);
    }
    before = after;
  }
}

RC_GTEST_PROP(TopologyProperty, AFaultNeverRaisesTheFlowBetweenTwoGpus, ()) {
  const Machine machine = any_machine();
  RC_PRE(machine.num_gpus > 1);
  const int from = *rc::gen::inRange(0, machine.num_gpus);
  const int to = (from + *rc::gen::inRange(1, machine.num_gpus)) % machine.num_gpus;
  const Bandwidth before = max_flow(build_topology(machine), from, to);
  RC_ASSERT(max_flow(build_topology(damaged(machine)), from, to) <= before);
}

RC_GTEST_PROP(TopologyProperty, FaultsCommute, ()) {
  const Machine machine = any_machine();
  const Machine one = damaged(machine);
  const Machine both = damaged(one);
  Machine turned = both;
  std::ranges::reverse(turned.faults);
  const Topology topology = build_topology(both);
  const Topology other = build_topology(turned);
  for (std::size_t link = 0; link < topology.links.size(); ++link) {
    RC_ASSERT(topology.links[link].capacity == other.links[link].capacity);
  }
  RC_ASSERT(topology.compute_speed == other.compute_speed);
}

RC_GTEST_PROP(TopologyProperty, RoutesExistWhereSomethingFlowsAndJoinLiveLinks, ()) {
  const Topology topology = build_topology(damaged(damaged(any_machine())));
  const int from = *rc::gen::inRange(0, topology.num_gpus);
  const int to = *rc::gen::inRange(0, topology.num_gpus);
  const auto route = Routes(topology).route(from, to);
  if (from == to) {
    RC_ASSERT(route.has_value() && route->empty());
    return;
  }
  const double flow = max_flow(topology, from, to).bytes_per_second;
  RC_ASSERT(route.has_value() == (flow > 0));
  if (!route) return;
  int at = from;
  double narrowest = 1e300;
  for (const int id : *route) {
    const TopologyLink& link = topology.links[static_cast<std::size_t>(id)];
    RC_ASSERT(link.from == at);
    RC_ASSERT(link.alive());
    RC_ASSERT(at == from || at >= topology.num_gpus);
    narrowest = std::min(narrowest, link.capacity.bytes_per_second);
    at = link.to;
  }
  RC_ASSERT(at == to);
  RC_ASSERT(flow >= narrowest);
}

}  // namespace
}  // namespace k3
