#include "sim/network/all_to_all.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "sim/network/max_min.h"

namespace k3::sim {
namespace {

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

/// A pair of ranks of one rack; both by their place in it.
struct Pair {
  std::int32_t source = 0;
  std::int32_t destination = 0;
  double bytes = 0;
  int lines = 0;  ///< of the planes that share the bytes; hashed pairs have one plane
};

struct Rack {
  std::vector<std::int32_t> ranks;
  std::vector<std::vector<int>> up;  ///< [rank of the rack][plane] link of the topology
  std::vector<std::vector<int>> down;
  std::vector<Pair> pairs;

  int planes() const { return static_cast<int>(up[0].size()); }

  int up_link(const Pair& pair, int plane) const { return up[at(pair.source)][at(plane)]; }

  int down_link(const Pair& pair, int plane) const { return down[at(pair.destination)][at(plane)]; }
};

/// Planes of one rack on which every GPU has the same capacity per line: the same flows take the
/// same time on a line of each, so that one line stands for all.
struct PlaneClass {
  std::vector<double> up;  ///< per rank of the rack, bytes per second and line
  std::vector<double> down;
  std::vector<int> planes;  ///< of the rack
};

/// What moves as one flow of the problem, and the links of the topology that it stands for.
struct Part {
  std::size_t source = 0;  ///< rank
  std::size_t destination = 0;
  double bytes = 0;            ///< per line
  std::size_t first_load = 0;  ///< in Exchange::loads_
  std::size_t num_loads = 0;
};

class Exchange {
 public:
  explicit Exchange(const AllToAllRequest& request)
      : request_(request), num_ranks_(request.gpus.size()) {}

  Result<AllToAllResult> run() {
    K3_TRY_VOID(check_gpus());
    K3_TRY_VOID(sort_pairs());
    for (Rack& rack : racks_)
      K3_TRY_VOID(add_rack(rack));
    const FlowTimes times = solve_flows(problem_, {.threads = request_.threads});
    result_.events = times.events;
    note(times);
    return std::move(result_);
  }

 private:
  const TopologyNode& node(int number) const { return request_.topology.nodes[at(number)]; }

  const TopologyNode& gpu(std::size_t rank) const { return node(request_.gpus[rank]); }

  const TopologyLink& link(int number) const { return request_.topology.links[at(number)]; }

  Result<void> check_gpus() const {
    for (std::size_t rank = 0; rank < num_ranks_; ++rank) {
      if (request_.topology.compute_speed[at(request_.gpus[rank])] > 0) continue;
      return fail(Code::invalid_input,
                  fmt::format("{} is gone; rank {} needs another GPU", gpu(rank).name, rank));
    }
    return {};
  }

  Result<void> sort_pairs() {
    std::map<int, std::size_t> rack_of;
    std::vector<std::size_t> rack(num_ranks_);
    std::vector<std::int32_t> place(num_ranks_);
    for (std::size_t rank = 0; rank < num_ranks_; ++rank) {
      rack[rank] = rack_of.try_emplace(gpu(rank).rack, rack_of.size()).first->second;
      if (rack[rank] == racks_.size()) racks_.emplace_back();
      Rack& home = racks_[rack[rank]];
      place[rank] = static_cast<std::int32_t>(home.ranks.size());
      home.ranks.push_back(static_cast<std::int32_t>(rank));
      home.up.push_back(request_.topology.up_links(request_.gpus[rank]));
      home.down.push_back(request_.topology.down_links(request_.gpus[rank]));
    }
    for (std::size_t source = 0; source < num_ranks_; ++source) {
      for (std::size_t destination = 0; destination < num_ranks_; ++destination) {
        const double bytes = request_.bytes[source * num_ranks_ + destination];
        if (source == destination || bytes <= 0) continue;
        ++result_.flows;
        if (rack[source] != rack[destination]) {
          return fail(Code::unsupported, "pairs in different racks are not routed yet");
        }
        racks_[rack[source]].pairs.push_back({place[source], place[destination], bytes, 0});
      }
    }
    return {};
  }

  Result<void> add_rack(Rack& rack) {
    if (rack.pairs.empty()) return {};
    K3_TRY_VOID(count_lines(rack));
    for (const PlaneClass& alike : plane_classes(rack))
      K3_TRY_VOID(add_planes(rack, alike));
    return {};
  }

  double per_line(int number) const {
    return link(number).capacity.bytes_per_second / link(number).lines;
  }

  std::vector<PlaneClass> plane_classes(const Rack& rack) const {
    std::vector<PlaneClass> classes;
    for (int plane = 0; plane < rack.planes(); ++plane) {
      PlaneClass added;
      for (std::size_t i = 0; i < rack.ranks.size(); ++i) {
        added.up.push_back(per_line(rack.up[i][at(plane)]));
        added.down.push_back(per_line(rack.down[i][at(plane)]));
      }
      // Hashed pairs differ from plane to plane.
      const auto same = std::ranges::find_if(classes, [&](const PlaneClass& other) {
        return request_.striping != Striping::hash && other.up == added.up &&
               other.down == added.down;
      });
      PlaneClass& home = same == classes.end() ? classes.emplace_back(std::move(added)) : *same;
      home.planes.push_back(plane);
    }
    return classes;
  }

  std::size_t rank_of(const Rack& rack, std::int32_t place) const {
    return at(rack.ranks[at(place)]);
  }

  bool carries(const Rack& rack, const Pair& pair, int plane) const {
    switch (request_.striping) {
      case Striping::equal:
        return true;
      case Striping::live:
        return link(rack.up_link(pair, plane)).alive() && link(rack.down_link(pair, plane)).alive();
      case Striping::hash:
        break;
    }
    const int sum =
        request_.gpus[rank_of(rack, pair.source)] + request_.gpus[rank_of(rack, pair.destination)];
    return sum % rack.planes() == plane;
  }

  /// How many lines share each pair.
  Result<void> count_lines(Rack& rack) const {
    for (Pair& pair : rack.pairs) {
      for (int plane = 0; plane < rack.planes(); ++plane) {
        if (carries(rack, pair, plane)) pair.lines += link(rack.up_link(pair, plane)).lines;
      }
      if (pair.lines > 0) continue;
      return fail(Code::invalid_input,
                  fmt::format("{} and {} share no plane to which both have a live link",
                              gpu(rank_of(rack, pair.source)).name,
                              gpu(rank_of(rack, pair.destination)).name));
    }
    return {};
  }

  Result<void> demand_alive(int number) const {
    if (link(number).alive()) return {};
    return fail(Code::invalid_input,
                fmt::format("{} striping needs the link {} -> {}, which is dead; use live striping",
                            name_of(request_.striping), node(link(number).from).name,
                            node(link(number).to).name));
  }

  Result<void> add_planes(const Rack& rack, const PlaneClass& alike) {
    std::vector<std::int32_t> links;
    for (const auto* side : {&alike.up, &alike.down}) {
      for (const double capacity : *side)
        links.push_back(problem_.add_link(capacity));
    }
    for (const Pair& pair : rack.pairs) {
      if (!carries(rack, pair, alike.planes[0])) continue;
      Part part{rank_of(rack, pair.source), rank_of(rack, pair.destination),
                pair.bytes / pair.lines, loads_.size(), 2 * alike.planes.size()};
      for (const int plane : alike.planes) {
        for (const int number : {rack.up_link(pair, plane), rack.down_link(pair, plane)}) {
          K3_TRY_VOID(demand_alive(number));
          loads_.push_back(number);
        }
      }
      result_.subflows += static_cast<std::int64_t>(alike.planes.size());
      const std::array<std::int32_t, 2> path{links[at(pair.source)],
                                             links[rack.ranks.size() + at(pair.destination)]};
      problem_.add({.links = path, .bytes = part.bytes, .after = {}});
      parts_.push_back(part);
    }
    return {};
  }

  /// Completions per pair, bytes and time per link.
  void note(const FlowTimes& times) {
    std::vector<LinkUse> use(request_.topology.links.size());
    result_.completion_s.resize(num_ranks_ * num_ranks_);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      const double arrival = times.arrival_s[i];
      double& completion = result_.completion_s[part.source * num_ranks_ + part.destination];
      completion = std::max(completion, arrival + request_.latency_s);
      result_.makespan_s = std::max(result_.makespan_s, completion);
      for (const int number : std::span(loads_).subspan(part.first_load, part.num_loads)) {
        use[at(number)].bytes += part.bytes * link(number).lines;
        use[at(number)].busy_s = std::max(use[at(number)].busy_s, arrival);
      }
    }
    for (std::size_t i = 0; i < use.size(); ++i) {
      if (use[i].bytes <= 0) continue;
      use[i].link = static_cast<std::int32_t>(i);
      const double capacity = request_.topology.links[i].capacity.bytes_per_second;
      result_.bound_s = std::max(result_.bound_s, use[i].bytes / capacity);
      result_.links.push_back(use[i]);
    }
  }

  const AllToAllRequest& request_;
  std::size_t num_ranks_;
  std::vector<Rack> racks_;
  FlowProblem problem_;
  std::vector<Part> parts_;  ///< per flow of the problem
  std::vector<int> loads_;   ///< links of part 0, part 1, …
  AllToAllResult result_;
};

}  // namespace

std::string_view name_of(Striping striping) {
  switch (striping) {
    case Striping::equal:
      return "equal";
    case Striping::live:
      return "live";
    case Striping::hash:
      return "hash";
  }
  return "?";
}

Result<AllToAllResult> all_to_all(const AllToAllRequest& request) {
  return Exchange(request).run();
}

}  // namespace k3::sim
