#include "sim/network/collective.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/core.h>

namespace k3::sim {
namespace {

constexpr std::array<std::string_view, kNumCollectives> kCollectiveNames{
    "all-reduce", "all-gather", "reduce-scatter", "broadcast", "all-to-all", "send-recv"};
constexpr std::array<std::string_view, kNumAlgorithms> kAlgorithmNames{"direct", "ring", "tree",
                                                                       "nvls"};
constexpr std::array kChunks{1, 4, 16, 64};

/// Flows that a rank's next message has to wait for.
using Pending = std::vector<std::int32_t>;

bool exists(Collective collective, Algorithm algorithm) {
  switch (collective) {
    case Collective::all_reduce:
    case Collective::broadcast:
      return true;
    case Collective::all_gather:
    case Collective::reduce_scatter:
      return algorithm != Algorithm::tree;
    case Collective::all_to_all:
    case Collective::send_recv:
      return algorithm == Algorithm::direct;
  }
  return false;
}

bool is_chunked(Collective collective, Algorithm algorithm) {
  return algorithm == Algorithm::tree ||
         (algorithm == Algorithm::ring && collective == Collective::broadcast) ||
         (algorithm == Algorithm::nvls && collective == Collective::all_reduce);
}

/// Lays out the messages of one collective.
class Layout {
 public:
  Layout(const CollectiveRequest& request, int chunks)
      : request_(request),
        ranks_(static_cast<std::int32_t>(request.gpus.size())),
        chunks_(chunks),
        paths_(request.topology, request.gpus, request.striping) {}

  Result<void> add(Algorithm algorithm) {
    K3_TRY_VOID(paths_.check_gpus());
    std::vector<Pending> ready(static_cast<std::size_t>(ranks_));
    switch (request_.collective) {
      case Collective::all_reduce:
        if (algorithm == Algorithm::tree) return add_trees(Direction::both);
        if (algorithm == Algorithm::nvls) return all_reduce_in_switches();
        K3_TRY_VOID(reduce_scatter(algorithm, ready));
        return all_gather(algorithm, ready);
      case Collective::all_gather:
        return all_gather(algorithm, ready);
      case Collective::reduce_scatter:
        return reduce_scatter(algorithm, ready);
      case Collective::broadcast:
        return broadcast(algorithm);
      case Collective::all_to_all:
        return all_to_all();
      case Collective::send_recv:
        break;
    }
    for (std::int32_t rank = 0; rank < ranks_; ++rank)
      K3_TRY_VOID(send(rank, next(rank), request_.bytes, {}));
    return {};
  }

  const StripedPaths& paths() const { return paths_; }

 private:
  enum class Direction : std::uint8_t { down, both };

  std::int32_t next(std::int32_t rank) const { return (rank + 1) % ranks_; }

  double part() const { return request_.bytes / ranks_; }

  static Pending& of(std::vector<Pending>& pending, std::int32_t rank) {
    return pending[static_cast<std::size_t>(rank)];
  }

  /// Adds a transfer; the flows that it became.
  Result<Pending> add(std::span<const std::int32_t> sources,
                      std::span<const std::int32_t> destinations,
                      double bytes,
                      std::span<const std::int32_t> after) {
    const std::int32_t first = paths_.problem().num_flows();
    K3_TRY_VOID(paths_.add({.sources = sources,
                            .destinations = destinations,
                            .bytes = bytes,
                            .latency_s = request_.latency_s,
                            .after = after}));
    Pending added;
    for (std::int32_t flow = first; flow < paths_.problem().num_flows(); ++flow)
      added.push_back(flow);
    return added;
  }

  Result<Pending> send(std::int32_t from,
                       std::int32_t to,
                       double bytes,
                       std::span<const std::int32_t> after) {
    return add(std::span(&from, 1), std::span(&to, 1), bytes, after);
  }

  std::vector<std::int32_t> all_but(std::int32_t rank) const {
    std::vector<std::int32_t> others;
    for (std::int32_t other = 0; other < ranks_; ++other) {
      if (other != rank) others.push_back(other);
    }
    return others;
  }

  /// Every rank has its part added up by the switches and copied to all, chunk by chunk, so that
  /// sums of one chunk come in while copies of the one before go out.
  Result<void> all_reduce_in_switches() {
    for (std::int32_t rank = 0; rank < ranks_; ++rank) {
      const std::vector<std::int32_t> others = all_but(rank);
      Pending reduced;
      for (int chunk = 0; chunk < chunks_; ++chunk) {
        K3_TRY(reduced, add(others, std::span(&rank, 1), part() / chunks_, reduced));
        K3_TRY_VOID(add(std::span(&rank, 1), others, part() / chunks_, reduced));
      }
    }
    return {};
  }

  /// `ready[r]`: what rank r's part waits for; afterwards: what the reduced part of r has come
  /// from.
  Result<void> reduce_scatter(Algorithm algorithm, std::vector<Pending>& ready) {
    if (algorithm == Algorithm::ring) return ring_steps(ready);
    for (std::int32_t to = 0; to < ranks_; ++to) {
      if (algorithm == Algorithm::nvls) {
        K3_TRY(of(ready, to), add(all_but(to), std::span(&to, 1), part(), {}));
        continue;
      }
      for (const std::int32_t from : all_but(to)) {
        K3_TRY(const Pending added, send(from, to, part(), {}));
        of(ready, to).insert(of(ready, to).end(), added.begin(), added.end());
      }
    }
    return {};
  }

  Result<void> all_gather(Algorithm algorithm, std::vector<Pending>& ready) {
    if (algorithm == Algorithm::ring) return ring_steps(ready);
    for (std::int32_t from = 0; from < ranks_; ++from) {
      if (algorithm == Algorithm::nvls) {
        K3_TRY_VOID(add(std::span(&from, 1), all_but(from), part(), of(ready, from)));
        continue;
      }
      for (const std::int32_t to : all_but(from))
        K3_TRY_VOID(send(from, to, part(), of(ready, from)));
    }
    return {};
  }

  /// ranks − 1 steps in which every rank passes one part on to the next. What a rank passes on is
  /// what it got in the step before.
  Result<void> ring_steps(std::vector<Pending>& ready) {
    std::vector<Pending> sent(ready.size());
    for (std::int32_t step = 1; step < ranks_; ++step) {
      std::vector<Pending> arrived(ready.size());
      for (std::int32_t rank = 0; rank < ranks_; ++rank) {
        Pending after = of(ready, rank);
        after.insert(after.end(), of(sent, rank).begin(), of(sent, rank).end());
        K3_TRY(of(sent, rank), send(rank, next(rank), part(), after));
        of(arrived, next(rank)) = of(sent, rank);
      }
      ready = std::move(arrived);
    }
    return {};
  }

  Result<void> broadcast(Algorithm algorithm) {
    constexpr std::int32_t kRoot = 0;
    switch (algorithm) {
      case Algorithm::nvls: {
        K3_TRY_VOID(add(std::span(&kRoot, 1), all_but(kRoot), request_.bytes, {}));
        return {};
      }
      case Algorithm::direct:
        for (const std::int32_t to : all_but(kRoot))
          K3_TRY_VOID(send(kRoot, to, request_.bytes, {}));
        return {};
      case Algorithm::ring:
        return chain();
      case Algorithm::tree:
        break;
    }
    return add_trees(Direction::down);
  }

  /// The bytes in chunks from rank to rank; a rank passes chunks on in order.
  Result<void> chain() {
    std::vector<Pending> sent(static_cast<std::size_t>(ranks_));
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      Pending arrived;
      for (std::int32_t rank = 0; rank + 1 < ranks_; ++rank) {
        Pending after = arrived;
        after.insert(after.end(), of(sent, rank).begin(), of(sent, rank).end());
        K3_TRY(arrived, send(rank, rank + 1, request_.bytes / chunks_, after));
        of(sent, rank) = arrived;
      }
    }
    return {};
  }

  /// Two binary trees, the second over the ranks turned by one, so that the leaves of one are inner
  /// nodes of the other; half of the bytes each.
  Result<void> add_trees(Direction direction) {
    for (const std::int32_t turn : {0, 1})
      K3_TRY_VOID(add_tree(turn, direction));
    return {};
  }

  Result<void> add_tree(std::int32_t turn, Direction direction) {
    const double bytes = request_.bytes / 2 / chunks_;
    const auto rank_of = [&](std::int32_t node) { return (node + turn) % ranks_; };
    // NOTE: node n has the children 2n + 1 and 2n + 2, so that descending order is from the leaves.
    std::vector<Pending> up(static_cast<std::size_t>(ranks_));
    std::vector<Pending> down(static_cast<std::size_t>(ranks_));
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      std::vector<Pending> arrived(static_cast<std::size_t>(ranks_));
      if (direction == Direction::both) {
        for (std::int32_t node = ranks_ - 1; node > 0; --node) {
          Pending after = of(arrived, node);
          after.insert(after.end(), of(up, node).begin(), of(up, node).end());
          K3_TRY(of(up, node), send(rank_of(node), rank_of((node - 1) / 2), bytes, after));
          Pending& parent = of(arrived, (node - 1) / 2);
          parent.insert(parent.end(), of(up, node).begin(), of(up, node).end());
        }
      }
      for (std::int32_t node = 1; node < ranks_; ++node) {
        Pending after = (node - 1) / 2 == 0 ? of(arrived, 0) : of(down, (node - 1) / 2);
        const Pending before = of(down, node);
        after.insert(after.end(), before.begin(), before.end());
        K3_TRY(of(down, node), send(rank_of((node - 1) / 2), rank_of(node), bytes, after));
      }
    }
    return {};
  }

  Result<void> all_to_all() {
    for (std::int32_t from = 0; from < ranks_; ++from) {
      for (const std::int32_t to : all_but(from))
        K3_TRY_VOID(send(from, to, part(), {}));
    }
    return {};
  }

  const CollectiveRequest& request_;
  std::int32_t ranks_;
  int chunks_;
  StripedPaths paths_;
};

/// Bytes that every rank has to send or receive at least, over `bytes`. Source: nccl-tests,
/// PERFORMANCE.md
double bus_factor(Collective collective, double ranks) {
  switch (collective) {
    case Collective::all_reduce:
      return 2 * (ranks - 1) / ranks;
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all:
      return (ranks - 1) / ranks;
    case Collective::broadcast:
    case Collective::send_recv:
      break;
  }
  return 1;
}

Result<CollectiveCost> cost_with(const CollectiveRequest& request,
                                 Algorithm algorithm,
                                 int chunks) {
  Layout layout(request, chunks);
  K3_TRY_VOID(layout.add(algorithm));
  if (request.progress != nullptr) request.progress->total += layout.paths().problem().num_flows();
  const FlowTimes times = solve_flows(layout.paths().problem(),
                                      {.threads = request.threads, .progress = request.progress});
  if (request.progress != nullptr && request.progress->cancelled) {
    return fail(Code::cancelled, "the collective was stopped");
  }
  CollectiveCost cost{.algorithm = algorithm,
                      .chunks = chunks,
                      .seconds = times.makespan_s(),
                      .flows = layout.paths().num_parts()};
  for (const LinkUse& use : layout.paths().link_use(nullptr))
    cost.bound_s = std::max(cost.bound_s, use.busy_s);
  cost.bus_bandwidth = request.bytes *
                       bus_factor(request.collective, static_cast<double>(request.gpus.size())) /
                       cost.seconds;
  return cost;
}

}  // namespace

std::string_view name_of(Collective collective) {
  return kCollectiveNames[static_cast<std::size_t>(collective)];
}

std::string_view name_of(Algorithm algorithm) {
  return kAlgorithmNames[static_cast<std::size_t>(algorithm)];
}

Result<CollectiveCost> collective_cost(const CollectiveRequest& request, Algorithm algorithm) {
  if (request.gpus.size() < 2) {
    return fail(Code::invalid_input,
                fmt::format("{} ranks; a collective needs at least 2", request.gpus.size()));
  }
  if (!exists(request.collective, algorithm)) {
    return fail(Code::unsupported, fmt::format("{} has no {} algorithm",
                                               name_of(request.collective), name_of(algorithm)));
  }
  if (!is_chunked(request.collective, algorithm)) return cost_with(request, algorithm, 1);
  K3_TRY(CollectiveCost best, cost_with(request, algorithm, kChunks[0]));
  for (const int chunks : std::span(kChunks).subspan(1)) {
    K3_TRY(const CollectiveCost cost, cost_with(request, algorithm, chunks));
    if (cost.seconds < best.seconds) best = cost;
  }
  return best;
}

Result<std::vector<CollectiveCost>> collective_costs(const CollectiveRequest& request) {
  std::vector<CollectiveCost> costs;
  for (std::size_t i = 0; i < kNumAlgorithms; ++i) {
    const auto algorithm = static_cast<Algorithm>(i);
    auto cost = collective_cost(request, algorithm);
    if (cost) {
      costs.push_back(*cost);
    } else if (cost.error().code != Code::unsupported) {
      return tl::unexpected(std::move(cost.error()));
    }
  }
  std::ranges::stable_sort(costs, {}, &CollectiveCost::seconds);
  return costs;
}

}  // namespace k3::sim
