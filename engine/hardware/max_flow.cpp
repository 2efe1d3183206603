#include "engine/hardware/max_flow.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

namespace k3 {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;

struct FlowEdge {
  std::int64_t capacity = 0;
  std::int64_t residual = 0;
  Traits::edge_descriptor reverse;
};

using Graph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, FlowEdge>;

/// Flow from one group of GPUs to another. In whole units, so that the sums are exact: bytes per
/// second, or more where they would not fit into 64 bits.
class FlowProblem {
 public:
  explicit FlowProblem(const Topology& topology)
      : topology_(topology),
        source_(topology.nodes.size() + static_cast<std::size_t>(topology.num_gpus)),
        sink_(source_ + 1),
        graph_(sink_ + 1) {
    double total = 0;
    for (const TopologyLink& link : topology.links)
      total += link.capacity.bytes_per_second;
    unit_ = std::max(1.0, total * 0x1p-60);
    for (const TopologyLink& link : topology.links) {
      if (link.alive()) add(sender(link.from), static_cast<std::size_t>(link.to), units(link));
    }
  }

  Bandwidth solve(std::span<const int> from, std::span<const int> to) && {
    for (const int gpu : from)
      add(source_, sender(gpu), all_units(gpu, &TopologyLink::from));
    for (const int gpu : to)
      add(static_cast<std::size_t>(gpu), sink_, all_units(gpu, &TopologyLink::to));
    const std::int64_t flow = boost::push_relabel_max_flow(
        graph_, source_, sink_, get(&FlowEdge::capacity, graph_), get(&FlowEdge::residual, graph_),
        get(&FlowEdge::reverse, graph_), get(boost::vertex_index, graph_));
    return {static_cast<double>(flow) * unit_};
  }

 private:
  /// NOTE: a GPU is two vertices, one that receives and one that sends: nothing flows through it.
  std::size_t sender(int node) const {
    const auto vertex = static_cast<std::size_t>(node);
    return node < topology_.num_gpus ? topology_.nodes.size() + vertex : vertex;
  }

  std::int64_t units(const TopologyLink& link) const {
    return std::llround(link.capacity.bytes_per_second / unit_);
  }

  std::int64_t all_units(int gpu, int TopologyLink::* end) const {
    std::int64_t sum = 0;
    for (const TopologyLink& link : topology_.links) {
      if (link.*end == gpu) sum += units(link);
    }
    return sum;
  }

  void add(std::size_t from, std::size_t to, std::int64_t capacity) {
    const auto there = add_edge(from, to, FlowEdge{.capacity = capacity, .reverse = {}}, graph_);
    const auto back = add_edge(to, from, FlowEdge(), graph_);
    graph_[there.first].reverse = back.first;
    graph_[back.first].reverse = there.first;
  }

  const Topology& topology_;
  std::size_t source_;
  std::size_t sink_;
  Graph graph_;
  double unit_ = 1;
};

}  // namespace

Bandwidth max_flow(const Topology& topology, int from, int to) {
  return FlowProblem(topology).solve(std::span(&from, 1), std::span(&to, 1));
}

Bandwidth bisection_bandwidth(const Topology& topology) {
  const std::vector<int> live = topology.live_gpus();
  // The cut stays where it is when GPUs go, so that fewer of them never have more between them.
  const auto second = std::ranges::lower_bound(live, topology.num_gpus / 2);
  if (second == live.begin() || second == live.end()) return {};
  return FlowProblem(topology).solve({live.begin(), second}, {second, live.end()});
}

}  // namespace k3
