#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include "engine/base/check.h"
#include "sim/network/flow_component_internal.h"
#include "sim/network/water_levels_internal.h"

namespace k3::sim {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

/// Flows by the time at which they may start, then by number.
using Starts = std::priority_queue<std::pair<double, std::int32_t>,
                                   std::vector<std::pair<double, std::int32_t>>,
                                   std::greater<>>;

class SparseRun {
 public:
  SparseRun(const FlowProblem& problem, const FlowComponent& part, FlowClock clock)
      : problem_(problem), part_(part), clock_(clock), levels_(part) {
    if (part.timed) find_dependents();
    for (std::int32_t flow = 0; flow < num_flows(); ++flow) {
      if (waits_for(flow) == 0) starts_.emplace(problem_.start_s()[number(flow)], flow);
    }
  }

  std::int64_t run() {
    std::int64_t events = 0;
    while ((!starts_.empty() || !active_.empty()) && !clock_.stopped()) {
      ++events;
      if (active_.empty()) now_ = std::max(now_, starts_.top().first);
      start_flows();
      levels_.fill();
      advance();
    }
    return events;
  }

 private:
  struct Active {
    double left;  ///< bytes
    std::int32_t flow;
    std::int32_t number;  ///< class
  };

  std::int32_t num_flows() const { return static_cast<std::int32_t>(part_.flows.size()); }

  std::size_t number(std::int32_t flow) const { return at(part_.flows[at(flow)]); }

  std::int32_t waits_for(std::int32_t flow) const {
    return waiting_.empty() ? 0 : waiting_[at(flow)];
  }

  void find_dependents() {
    waiting_.resize(part_.flows.size());
    dependents_.resize(part_.flows.size());
    for (std::int32_t flow = 0; flow < num_flows(); ++flow) {
      for (const std::int32_t earlier : problem_.after(part_.flows[at(flow)])) {
        const auto found = std::ranges::lower_bound(part_.flows, earlier);
        dependents_[static_cast<std::size_t>(found - part_.flows.begin())].push_back(flow);
        ++waiting_[at(flow)];
      }
    }
  }

  void start_flows() {
    while (!starts_.empty() && starts_.top().first <= now_) {
      const std::int32_t flow = starts_.top().second;
      starts_.pop();
      clock_.start_s[number(flow)] = now_;
      active_.push_back({problem_.bytes()[number(flow)], flow, part_.flow_class[at(flow)]});
      levels_.add(active_.back().number);
    }
  }

  /// Moves to the next end of a flow or the next start, whichever is first.
  void advance() {
    double until_end = kInfinite;
    for (const Active& flow : active_)
      until_end = std::min(until_end, flow.left / levels_.rate(flow.number));
    double step = until_end;
    if (!starts_.empty() && starts_.top().first - now_ < until_end) {
      step = starts_.top().first - now_;
      now_ = starts_.top().first;
    } else {
      now_ += step;
    }
    const std::size_t before = active_.size();
    for (std::size_t i = 0; i < active_.size();) {
      Active& flow = active_[i];
      flow.left -= step * levels_.rate(flow.number);
      if (flow.left > kEnded * problem_.bytes()[number(flow.flow)]) {
        ++i;
      } else {
        end_flow(flow);
        flow = active_.back();
        active_.pop_back();
      }
    }
    clock_.count(before - active_.size());
  }

  void end_flow(const Active& flow) {
    levels_.remove(flow.number);
    const double arrival = now_ + problem_.latency_s()[number(flow.flow)];
    clock_.arrival_s[number(flow.flow)] = arrival;
    if (dependents_.empty()) return;
    for (const std::int32_t next : dependents_[at(flow.flow)]) {
      // A flow starts when the last of those it waits for has arrived.
      double& ready = clock_.start_s[number(next)];
      ready = std::max(ready, arrival);
      if (--waiting_[at(next)] > 0) continue;
      starts_.emplace(std::max(ready, problem_.start_s()[number(next)]), next);
    }
  }

  const FlowProblem& problem_;
  const FlowComponent& part_;
  FlowClock clock_;
  WaterLevels levels_;
  Starts starts_;
  std::vector<std::int32_t> waiting_;  ///< per flow: flows that must arrive first
  std::vector<std::vector<std::int32_t>> dependents_;
  std::vector<Active> active_;
  double now_ = 0;
};

}  // namespace

std::int64_t solve_sparse(const FlowProblem& problem, const FlowComponent& part, FlowClock clock) {
  return SparseRun(problem, part, clock).run();
}

}  // namespace k3::sim
