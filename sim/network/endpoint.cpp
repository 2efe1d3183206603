#include "sim/network/endpoint.h"

#include <algorithm>
#include <limits>

#include "engine/base/check.h"

namespace k3::sim {
namespace {

double seconds_over(Bandwidth bandwidth, std::uint64_t bytes, double efficiency) {
  if (bytes == 0) return 0;
  if (!(bandwidth.bytes_per_second > 0)) return std::numeric_limits<double>::infinity();
  return static_cast<double>(bytes) / (bandwidth.bytes_per_second * efficiency);
}

double link_seconds(const EndpointLoad& load, const EndpointPort& port, double efficiency) {
  return std::max(seconds_over(port.planes, std::max(load.sent, load.received), efficiency),
                  seconds_over(port.nic, std::max(load.sent_out, load.received_out), efficiency));
}

Time latency_of(const EndpointLoad& load, const Machine& machine) {
  Time latency;
  if (load.sent + load.received > 0) latency = machine.link_latency;
  if (machine.scale_out && load.sent_out + load.received_out > 0) {
    latency = std::max(latency, machine.scale_out->latency);
  }
  return latency;
}

/// Adds up the links that leave a GPU and its NIC.
class PortOf {
 public:
  void add_plane(const TopologyLink& link) {
    if (!link.alive()) return;
    const double line = link.capacity.bytes_per_second / link.lines;
    slowest_ = lines_ == 0 ? line : std::min(slowest_, line);
    lines_ += link.lines;
  }

  Bandwidth planes() const { return {slowest_ * lines_}; }

 private:
  int lines_ = 0;
  double slowest_ = 0;
};

}  // namespace

std::vector<EndpointPort> endpoint_ports(const Topology& topology, std::span<const int> gpus) {
  std::vector<PortOf> planes(topology.nodes.size());
  std::vector<Bandwidth> nic(topology.nodes.size());
  std::vector<Bandwidth> beyond(topology.nodes.size());
  const auto kind = [&](int node) { return topology.nodes[static_cast<std::size_t>(node)].kind; };
  std::vector<int> nic_of(topology.nodes.size(), -1);
  for (const TopologyLink& link : topology.links) {
    const auto from = static_cast<std::size_t>(link.from);
    if (kind(link.from) == NodeKind::gpu && kind(link.to) == NodeKind::plane) {
      planes[from].add_plane(link);
    } else if (kind(link.from) == NodeKind::gpu && kind(link.to) == NodeKind::nic) {
      nic[from] = link.capacity;
      nic_of[from] = link.to;
    } else if (kind(link.from) == NodeKind::nic && kind(link.to) == NodeKind::leaf) {
      beyond[from] = link.capacity;
    }
  }
  std::vector<EndpointPort> ports;
  for (const int gpu : gpus) {
    const auto at = static_cast<std::size_t>(gpu);
    EndpointPort port{.rack = topology.nodes[at].rack, .planes = planes[at].planes(), .nic = {}};
    if (nic_of[at] >= 0) {
      port.nic = std::min(nic[at], beyond[static_cast<std::size_t>(nic_of[at])]);
    }
    ports.push_back(port);
  }
  return ports;
}

std::vector<EndpointPort> endpoint_ports(const Machine& machine, int num_ranks) {
  const auto ranks = static_cast<std::size_t>(num_ranks);
  if (machine.faults.empty() && machine.racks == 1) {
    return std::vector<EndpointPort>(ranks,
                                     {.rack = 0, .planes = machine.gpu_bandwidth(), .nic = {}});
  }
  const Topology topology = build_topology(machine);
  const std::vector<int> live = topology.live_gpus();
  K3_CHECK(ranks <= live.size(), "{} ranks on {} GPUs", num_ranks, live.size());
  return endpoint_ports(topology, std::span(live).first(ranks));
}

std::vector<EndpointLoad> endpoint_loads(const ByteMatrix& matrix) {
  return endpoint_loads(matrix,
                        std::vector<EndpointPort>(static_cast<std::size_t>(matrix.num_ranks)));
}

std::vector<EndpointLoad> endpoint_loads(const ByteMatrix& matrix,
                                         std::span<const EndpointPort> ports) {
  std::vector<EndpointLoad> loads(static_cast<std::size_t>(matrix.num_ranks));
  for (std::size_t source = 0; source < loads.size(); ++source) {
    EndpointLoad& from = loads[source];
    for (std::size_t destination = 0; destination < loads.size(); ++destination) {
      const std::uint64_t bytes =
          matrix.at(static_cast<int>(source), static_cast<int>(destination));
      EndpointLoad& to = loads[destination];
      if (source == destination) {
        from.local = bytes;
      } else if (ports[source].rack == ports[destination].rack) {
        from.sent += bytes;
        to.received += bytes;
      } else {
        from.sent_out += bytes;
        to.received_out += bytes;
      }
    }
  }
  return loads;
}

double exchange_seconds(const EndpointLoad& load, double link_s, const Machine& machine) {
  const RooflineConstants& constants = machine.roofline;
  const double local = seconds_to_move({static_cast<std::int64_t>(2 * load.local)},
                                       machine.gpu.memory_bandwidth * constants.memory_efficiency);
  const double link = link_s + latency_of(load, machine).seconds();
  return constants.transfer_start.seconds() + std::max(link, local);
}

std::vector<double> endpoint_seconds(const ByteMatrix& matrix,
                                     const Machine& machine,
                                     std::span<const EndpointPort> ports) {
  const std::vector<EndpointLoad> loads = endpoint_loads(matrix, ports);
  std::vector<double> seconds;
  seconds.reserve(loads.size());
  for (std::size_t rank = 0; rank < loads.size(); ++rank) {
    const double link = link_seconds(loads[rank], ports[rank], machine.roofline.network_efficiency);
    seconds.push_back(exchange_seconds(loads[rank], link, machine));
  }
  return seconds;
}

std::vector<double> endpoint_seconds(const ByteMatrix& matrix, const Machine& machine) {
  return endpoint_seconds(matrix, machine, endpoint_ports(machine, matrix.num_ranks));
}

double endpoint_bound_seconds(const ByteMatrix& matrix, const Machine& machine) {
  const std::vector<EndpointPort> ports = endpoint_ports(machine, matrix.num_ranks);
  const std::vector<EndpointLoad> loads = endpoint_loads(matrix, ports);
  double bound = 0;
  for (std::size_t rank = 0; rank < loads.size(); ++rank)
    bound = std::max(bound, link_seconds(loads[rank], ports[rank], 1));
  return bound;
}

}  // namespace k3::sim
