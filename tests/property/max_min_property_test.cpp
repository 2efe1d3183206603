// What holds for max-min fair rates and completion times on any network.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/network/max_min.h"

namespace k3::sim {
namespace {

struct Network {
  std::vector<double> capacity;
  std::vector<std::vector<std::int32_t>> links;  ///< per flow
  std::vector<double> bytes;
  std::vector<double> start_s;

  FlowProblem problem() const {
    FlowProblem problem(capacity);
    for (std::size_t i = 0; i < links.size(); ++i) {
      problem.add({.links = links[i], .bytes = bytes[i], .start_s = start_s[i], .after = {}});
    }
    return problem;
  }
};

double any_amount() {
  return std::exp(0.01 * *rc::gen::inRange(-500, 500));
}

Network any_network() {
  Network network;
  const int num_links = *rc::gen::inRange(1, 12);
  for (int i = 0; i < num_links; ++i)
    network.capacity.push_back(*rc::gen::inRange(0, 2) == 0 ? 1 : any_amount());
  const int num_flows = *rc::gen::inRange(1, 40);
  const bool timed = *rc::gen::inRange(0, 2) == 0;
  for (int i = 0; i < num_flows; ++i) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(num_links));
    std::iota(all.begin(), all.end(), 0);
    const auto count = static_cast<std::size_t>(*rc::gen::inRange(1, std::min(num_links, 5) + 1));
    for (std::size_t k = 0; k < count; ++k) {
      std::swap(all[k],
                all[static_cast<std::size_t>(*rc::gen::inRange(static_cast<int>(k), num_links))]);
    }
    all.resize(count);
    network.links.push_back(all);
    network.bytes.push_back(*rc::gen::inRange(0, 2) == 0 ? 1 : any_amount());
    network.start_s.push_back(timed && *rc::gen::inRange(0, 2) == 0 ? any_amount() : 0);
  }
  return network;
}

/// An all-to-all of n ranks over up-links 0 … n−1 and down-links n … 2n−1.
Network any_all_to_all() {
  Network network;
  const int n = *rc::gen::inRange(8, 20);
  for (int i = 0; i < 2 * n; ++i)
    network.capacity.push_back(*rc::gen::inRange(0, 4) == 0 ? any_amount() : 1);
  for (int s = 0; s < n; ++s) {
    for (int d = 0; d < n; ++d) {
      if (s == d || *rc::gen::inRange(0, 5) == 0) continue;
      network.links.push_back({s, n + d});
      network.bytes.push_back(*rc::gen::inRange(0, 2) == 0 ? *rc::gen::inRange(1, 4)
                                                           : any_amount());
      network.start_s.push_back(0);
    }
  }
  return network;
}

bool close(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

void expect_close(const std::vector<double>& a, const std::vector<double>& b) {
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    RC_ASSERT(close(a[i], b[i]));
}

RC_GTEST_PROP(MaxMinProperty, EveryFlowIsHeldByAFullLinkOnWhichNoneIsFaster, ()) {
  const Network network = *rc::gen::inRange(0, 2) == 0 ? any_network() : any_all_to_all();
  const std::vector<double> rates = max_min_rates(network.problem());
  std::vector<double> load(network.capacity.size());
  std::vector<double> fastest(network.capacity.size());
  for (std::size_t flow = 0; flow < rates.size(); ++flow) {
    RC_ASSERT(rates[flow] > 0);
    for (const std::int32_t link : network.links[flow]) {
      load[static_cast<std::size_t>(link)] += rates[flow];
      double& top = fastest[static_cast<std::size_t>(link)];
      top = std::max(top, rates[flow]);
    }
  }
  for (std::size_t link = 0; link < load.size(); ++link)
    RC_ASSERT(load[link] <= network.capacity[link] * (1 + 1e-9));
  for (std::size_t flow = 0; flow < rates.size(); ++flow) {
    RC_ASSERT(std::ranges::any_of(network.links[flow], [&](std::int32_t link) {
      const auto at = static_cast<std::size_t>(link);
      return close(load[at], network.capacity[at]) && rates[flow] >= fastest[at] * (1 - 1e-9);
    }));
  }
}

RC_GTEST_PROP(MaxMinProperty, LessCapacityNeverRaisesTheSmallestRates, ()) {
  // The rates in ascending order are the largest such list, word by word, of all that fit.
  Network network = any_network();
  std::vector<double> before = max_min_rates(network.problem());
  const auto victim =
      static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(network.capacity.size())));
  network.capacity[victim] *= 0.5;
  std::vector<double> after = max_min_rates(network.problem());
  std::ranges::sort(before);
  std::ranges::sort(after);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (close(before[i], after[i])) continue;
    RC_ASSERT(after[i] < before[i]);
    break;
  }
}

RC_GTEST_PROP(MaxMinProperty, TwiceTheBytesTakeTwiceAsLong, ()) {
  Network network = any_network();
  std::vector<double> times = solve_flows(network.problem()).arrival_s;
  for (double& bytes : network.bytes)
    bytes *= 2;
  for (double& start : network.start_s)
    start *= 2;
  for (double& time : times)
    time *= 2;
  expect_close(solve_flows(network.problem()).arrival_s, times);
}

RC_GTEST_PROP(MaxMinProperty, NumberingDoesNotMatter, ()) {
  const Network network = *rc::gen::inRange(0, 2) == 0 ? any_network() : any_all_to_all();
  const std::vector<double> times = solve_flows(network.problem()).arrival_s;
  Network turned = network;
  const auto links = static_cast<std::int32_t>(network.capacity.size());
  std::ranges::reverse(turned.capacity);
  for (auto& flow : turned.links) {
    for (std::int32_t& link : flow)
      link = links - 1 - link;
    std::ranges::reverse(flow);
  }
  std::ranges::reverse(turned.links);
  std::ranges::reverse(turned.bytes);
  std::ranges::reverse(turned.start_s);
  std::vector<double> found = solve_flows(turned.problem()).arrival_s;
  std::ranges::reverse(found);
  expect_close(found, times);
}

RC_GTEST_PROP(MaxMinProperty, NoLinkMovesMoreThanItsCapacity, ()) {
  const Network network = any_network();
  const FlowTimes times = solve_flows(network.problem());
  for (std::size_t link = 0; link < network.capacity.size(); ++link) {
    double bytes = 0;
    double begin = 1e300;
    double end = 0;
    for (std::size_t flow = 0; flow < network.links.size(); ++flow) {
      if (!std::ranges::count(network.links[flow], static_cast<std::int32_t>(link))) continue;
      bytes += network.bytes[flow];
      begin = std::min(begin, times.start_s[flow]);
      end = std::max(end, times.arrival_s[flow]);
    }
    if (bytes > 0) RC_ASSERT(bytes <= network.capacity[link] * (end - begin) * (1 + 1e-9));
  }
}

RC_GTEST_PROP(MaxMinProperty, AllToAllIsTheSameInBothForms, ()) {
  // A flow that starts long after all others puts the same problem into the general form.
  const Network network = any_all_to_all();
  if (network.links.empty()) return;
  const std::vector<double> times = solve_flows(network.problem()).arrival_s;
  FlowProblem timed = network.problem();
  timed.add({.links = network.links[0], .bytes = 1, .start_s = 1e9, .after = {}});
  std::vector<double> found = solve_flows(timed).arrival_s;
  found.pop_back();
  expect_close(found, times);
}

}  // namespace
}  // namespace k3::sim
