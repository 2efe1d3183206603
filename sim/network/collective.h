#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/topology.h"
#include "sim/network/striped_paths.h"

namespace k3::sim {

/// What is moved. `bytes` as nccl-tests counts them: all_reduce and broadcast the buffer of each
/// rank, all_gather the whole result, reduce_scatter the whole input of each rank, all_to_all
/// everything a rank sends (1 / ranks of it to itself), send_recv what each rank sends to the next.
enum class Collective : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  all_to_all,
  send_recv,
};

/// How it is moved.
///   direct  every part goes straight to where it is needed; all_reduce: every rank reduces its
///   part,
///           then sends it to all (two steps)
///   ring    ranks − 1 steps between neighbours; all_reduce: twice; broadcast: in chunks
///   tree    two complementary binary trees with half of the bytes each, in chunks
///   nvls    switches add up and copy: a part goes over every link once; all_reduce in chunks
enum class Algorithm : std::uint8_t { direct, ring, tree, nvls };

inline constexpr std::size_t kNumCollectives = 6;
inline constexpr std::size_t kNumAlgorithms = 4;

std::string_view name_of(Collective collective);
std::string_view name_of(Algorithm algorithm);

struct CollectiveRequest {
  const Topology& topology;
  std::span<const int> gpus;  ///< GPU of each rank, at least two
  Collective collective = Collective::all_reduce;
  double bytes = 0;  ///< > 0
  /// Of one message; a collective of k dependent steps has it k times. Absent: that of its links.
  std::optional<double> latency_s = 0;
  Striping striping = Striping::live;
  int threads = 1;
  Progress* progress = nullptr;  ///< optional: counts flows, can stop it
};

struct CollectiveCost {
  Algorithm algorithm = Algorithm::direct;
  int chunks = 1;            ///< pieces that follow each other through a ring or tree
  double seconds = 0;        ///< last byte at the last rank
  double bound_s = 0;        ///< busiest link, bytes / capacity
  double bus_bandwidth = 0;  ///< bytes per second per rank as nccl-tests: independent of the ranks
  std::int64_t flows = 0;
};

/// One algorithm; chunked ones with the number of chunks that is fastest of 1, 4, 16 and 64.
/// Errors: fewer than two ranks; unsupported where the algorithm does not exist for the collective
/// or the ranks (nvls between racks); those of StripedPaths
Result<CollectiveCost> collective_cost(const CollectiveRequest& request, Algorithm algorithm);

/// Every algorithm that there is for the request, fastest first: the first is what to choose.
Result<std::vector<CollectiveCost>> collective_costs(const CollectiveRequest& request);

}  // namespace k3::sim
