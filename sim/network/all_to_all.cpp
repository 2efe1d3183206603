#include "sim/network/all_to_all.h"

#include <algorithm>
#include <array>

namespace k3::sim {
namespace {

/// A pair of ranks that sends something, and its flows in the problem.
struct Pair {
  std::size_t cell = 0;
  std::int32_t end_flow = 0;
};

Result<std::vector<Pair>> add_pairs(const AllToAllRequest& request, StripedPaths& paths) {
  K3_TRY_VOID(paths.check_gpus());
  const auto ranks = static_cast<std::int32_t>(request.gpus.size());
  std::vector<Pair> pairs;
  for (std::int32_t source = 0; source < ranks; ++source) {
    for (std::int32_t destination = 0; destination < ranks; ++destination) {
      const auto cell = static_cast<std::size_t>(source) * request.gpus.size() +
                        static_cast<std::size_t>(destination);
      if (source == destination || request.bytes[cell] <= 0) continue;
      K3_TRY_VOID(paths.add({.sources = std::span(&source, 1),
                             .destinations = std::span(&destination, 1),
                             .bytes = request.bytes[cell],
                             .after = {}}));
      pairs.push_back({cell, paths.problem().num_flows()});
    }
  }
  return pairs;
}

}  // namespace

Result<AllToAllResult> all_to_all(const AllToAllRequest& request) {
  StripedPaths paths(request.topology, request.gpus, request.striping);
  K3_TRY(const std::vector<Pair> pairs, add_pairs(request, paths));
  if (request.progress != nullptr) request.progress->total = paths.problem().num_flows();
  const FlowTimes times =
      solve_flows(paths.problem(), {.threads = request.threads, .progress = request.progress});
  if (request.progress != nullptr && request.progress->cancelled) {
    return fail(Code::cancelled, "the all-to-all was stopped");
  }
  AllToAllResult result;
  result.completion_s.resize(request.bytes.size());
  std::size_t flow = 0;
  for (const Pair& pair : pairs) {
    double& completion = result.completion_s[pair.cell];
    for (; flow < static_cast<std::size_t>(pair.end_flow); ++flow)
      completion = std::max(completion, times.arrival_s[flow]);
    completion += request.latency_s;
    result.makespan_s = std::max(result.makespan_s, completion);
  }
  result.links = paths.link_use(&times);
  for (const LinkUse& use : result.links) {
    const TopologyLink& link = request.topology.links[static_cast<std::size_t>(use.link)];
    result.bound_s = std::max(result.bound_s, use.bytes / link.capacity.bytes_per_second);
  }
  result.flows = static_cast<std::int64_t>(pairs.size());
  result.subflows = paths.num_parts();
  result.events = times.events;
  return result;
}

Result<std::vector<LinkUse>> link_loads(const AllToAllRequest& request) {
  StripedPaths paths(request.topology, request.gpus, request.striping);
  K3_TRY_VOID(add_pairs(request, paths));
  return paths.link_use(nullptr);
}

}  // namespace k3::sim
