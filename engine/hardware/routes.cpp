#include "engine/hardware/routes.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths_no_color_map.hpp>
#include <fmt/core.h>

#include "engine/base/check.h"
#include "engine/base/rng.h"

namespace k3 {
namespace {

/// Fewest links first, then least latency: the number of links above 48 bits of picoseconds.
using Distance = std::uint64_t;
constexpr int kLatencyBits = 48;
constexpr Distance kUnreachable = std::numeric_limits<Distance>::max();

/// NOTE: more than a second counts as a second, so that no sum over a way reaches the link count.
Distance length_of(const TopologyLink& link) {
  constexpr std::int64_t kMost = 1'000'000'000'000;
  return (Distance{1} << kLatencyBits) +
         static_cast<Distance>(std::clamp<std::int64_t>(link.latency.ps, 0, kMost));
}

using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Distance>;

/// A link that is on a best way, and the lines of its fork up to and with it.
struct Step {
  int link = 0;
  int lines_until = 0;
};

/// The links from every node that are on a best way to one destination.
struct Ways {
  std::vector<int> first;  ///< [nodes + 1]
  std::vector<Step> steps;

  std::span<const Step> from(int node) const {
    const auto at = static_cast<std::size_t>(node);
    const auto begin = static_cast<std::size_t>(first[at]);
    return std::span(steps).subspan(begin, static_cast<std::size_t>(first[at + 1]) - begin);
  }
};

}  // namespace

class Routes::Impl {
 public:
  explicit Impl(const Topology& topology)
      : topology_(topology),
        reversed_(reversed(topology)),
        kept_(static_cast<std::size_t>(topology.num_gpus)) {
    for (std::size_t i = 0; i < topology.links.size(); ++i) {
      if (topology.links[i].alive()) by_source_.push_back(static_cast<int>(i));
    }
    std::ranges::stable_sort(by_source_, {}, [&](int id) { return link(id).from; });
  }

  Result<std::vector<int>> route(int from, int to) {
    K3_CHECK(from >= 0 && from < topology_.num_gpus, "gpu {}", from);
    K3_CHECK(to >= 0 && to < topology_.num_gpus, "gpu {}", to);
    std::vector<int> links;
    if (from == to) return links;
    const Ways& ways = ways_to(to);
    for (int at = from; at != to; at = link(links.back()).to) {
      const std::span<const Step> fork = ways.from(at);
      if (fork.empty()) {
        return fail(Code::invalid_input,
                    fmt::format("no link that is alive leads from gpu{} to gpu{}", from, to));
      }
      const auto lines = static_cast<std::uint64_t>(fork.back().lines_until);
      const std::uint64_t pair = hash_words(static_cast<std::uint64_t>(from), to, at);
      const auto line = static_cast<int>(pair % lines);
      links.push_back(std::ranges::upper_bound(fork, line, {}, &Step::lines_until)->link);
    }
    return links;
  }

 private:
  /// Steps and nodes that are kept at most, over all destinations (some 256 MiB).
  static constexpr std::size_t kMostKept = std::size_t{1} << 25;

  const TopologyLink& link(int id) const { return topology_.links[static_cast<std::size_t>(id)]; }

  /// NOTE: a GPU is two vertices, one that receives and one that sends: no way leads through it.
  static std::size_t sender(const Topology& topology, int node) {
    const auto vertex = static_cast<std::size_t>(node);
    return node < topology.num_gpus ? topology.nodes.size() + vertex : vertex;
  }

  static Graph reversed(const Topology& topology) {
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    std::vector<Distance> lengths;
    for (const TopologyLink& link : topology.links) {
      if (!link.alive()) continue;
      edges.emplace_back(static_cast<std::size_t>(link.to), sender(topology, link.from));
      lengths.push_back(length_of(link));
    }
    const std::size_t size = topology.nodes.size() + static_cast<std::size_t>(topology.num_gpus);
    return {boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), lengths.begin(),
            size};
  }

  const Ways& ways_to(int to) {
    Ways& ways = kept_[static_cast<std::size_t>(to)];
    if (!ways.first.empty()) return ways;
    if (num_kept_ > kMostKept) {
      std::ranges::for_each(kept_, [](Ways& old) { old = {}; });
      num_kept_ = 0;
    }
    find_distances(to);
    ways.first.assign(topology_.nodes.size() + 1, 0);
    for (const int id : by_source_)
      add_if_best(id, ways);
    for (std::size_t node = 1; node < ways.first.size(); ++node)
      ways.first[node] = std::max(ways.first[node], ways.first[node - 1]);
    num_kept_ += ways.first.size() + ways.steps.size();
    return ways;
  }

  void find_distances(int to) {
    distances_.resize(num_vertices(reversed_));
    boost::dijkstra_shortest_paths_no_color_map(
        reversed_, static_cast<std::size_t>(to),
        boost::weight_map(get(boost::edge_bundle, reversed_))
            .distance_map(boost::make_iterator_property_map(distances_.begin(),
                                                            get(boost::vertex_index, reversed_)))
            .distance_inf(kUnreachable));
  }

  /// Links come by their source; `first` then holds the end of each node's steps.
  void add_if_best(int id, Ways& ways) const {
    const TopologyLink& next = link(id);
    const Distance beyond = distances_[static_cast<std::size_t>(next.to)];
    const Distance left = distances_[sender(topology_, next.from)];
    if (beyond == kUnreachable || length_of(next) + beyond != left) return;
    int& end = ways.first[static_cast<std::size_t>(next.from) + 1];
    const bool new_fork = end == 0;
    ways.steps.push_back({id, (new_fork ? 0 : ways.steps.back().lines_until) + next.lines});
    end = static_cast<int>(ways.steps.size());
  }

  const Topology& topology_;
  Graph reversed_;
  std::vector<int> by_source_;  ///< live links, ascending by the node that they leave
  std::vector<Ways> kept_;      ///< by destination; empty: not found yet
  std::size_t num_kept_ = 0;
  std::vector<Distance> distances_;  ///< to the destination last asked for
};

Routes::Routes(const Topology& topology) : impl_(std::make_unique<Impl>(topology)) {}

Routes::Routes(Routes&&) noexcept = default;
Routes& Routes::operator=(Routes&&) noexcept = default;
Routes::~Routes() = default;

Result<std::vector<int>> Routes::route(int from, int to) {
  return impl_->route(from, to);
}

}  // namespace k3
