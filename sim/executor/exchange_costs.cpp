#include "sim/executor/exchange_costs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/base/parallel.h"
#include "sim/network/endpoint.h"

namespace k3::sim {
namespace {

constexpr int kSampledLayers = 3;

/// A row matrix solved in the fluid model with one byte per row.
struct Solved {
  std::vector<std::uint32_t> rows;
  std::vector<double> rank_s;  ///< last arrival of the pairs of each rank
  std::vector<LinkUse> links;
};

/// A solved matrix as one exchange uses it.
struct Use {
  std::size_t solved = 0;
  bool transposed = false;
};

std::vector<std::uint32_t> transpose(const std::vector<std::uint32_t>& rows, std::size_t ranks) {
  std::vector<std::uint32_t> turned(rows.size());
  for (std::size_t s = 0; s < ranks; ++s) {
    for (std::size_t d = 0; d < ranks; ++d)
      turned[d * ranks + s] = rows[s * ranks + d];
  }
  return turned;
}

std::size_t hash_of(const std::vector<std::uint32_t>& rows) {
  const std::string_view bytes(reinterpret_cast<const char*>(rows.data()),
                               rows.size() * sizeof(std::uint32_t));
  return std::hash<std::string_view>{}(bytes);
}

/// The link in the other direction between the same nodes, per link.
std::vector<std::int32_t> opposite_links(const Topology& topology) {
  std::map<std::pair<int, int>, std::int32_t> by_ends;
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    by_ends[{topology.links[i].from, topology.links[i].to}] = static_cast<std::int32_t>(i);
  }
  std::vector<std::int32_t> opposite;
  opposite.reserve(topology.links.size());
  for (const TopologyLink& link : topology.links)
    opposite.push_back(by_ends.at({link.to, link.from}));
  return opposite;
}

std::vector<double> as_doubles(const std::vector<std::uint32_t>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

class ExchangeCosts::Impl {
 public:
  Impl(const SimulationInput& input, int num_ranks)
      : input_(input),
        topology_(build_topology(input.machine)),
        dispatch_row_bytes_(row_bytes(input.precision.dispatch, input.model.moe.latent)),
        combine_row_bytes_(row_bytes(input.precision.combine, input.model.moe.latent)),
        gpus_(topology_.live_gpus()) {
    gpus_.resize(static_cast<std::size_t>(num_ranks));
    ports_ = endpoint_ports(topology_, gpus_);
    const auto rack = [&](int gpu) { return topology_.nodes[static_cast<std::size_t>(gpu)].rack; };
    one_rack_ = std::ranges::all_of(gpus_, [&](int gpu) { return rack(gpu) == rack(gpus_[0]); });
  }

  Result<void> cost(std::vector<LayerExchanges>& layers) {
    for (LayerExchanges& layer : layers) {
      layer.dispatch.matrix = byte_matrix(layer.traffic.dispatch, dispatch_row_bytes_);
      layer.combine.matrix = byte_matrix(layer.traffic.combine, combine_row_bytes_);
    }
    // Threads of a host exchange through its memory: costed with their tasks.
    if (input_.network == NetworkModel::endpoint || input_.host != nullptr) {
      for (LayerExchanges& layer : layers) {
        for (Exchange* exchange : {&layer.dispatch, &layer.combine})
          exchange->rank_seconds = endpoint_seconds(exchange->matrix, input_.machine, ports_);
      }
      return {};
    }
    uses_.clear();
    std::vector<const TrafficMatrix*> all;
    for (const LayerExchanges& layer : layers) {
      all.push_back(&layer.traffic.dispatch);
      all.push_back(&layer.traffic.combine);
    }
    K3_TRY(uses_, solve(all));
    for (std::size_t i = 0; i < layers.size(); ++i) {
      set_times(uses_[2 * i], dispatch_row_bytes_, layers[i].dispatch);
      set_times(uses_[2 * i + 1], combine_row_bytes_, layers[i].combine);
    }
    return {};
  }

  Result<std::vector<LinkUseRecord>> link_use(const std::vector<LayerExchanges>& layers,
                                              LinkDetail detail) {
    std::vector<LinkUseRecord> records;
    if (detail == LinkDetail::none || layers.empty() || input_.host != nullptr) return records;
    for (const Direction direction : {Direction::dispatch, Direction::combine}) {
      std::vector<LinkUse> total(topology_.links.size());
      for (std::size_t i = 0; i < layers.size(); ++i) {
        K3_TRY(const std::vector<LinkUse> used, exchange_use(layers, i, direction));
        for (const LinkUse& use : used) {
          LinkUse& sum = total[static_cast<std::size_t>(use.link)];
          sum.bytes += use.bytes;
          sum.busy_s += use.busy_s;
        }
        if (detail != LinkDetail::totals) add_records(layers[i].layer, direction, used, records);
      }
      for (std::size_t link = 0; link < total.size(); ++link)
        total[link].link = static_cast<std::int32_t>(link);
      std::erase_if(total, [](const LinkUse& use) { return use.bytes <= 0; });
      add_records(-1, direction, total, records);
    }
    return records;
  }

  Result<EndpointError> endpoint_error(const std::vector<LayerExchanges>& layers) {
    std::vector<const TrafficMatrix*> sample;
    for (int i = 0; i < kSampledLayers && static_cast<std::size_t>(i) < layers.size(); ++i) {
      const std::size_t at = layers.size() * static_cast<std::size_t>(i) / kSampledLayers;
      sample.push_back(&layers[at].traffic.dispatch);
      sample.push_back(&layers[at].traffic.combine);
    }
    K3_TRY(const std::vector<Use> uses, solve(sample));
    EndpointError error;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const ByteMatrix matrix =
          byte_matrix(*sample[i], i % 2 == 0 ? dispatch_row_bytes_ : combine_row_bytes_);
      Exchange exact{matrix, {}};
      set_times(uses[i], i % 2 == 0 ? dispatch_row_bytes_ : combine_row_bytes_, exact);
      const double slowest = std::ranges::max(exact.rank_seconds);
      const double endpoint = std::ranges::max(endpoint_seconds(matrix, input_.machine, ports_));
      // NOTE: never negative but for rounding.
      const double share = slowest > 0 ? std::max(0.0, 1 - endpoint / slowest) : 0;
      error.mean += share / static_cast<double>(sample.size());
      error.max = std::max(error.max, share);
      ++error.exchanges;
    }
    return error;
  }

 private:
  /// Finds or solves every matrix; those that are new in parallel.
  Result<std::vector<Use>> solve(const std::vector<const TrafficMatrix*>& matrices) {
    std::vector<Use> uses;
    uses.reserve(matrices.size());
    const std::size_t first_new = solved_.size();
    for (const TrafficMatrix* matrix : matrices)
      uses.push_back(find_or_add(matrix->rows));
    std::vector<Result<void>> results(solved_.size() - first_new);
    parallel_for(results.size(), num_cores(), [&](std::size_t i) {
      const bool stopped = input_.progress != nullptr && input_.progress->cancelled;
      results[i] = stopped ? fail(Code::cancelled, "the simulation was stopped")
                           : run(solved_[first_new + i]);
    });
    for (Result<void>& result : results)
      K3_TRY_VOID(std::move(result));
    return uses;
  }

  Use find_or_add(const std::vector<std::uint32_t>& rows) {
    if (const auto found = find(rows)) return {*found, false};
    if (one_rack_) {
      if (const auto found = find(transpose(rows, gpus_.size()))) return {*found, true};
    }
    solved_.push_back({rows, {}, {}});
    by_hash_.emplace(hash_of(rows), solved_.size() - 1);
    return {solved_.size() - 1, false};
  }

  std::optional<std::size_t> find(const std::vector<std::uint32_t>& rows) const {
    const auto [begin, end] = by_hash_.equal_range(hash_of(rows));
    for (auto entry = begin; entry != end; ++entry) {
      if (solved_[entry->second].rows == rows) return entry->second;
    }
    return std::nullopt;
  }

  Result<void> run(Solved& solved) const {
    const std::vector<double> bytes = as_doubles(solved.rows);
    K3_TRY(AllToAllResult result,
           all_to_all(
               {.topology = topology_, .gpus = gpus_, .bytes = bytes, .striping = Striping::live}));
    const std::size_t ranks = gpus_.size();
    solved.rank_s.assign(ranks, 0);
    for (std::size_t s = 0; s < ranks; ++s) {
      for (std::size_t d = 0; d < ranks; ++d) {
        const double arrival = result.completion_s[s * ranks + d];
        solved.rank_s[s] = std::max(solved.rank_s[s], arrival);
        solved.rank_s[d] = std::max(solved.rank_s[d], arrival);
      }
    }
    solved.links = std::move(result.links);
    return {};
  }

  void set_times(const Use& use, std::int64_t bytes_per_row, Exchange& exchange) const {
    const double scale =
        static_cast<double>(bytes_per_row) / input_.machine.roofline.network_efficiency;
    const std::vector<EndpointLoad> loads = endpoint_loads(exchange.matrix, ports_);
    const std::vector<double>& rank_s = solved_[use.solved].rank_s;
    exchange.rank_seconds.clear();
    for (std::size_t rank = 0; rank < loads.size(); ++rank) {
      exchange.rank_seconds.push_back(
          exchange_seconds(loads[rank], rank_s[rank] * scale, input_.machine));
    }
  }

  Result<std::vector<LinkUse>> exchange_use(const std::vector<LayerExchanges>& layers,
                                            std::size_t layer,
                                            Direction direction) {
    const bool dispatch = direction == Direction::dispatch;
    const auto bytes_per_row =
        static_cast<double>(dispatch ? dispatch_row_bytes_ : combine_row_bytes_);
    const TrafficMatrix& matrix =
        dispatch ? layers[layer].traffic.dispatch : layers[layer].traffic.combine;
    std::vector<LinkUse> used;
    if (input_.network == NetworkModel::exact) {
      const Use& use = uses_[2 * layer + (dispatch ? 0 : 1)];
      used = solved_[use.solved].links;
      if (use.transposed) turn(used);
    } else {
      const std::vector<double> rows = as_doubles(matrix.rows);
      K3_TRY(
          used,
          link_loads(
              {.topology = topology_, .gpus = gpus_, .bytes = rows, .striping = Striping::live}));
    }
    for (LinkUse& use : used) {
      use.bytes *= bytes_per_row;
      use.busy_s *= bytes_per_row / input_.machine.roofline.network_efficiency;
    }
    return used;
  }

  /// The same bytes the other way round.
  void turn(std::vector<LinkUse>& used) {
    if (opposite_.empty()) opposite_ = opposite_links(topology_);
    for (LinkUse& use : used)
      use.link = opposite_[static_cast<std::size_t>(use.link)];
    std::ranges::sort(used, {}, &LinkUse::link);
  }

  static void add_records(std::int16_t layer,
                          Direction direction,
                          const std::vector<LinkUse>& used,
                          std::vector<LinkUseRecord>& records) {
    for (const LinkUse& use : used) {
      records.push_back({.layer = layer,
                         .direction = direction,
                         .link = use.link,
                         .bytes = std::llround(use.bytes),
                         .busy_ns = std::llround(use.busy_s * 1e9)});
    }
  }

  const SimulationInput& input_;
  Topology topology_;
  std::int64_t dispatch_row_bytes_;
  std::int64_t combine_row_bytes_;
  std::vector<int> gpus_;  ///< per rank
  std::vector<EndpointPort> ports_;
  bool one_rack_ = true;
  std::vector<Solved> solved_;
  std::unordered_multimap<std::size_t, std::size_t> by_hash_;
  std::vector<Use> uses_;  ///< of the step that was costed last: dispatch and combine per layer
  std::vector<std::int32_t> opposite_;
};

ExchangeCosts::ExchangeCosts(const SimulationInput& input, int num_ranks)
    : impl_(std::make_unique<Impl>(input, num_ranks)) {}

ExchangeCosts::~ExchangeCosts() = default;

Result<void> ExchangeCosts::cost(std::vector<LayerExchanges>& layers) {
  return impl_->cost(layers);
}

Result<std::vector<LinkUseRecord>> ExchangeCosts::link_use(
    const std::vector<LayerExchanges>& layers, LinkDetail detail) {
  return impl_->link_use(layers, detail);
}

Result<EndpointError> ExchangeCosts::endpoint_error(const std::vector<LayerExchanges>& layers) {
  return impl_->endpoint_error(layers);
}

std::vector<LinkRecord> link_records(const Topology& topology) {
  std::vector<LinkRecord> records;
  records.reserve(topology.links.size());
  for (const TopologyLink& link : topology.links) {
    const TopologyNode& from = topology.nodes[static_cast<std::size_t>(link.from)];
    const TopologyNode& to = topology.nodes[static_cast<std::size_t>(link.to)];
    std::int32_t plane = -1;
    if (from.kind == NodeKind::plane) plane = from.index;
    if (to.kind == NodeKind::plane) plane = to.index;
    records.push_back({.src_node = from.name,
                       .dst_node = to.name,
                       .plane = plane,
                       .capacity_bytes_per_s = link.capacity.bytes_per_second,
                       .latency_ns = link.latency.ns()});
  }
  return records;
}

}  // namespace k3::sim
