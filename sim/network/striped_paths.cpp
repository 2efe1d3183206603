#include "sim/network/striped_paths.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>

namespace k3::sim {
namespace {

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

double per_line(const TopologyLink& link) {
  return link.capacity.bytes_per_second / link.lines;
}

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

StripedPaths::StripedPaths(const Topology& topology, std::span<const int> gpus, Striping striping)
    : topology_(topology), gpus_(gpus), striping_(striping) {
  std::map<int, std::size_t> number_of_rack;
  for (std::size_t rank = 0; rank < gpus.size(); ++rank) {
    const int rack_number = gpu(static_cast<std::int32_t>(rank)).rack;
    const std::size_t rack =
        number_of_rack.try_emplace(rack_number, number_of_rack.size()).first->second;
    if (rack == racks_.size()) racks_.emplace_back();
    Rack& home = racks_[rack];
    rack_of_.push_back(rack);
    place_.push_back(static_cast<std::int32_t>(home.ranks.size()));
    home.ranks.push_back(static_cast<std::int32_t>(rank));
    home.up.push_back(topology.up_links(gpus[rank]));
    home.down.push_back(topology.down_links(gpus[rank]));
  }
  for (Rack& rack : racks_)
    add_rack_links(rack);
}

const TopologyNode& StripedPaths::gpu(std::int32_t rank) const {
  return topology_.nodes[at(gpus_[at(rank)])];
}

const TopologyLink& StripedPaths::link(int number) const {
  return topology_.links[at(number)];
}

Result<void> StripedPaths::check_gpus() const {
  for (std::size_t rank = 0; rank < gpus_.size(); ++rank) {
    if (topology_.compute_speed[at(gpus_[rank])] > 0) continue;
    return fail(Code::invalid_input, fmt::format("{} is gone; rank {} needs another GPU",
                                                 gpu(static_cast<std::int32_t>(rank)).name, rank));
  }
  return {};
}

void StripedPaths::add_rack_links(Rack& rack) {
  for (int plane = 0; plane < rack.planes(); ++plane) {
    PlaneClass added;
    for (std::size_t i = 0; i < rack.ranks.size(); ++i) {
      added.up.push_back(per_line(link(rack.up[i][at(plane)])));
      added.down.push_back(per_line(link(rack.down[i][at(plane)])));
    }
    // Hashed pairs differ from plane to plane.
    const auto same = std::ranges::find_if(rack.classes, [&](const PlaneClass& other) {
      return striping_ != Striping::hash && other.up == added.up && other.down == added.down;
    });
    PlaneClass& home =
        same == rack.classes.end() ? rack.classes.emplace_back(std::move(added)) : *same;
    home.planes.push_back(plane);
  }
  for (PlaneClass& alike : rack.classes) {
    alike.first_link = problem_.num_links();
    for (const auto* side : {&alike.up, &alike.down}) {
      for (const double capacity : *side)
        problem_.add_link(capacity);
    }
  }
}

bool StripedPaths::carries(const Rack& rack, const Transfer& transfer, int plane) const {
  const auto alive = [&](const auto& links, std::int32_t rank) {
    return link(links[at(place(rank))][at(plane)]).alive();
  };
  switch (striping_) {
    case Striping::equal:
      return true;
    case Striping::live:
      return std::ranges::all_of(transfer.sources,
                                 [&](auto rank) { return alive(rack.up, rank); }) &&
             std::ranges::all_of(transfer.destinations,
                                 [&](auto rank) { return alive(rack.down, rank); });
    case Striping::hash:
      break;
  }
  const int sum = gpus_[at(transfer.sources[0])] + gpus_[at(transfer.destinations[0])];
  return sum % rack.planes() == plane;
}

/// Lines that share the bytes of a transfer.
Result<int> StripedPaths::shared_lines(const Rack& rack, const Transfer& transfer) const {
  int lines = 0;
  const std::vector<int>& up = rack.up[at(place(transfer.sources[0]))];
  for (int plane = 0; plane < rack.planes(); ++plane) {
    if (carries(rack, transfer, plane)) lines += link(up[at(plane)]).lines;
  }
  if (lines > 0) return lines;
  return fail(Code::invalid_input,
              fmt::format("{} and {} share no plane to which both have a live link",
                          gpu(transfer.sources[0]).name, gpu(transfer.destinations[0]).name));
}

Result<void> StripedPaths::add_load(int number) {
  loads_.push_back(number);
  if (link(number).alive()) return {};
  return fail(Code::invalid_input,
              fmt::format("{} striping needs the link {} -> {}, which is dead; use live striping",
                          name_of(striping_), topology_.nodes[at(link(number).from)].name,
                          topology_.nodes[at(link(number).to)].name));
}

Result<void> StripedPaths::add_loads(const Rack& rack,
                                     const Transfer& transfer,
                                     const PlaneClass& alike) {
  for (const int plane : alike.planes) {
    for (const std::int32_t rank : transfer.sources)
      K3_TRY_VOID(add_load(rack.up[at(place(rank))][at(plane)]));
    for (const std::int32_t rank : transfer.destinations)
      K3_TRY_VOID(add_load(rack.down[at(place(rank))][at(plane)]));
  }
  return {};
}

Result<void> StripedPaths::add_on_planes(Rack& rack, const Transfer& transfer) {
  K3_TRY(const int lines, shared_lines(rack, transfer));
  for (const PlaneClass& alike : rack.classes) {
    if (!carries(rack, transfer, alike.planes[0])) continue;
    K3_TRY_VOID(add_loads(rack, transfer, alike));
    path_.clear();
    for (const std::int32_t rank : transfer.sources)
      path_.push_back(alike.first_link + place(rank));
    for (const std::int32_t rank : transfer.destinations) {
      path_.push_back(alike.first_link + static_cast<std::int32_t>(rack.ranks.size()) +
                      place(rank));
    }
    const double bytes = transfer.bytes / lines;
    const auto plane = at(alike.planes[0]);
    const Time latency = link(rack.up[at(place(transfer.sources[0]))][plane]).latency +
                         link(rack.down[at(place(transfer.destinations[0]))][plane]).latency;
    problem_.add({.links = path_,
                  .bytes = bytes,
                  .latency_s = transfer.latency_s.value_or(latency.seconds()),
                  .after = transfer.after});
    parts_.push_back({bytes, loads_.size()});
    num_parts_ += static_cast<std::int64_t>(alike.planes.size());
  }
  return {};
}

Result<void> StripedPaths::add_on_route(const Transfer& transfer) {
  if (!routes_) {
    routes_.emplace(topology_);
    route_link_.assign(topology_.links.size(), -1);
  }
  K3_TRY(const std::vector<int> route,
         routes_->route(gpus_[at(transfer.sources[0])], gpus_[at(transfer.destinations[0])]));
  path_.clear();
  Time latency;
  for (const int number : route) {
    K3_TRY_VOID(add_load(number));
    latency += link(number).latency;
    std::int32_t& own = route_link_[at(number)];
    if (own < 0) own = problem_.add_link(per_line(link(number)) * link(number).lines);
    path_.push_back(own);
  }
  problem_.add({.links = path_,
                .bytes = transfer.bytes,
                .latency_s = transfer.latency_s.value_or(latency.seconds()),
                .after = transfer.after});
  parts_.push_back({transfer.bytes, loads_.size()});
  ++num_parts_;
  return {};
}

Result<void> StripedPaths::add(const Transfer& transfer) {
  const std::size_t rack = rack_of_[at(transfer.sources[0])];
  const auto inside = [&](std::int32_t rank) { return rack_of_[at(rank)] == rack; };
  if (std::ranges::all_of(transfer.sources, inside) &&
      std::ranges::all_of(transfer.destinations, inside)) {
    return add_on_planes(racks_[rack], transfer);
  }
  if (transfer.sources.size() == 1 && transfer.destinations.size() == 1) {
    return add_on_route(transfer);
  }
  return fail(Code::unsupported,
              "switches copy and add up inside one rack only; ranks of several racks take part");
}

std::vector<LinkUse> StripedPaths::link_use(const FlowTimes* times) const {
  std::vector<LinkUse> use(topology_.links.size());
  std::vector<std::vector<std::pair<double, double>>> active(times != nullptr ? use.size() : 0);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const std::size_t begin = i == 0 ? 0 : parts_[i - 1].end_load;
    for (const int number : std::span(loads_).subspan(begin, part.end_load - begin)) {
      // A route is in the problem with all its lines.
      const bool plane = topology_.nodes[at(link(number).from)].kind == NodeKind::plane ||
                         topology_.nodes[at(link(number).to)].kind == NodeKind::plane;
      use[at(number)].bytes += plane ? part.bytes * link(number).lines : part.bytes;
      if (times == nullptr) continue;
      const double end = times->arrival_s[i] - problem_.latency_s()[i];
      auto& spans = active[at(number)];
      // NOTE: in most cases everything begins at once; then one span per link is enough.
      if (!spans.empty() && spans.back().first == times->start_s[i]) {
        spans.back().second = std::max(spans.back().second, end);
      } else {
        spans.emplace_back(times->start_s[i], end);
      }
    }
  }
  for (std::size_t i = 0; i < active.size(); ++i) {
    std::ranges::sort(active[i]);
    double covered = 0;
    for (const auto& [start, end] : active[i]) {
      use[i].busy_s += std::max(0.0, end - std::max(start, covered));
      covered = std::max(covered, end);
    }
  }
  for (std::size_t i = 0; i < use.size(); ++i) {
    use[i].link = static_cast<std::int32_t>(i);
    if (times == nullptr)
      use[i].busy_s = use[i].bytes / topology_.links[i].capacity.bytes_per_second;
  }
  std::erase_if(use, [](const LinkUse& one) { return one.bytes <= 0; });
  return use;
}

}  // namespace k3::sim
