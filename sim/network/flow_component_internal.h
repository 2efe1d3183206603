#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/progress.h"
#include "sim/network/flow_problem.h"

namespace k3::sim {

/// A part of the network that shares no link and no dependency with the rest. Links, flows and
/// classes are numbered within it; a class is what flows with the same links have in common.
struct FlowComponent {
  std::vector<double> capacity;           ///< per link
  std::vector<std::int32_t> flows;        ///< numbers in the problem, ascending
  std::vector<std::int32_t> flow_class;   ///< per flow
  std::vector<std::int32_t> class_links;  ///< links of class 0, class 1, …
  std::vector<std::int32_t> class_end;    ///< per class: where its links end
  bool timed = false;                     ///< some flow starts later than another, or waits for one

  int num_links() const { return static_cast<int>(capacity.size()); }

  int num_classes() const { return static_cast<int>(class_end.size()); }

  std::span<const std::int32_t> links(std::int32_t number) const {
    const auto i = static_cast<std::size_t>(number);
    const auto begin = static_cast<std::size_t>(i == 0 ? 0 : class_end[i - 1]);
    return std::span(class_links).subspan(begin, static_cast<std::size_t>(class_end[i]) - begin);
  }
};

std::vector<FlowComponent> components(const FlowProblem& problem);

/// When the flows of a component start and arrive, both indexed by the problem's flow numbers, and
/// who is told.
struct FlowClock {
  std::span<double> start_s;
  std::span<double> arrival_s;
  Progress* progress = nullptr;

  bool stopped() const { return progress != nullptr && progress->cancelled; }

  void count(std::size_t ended) const {
    if (progress != nullptr) progress->done += static_cast<std::int64_t>(ended);
  }
};

/// Any component. Returns the number of events.
std::int64_t solve_sparse(const FlowProblem& problem, const FlowComponent& part, FlowClock clock);

/// A component in which every class joins one of a set of links with one of another set, one flow
/// each, all at once: an all-to-all over one tier of switches. The same result as solve_sparse, up
/// to rounding, several times faster where most pairs have a flow.
bool is_dense(const FlowComponent& part);
std::int64_t solve_dense(const FlowProblem& problem, const FlowComponent& part, FlowClock clock);

/// What remains of a flow below this share of its bytes is rounding: it has ended.
inline constexpr double kEnded = 1e-12;

}  // namespace k3::sim
