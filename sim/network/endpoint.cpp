#include "sim/network/endpoint.h"

#include <algorithm>

namespace k3::sim {
namespace {

/// Time of `bytes` in one direction over a GPU's links, striped equally over them.
double striped_seconds(std::uint64_t bytes, const Machine& machine, double efficiency) {
  if (bytes == 0) return 0;
  return static_cast<double>(bytes) / (machine.gpu_bandwidth().bytes_per_second * efficiency);
}

double link_seconds(const EndpointLoad& load, const Machine& machine, double efficiency) {
  return striped_seconds(std::max(load.sent, load.received), machine, efficiency);
}

}  // namespace

std::vector<EndpointLoad> endpoint_loads(const ByteMatrix& matrix) {
  std::vector<EndpointLoad> loads(static_cast<std::size_t>(matrix.num_ranks));
  for (int source = 0; source < matrix.num_ranks; ++source) {
    EndpointLoad& from = loads[static_cast<std::size_t>(source)];
    for (int destination = 0; destination < matrix.num_ranks; ++destination) {
      const std::uint64_t bytes = matrix.at(source, destination);
      if (source == destination) {
        from.local = bytes;
      } else {
        from.sent += bytes;
        loads[static_cast<std::size_t>(destination)].received += bytes;
      }
    }
  }
  return loads;
}

double endpoint_seconds(const EndpointLoad& load, const Machine& machine) {
  const RooflineConstants& constants = machine.roofline;
  const double local = seconds_to_move({static_cast<std::int64_t>(2 * load.local)},
                                       machine.gpu.memory_bandwidth * constants.memory_efficiency);
  double link = link_seconds(load, machine, constants.network_efficiency);
  if (load.sent + load.received > 0) link += machine.link_latency.seconds();
  return constants.transfer_start.seconds() + std::max(link, local);
}

std::vector<double> endpoint_seconds(const ByteMatrix& matrix, const Machine& machine) {
  std::vector<double> seconds;
  seconds.reserve(static_cast<std::size_t>(matrix.num_ranks));
  for (const EndpointLoad& load : endpoint_loads(matrix)) {
    seconds.push_back(endpoint_seconds(load, machine));
  }
  return seconds;
}

double endpoint_bound_seconds(const ByteMatrix& matrix, const Machine& machine) {
  double bound = 0;
  for (const EndpointLoad& load : endpoint_loads(matrix)) {
    bound = std::max(bound, link_seconds(load, machine, 1));
  }
  return bound;
}

}  // namespace k3::sim
