#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "sim/network/flow_component_internal.h"

namespace k3::sim {
namespace {

/// Sets of links, merged by flows and dependencies.
class Sets {
 public:
  explicit Sets(std::int32_t count) : parent_(static_cast<std::size_t>(count)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  std::int32_t root(std::int32_t member) {
    std::int32_t at = member;
    while (parent_[static_cast<std::size_t>(at)] != at) {
      std::int32_t& parent = parent_[static_cast<std::size_t>(at)];
      parent = parent_[static_cast<std::size_t>(parent)];
      at = parent;
    }
    return at;
  }

  void join(std::int32_t a, std::int32_t b) {
    parent_[static_cast<std::size_t>(root(a))] = root(b);
  }

 private:
  std::vector<std::int32_t> parent_;
};

std::string_view key_of(std::span<const std::int32_t> links) {
  return {reinterpret_cast<const char*>(links.data()), links.size_bytes()};
}

Sets joined_links(const FlowProblem& problem) {
  Sets sets(problem.num_links());
  for (std::int32_t flow = 0; flow < problem.num_flows(); ++flow) {
    const std::int32_t first = problem.links(flow)[0];
    for (const std::int32_t link : problem.links(flow).subspan(1))
      sets.join(link, first);
    for (const std::int32_t earlier : problem.after(flow))
      sets.join(problem.links(earlier)[0], first);
  }
  return sets;
}

/// Numbers links and classes of one component in the order in which its flows name them.
class Numbering {
 public:
  Numbering(const FlowProblem& problem, std::vector<std::int32_t>& local)
      : problem_(problem), local_(local) {}

  void run(FlowComponent& part) {
    std::unordered_map<std::string_view, std::int32_t> classes;
    classes.reserve(part.flows.size());
    part.flow_class.reserve(part.flows.size());
    const auto first = static_cast<std::size_t>(part.flows[0]);
    for (const std::int32_t flow : part.flows) {
      const std::span<const std::int32_t> links = problem_.links(flow);
      const auto [entry, added] = classes.try_emplace(key_of(links), part.num_classes());
      if (added) add_class(links, part);
      part.flow_class.push_back(entry->second);
      part.timed = part.timed || !problem_.after(flow).empty() ||
                   problem_.start_s()[static_cast<std::size_t>(flow)] != problem_.start_s()[first];
    }
  }

 private:
  void add_class(std::span<const std::int32_t> links, FlowComponent& part) {
    for (const std::int32_t link : links) {
      std::int32_t& number = local_[static_cast<std::size_t>(link)];
      if (number < 0) {
        number = part.num_links();
        part.capacity.push_back(problem_.capacity()[static_cast<std::size_t>(link)]);
      }
      part.class_links.push_back(number);
    }
    part.class_end.push_back(static_cast<std::int32_t>(part.class_links.size()));
  }

  const FlowProblem& problem_;
  std::vector<std::int32_t>& local_;
};

}  // namespace

std::vector<FlowComponent> components(const FlowProblem& problem) {
  Sets sets = joined_links(problem);
  std::vector<std::int32_t> number(static_cast<std::size_t>(problem.num_links()), -1);
  std::vector<FlowComponent> parts;
  for (std::int32_t flow = 0; flow < problem.num_flows(); ++flow) {
    std::int32_t& part = number[static_cast<std::size_t>(sets.root(problem.links(flow)[0]))];
    if (part < 0) {
      part = static_cast<std::int32_t>(parts.size());
      parts.emplace_back();
    }
    parts[static_cast<std::size_t>(part)].flows.push_back(flow);
  }
  std::vector<std::int32_t> local(static_cast<std::size_t>(problem.num_links()), -1);
  Numbering numbering(problem, local);
  for (FlowComponent& part : parts)
    numbering.run(part);
  return parts;
}

}  // namespace k3::sim
