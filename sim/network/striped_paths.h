#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/routes.h"
#include "engine/hardware/topology.h"
#include "sim/network/flow_problem.h"
#include "sim/network/max_min.h"

namespace k3::sim {

/// How the bytes of a transfer spread over the links to the planes of its rack.
enum class Striping : std::uint8_t {
  equal,  ///< over all links alike: a dead one is an error
  live,   ///< over the links that all ends have left
  hash,   ///< all on plane (source + destination) mod planes
};

std::string_view name_of(Striping striping);

struct LinkUse {
  std::int32_t link = 0;  ///< of the topology
  double bytes = 0;
  double busy_s = 0;  ///< time during which something moves over it
};

/// Bytes from ranks to ranks, all by their number. One source and one destination: a message.
/// Several destinations: a multicast, the switch makes the copies. Several sources: a reduction,
/// the switch adds up.
struct Transfer {
  std::span<const std::int32_t> sources;
  std::span<const std::int32_t> destinations;
  double bytes = 0;                     ///< > 0, of each source and to each destination
  std::optional<double> latency_s = 0;  ///< once, after the last byte; absent: that of the links
  std::span<const std::int32_t> after;  ///< flows of the problem that must have arrived
};

/// Makes flows of transfers between GPUs: over the planes of a rack in one hop, each plane its
/// part; between racks along one route over NIC, leaf and spine. Planes whose links are alike for
/// all GPUs stand for each other: one line of one of them is in the problem.
class StripedPaths {
 public:
  /// `gpus`: GPU of each rank, no GPU twice. Both outlive this.
  StripedPaths(const Topology& topology, std::span<const int> gpus, Striping striping);

  /// A rank on a GPU that is gone is an error.
  Result<void> check_gpus() const;

  /// Adds the flows of a transfer; their numbers are those from `problem().num_flows()` before the
  /// call to that after it.
  /// Errors: a dead link that has to carry something, by name; no live plane or route is left; a
  /// multicast or reduction between racks
  Result<void> add(const Transfer& transfer);

  const FlowProblem& problem() const { return problem_; }

  /// Parts on single planes or routes, those that stand for each other counted one by one.
  std::int64_t num_parts() const { return num_parts_; }

  /// Bytes of every link of the topology that carries something, ascending; busy_s: the union of
  /// the times of its flows, or bytes / capacity without `times`.
  std::vector<LinkUse> link_use(const FlowTimes* times) const;

 private:
  /// Planes of one rack on which every GPU has the same capacity per line.
  struct PlaneClass {
    std::vector<double> up;  ///< per rank of the rack, bytes per second and line
    std::vector<double> down;
    std::vector<int> planes;      ///< of the rack
    std::int32_t first_link = 0;  ///< in the problem: up-links, then down-links
  };

  struct Rack {
    std::vector<std::int32_t> ranks;
    std::vector<std::vector<int>> up;  ///< [rank of the rack][plane] link of the topology
    std::vector<std::vector<int>> down;
    std::vector<PlaneClass> classes;

    int planes() const { return static_cast<int>(up[0].size()); }
  };

  /// What a flow of the problem stands for.
  struct Part {
    double bytes = 0;  ///< per line
    std::size_t end_load = 0;
  };

  const TopologyNode& gpu(std::int32_t rank) const;
  const TopologyLink& link(int number) const;

  std::int32_t place(std::int32_t rank) const { return place_[static_cast<std::size_t>(rank)]; }

  void add_rack_links(Rack& rack);
  bool carries(const Rack& rack, const Transfer& transfer, int plane) const;
  Result<int> shared_lines(const Rack& rack, const Transfer& transfer) const;
  Result<void> add_on_planes(Rack& rack, const Transfer& transfer);
  Result<void> add_loads(const Rack& rack, const Transfer& transfer, const PlaneClass& alike);
  Result<void> add_on_route(const Transfer& transfer);
  Result<void> add_load(int number);

  const Topology& topology_;
  std::span<const int> gpus_;
  Striping striping_;
  std::vector<Rack> racks_;
  std::vector<std::size_t> rack_of_;  ///< per rank
  std::vector<std::int32_t> place_;   ///< per rank, in its rack
  std::optional<Routes> routes_;
  std::vector<std::int32_t> route_link_;  ///< per link of the topology: in the problem, or −1
  FlowProblem problem_;
  std::vector<Part> parts_;  ///< per flow of the problem
  std::vector<int> loads_;   ///< links of the topology under part 0, part 1, …
  std::vector<std::int32_t> path_;
  std::int64_t num_parts_ = 0;
};

}  // namespace k3::sim
