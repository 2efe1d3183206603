#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>

#include "engine/base/hot_loops.h"
#include "sim/network/flow_component_internal.h"

namespace k3::sim {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// Bytes left of a pair without a flow: never the next to end.
constexpr double kNoFlow = 1e300;
/// Stands for an infinite level in products: far above any rate, far below kNoFlow.
constexpr double kFastest = 1e200;
/// Levels closer than this (relative) count as equal.
constexpr double kLevelError = 1e-12;
/// Rows are padded to whole groups of partial sums.
constexpr std::size_t kLanes = 8;
/// Below this share of pairs with a flow the sparse form does less work.
constexpr double kLeastDensity = 0.1;
constexpr int kLeastLinks = 16;

enum class Side : std::uint8_t { none, up, down };

/// Which side of the all-to-all each link is on; empty unless every class joins the two sides.
std::vector<Side> sides(const FlowComponent& part) {
  std::vector<Side> side(static_cast<std::size_t>(part.num_links()), Side::none);
  for (std::int32_t number = 0; number < part.num_classes(); ++number) {
    const std::span<const std::int32_t> links = part.links(number);
    if (links.size() != 2) return {};
    Side& up = side[static_cast<std::size_t>(links[0])];
    Side& down = side[static_cast<std::size_t>(links[1])];
    if (up == Side::down || down == Side::up) return {};
    up = Side::up;
    down = Side::down;
  }
  return side;
}

struct Share {
  double used;   ///< bytes per second of the flows that are held elsewhere
  double flows;  ///< the others
};

/// Over one link's row: `active` 1 where it has a flow, `held` level of a filled link on the other
/// side else 0, `open` 1 where that link is not filled.
K3_CLONES
Share share_of(const float* active, const double* held, const double* open, std::size_t width) {
  std::array<double, kLanes> used{};
  std::array<double, kLanes> flows{};
  for (std::size_t i = 0; i < width; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double one = active[i + lane];
      used[lane] += one * held[i + lane];
      flows[lane] += one * open[i + lane];
    }
  }
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) {
      used[lane] += used[lane + half];
      flows[lane] += flows[lane + half];
    }
  }
  return {used[0], flows[0]};
}

// The next two only look for the least of exact values: any order gives the same bits.

/// Shortest time to the end of a flow of the row. `slowness` = 1 / level: the larger one counts.
K3_CLONES
double until_end(const double* left, double slowness, const double* others, std::size_t width) {
  double least = kInfinite;
#pragma omp simd reduction(min : least)
  for (std::size_t i = 0; i < width; ++i) {
    const double time = left[i] * (others[i] > slowness ? others[i] : slowness);
    least = time < least ? time : least;
  }
  return least;
}

/// Moves the row's flows on by `step`; whether one of them has ended.
K3_CLONES
bool move_on(double* left,
             const double* end,
             double level,
             const double* others,
             double step,
             std::size_t width) {
  double margin = kInfinite;
#pragma omp simd reduction(min : margin)
  for (std::size_t i = 0; i < width; ++i) {
    left[i] -= step * (others[i] < level ? others[i] : level);
    const double above = left[i] - end[i];
    margin = above < margin ? above : margin;
  }
  return margin <= 0;
}

class DenseRun {
 public:
  DenseRun(const FlowProblem& problem, const FlowComponent& part, FlowClock clock)
      : problem_(problem), part_(part), clock_(clock) {
    number_links();
    place_flows();
    sort_links();
  }

  std::int64_t run() {
    std::int64_t events = 0;
    for (std::size_t left = part_.flows.size(); left > 0 && !clock_.stopped(); ++events) {
      fill();
      const double step = next_end();
      now_ += step;
      const std::size_t ended = advance(step);
      left -= ended;
      clock_.count(ended);
    }
    return events;
  }

 private:
  /// One side: rows of its links over the columns of the other side.
  struct Rows {
    std::vector<std::int32_t> links;  ///< of the component
    std::size_t width = 0;            ///< padded number of the other side's links
    std::vector<float> active;        ///< [links][width]
    std::vector<int> flows;           ///< per link
    // Per link, padded, as the other side's rows read it:
    std::vector<double> level;     ///< infinite where nothing is held
    std::vector<double> held;      ///< level if filled and finite, else 0
    std::vector<double> open;      ///< 1 if not filled
    std::vector<double> speed;     ///< level, at most kFastest
    std::vector<double> slowness;  ///< 1 / speed

    void resize(std::size_t other_links) {
      width = (other_links + kLanes - 1) / kLanes * kLanes;
      const std::size_t padded = (links.size() + kLanes - 1) / kLanes * kLanes;
      active.assign(links.size() * width, 0);
      flows.assign(links.size(), 0);
      level.assign(padded, kInfinite);
      held.assign(padded, 0);
      open.assign(padded, 1);
      speed.assign(padded, kFastest);
      slowness.assign(padded, 1 / kFastest);
    }
  };

  /// A link's place in the rows of its side, and what the hot loops need of both sides.
  struct Link {
    Side side = Side::none;
    std::size_t row = 0;
    std::int32_t position = 0;
    double capacity = 0;
    const int* flows = nullptr;
    const float* active = nullptr;
    double* level = nullptr;
    double* held = nullptr;
    double* open = nullptr;
    double* speed = nullptr;
    double* slowness = nullptr;
    const double* others_held = nullptr;
    const double* others_open = nullptr;
    std::size_t width = 0;
  };

  Rows& rows(Side side) { return side == Side::up ? up_ : down_; }

  Rows& others(Side side) { return side == Side::up ? down_ : up_; }

  Link& link(std::int32_t number) { return links_[static_cast<std::size_t>(number)]; }

  std::int32_t& order(std::int32_t position) { return order_[static_cast<std::size_t>(position)]; }

  double& level(std::int32_t number) { return *link(number).level; }

  void number_links() {
    const std::vector<Side> side = sides(part_);
    links_.resize(side.size());
    for (std::int32_t number = 0; number < part_.num_links(); ++number) {
      Rows& own = rows(side[static_cast<std::size_t>(number)]);
      link(number).side = side[static_cast<std::size_t>(number)];
      link(number).row = own.links.size();
      own.links.push_back(number);
    }
    up_.resize(down_.links.size());
    down_.resize(up_.links.size());
    for (std::int32_t number = 0; number < part_.num_links(); ++number)
      point_into_rows(link(number), part_.capacity[static_cast<std::size_t>(number)]);
  }

  void point_into_rows(Link& link, double capacity) {
    Rows& own = rows(link.side);
    const Rows& other = others(link.side);
    link.capacity = capacity;
    link.flows = &own.flows[link.row];
    link.active = own.active.data() + link.row * own.width;
    link.level = &own.level[link.row];
    link.held = &own.held[link.row];
    link.open = &own.open[link.row];
    link.speed = &own.speed[link.row];
    link.slowness = &own.slowness[link.row];
    link.others_held = other.held.data();
    link.others_open = other.open.data();
    link.width = own.width;
  }

  void place_flows() {
    left_.assign(up_.links.size() * up_.width, kNoFlow);
    end_.assign(left_.size(), 0);
    flow_.assign(left_.size(), -1);
    now_ = problem_.start_s()[static_cast<std::size_t>(part_.flows[0])];
    for (std::size_t i = 0; i < part_.flows.size(); ++i) {
      const std::span<const std::int32_t> pair = part_.links(part_.flow_class[i]);
      const std::size_t row = link(pair[0]).row;
      const std::size_t column = link(pair[1]).row;
      const auto number = static_cast<std::size_t>(part_.flows[i]);
      const std::size_t cell = row * up_.width + column;
      left_[cell] = problem_.bytes()[number];
      end_[cell] = kEnded * problem_.bytes()[number];
      flow_[cell] = part_.flows[i];
      up_.active[cell] = 1;
      down_.active[column * down_.width + row] = 1;
      ++up_.flows[row];
      ++down_.flows[column];
      clock_.start_s[number] = now_;
    }
  }

  void sort_links() {
    order_.resize(links_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::stable_sort(order_, {}, [&](std::int32_t number) {
      return link(number).capacity / *link(number).flows;
    });
    for (std::int32_t i = 0; i < part_.num_links(); ++i)
      link(order(i)).position = i;
  }

  double level_at(std::int32_t position) {
    const Link& at = link(order(position));
    if (*at.flows == 0) return kInfinite;
    const Share share = share_of(at.active, at.others_held, at.others_open, at.width);
    if (share.flows > 0) return (at.capacity - share.used) / share.flows;
    // Held elsewhere altogether; if that is too much, this link belongs further to the front.
    return share.used > at.capacity * (1 + kLevelError) ? -kInfinite : kInfinite;
  }

  void freeze(std::int32_t position) {
    const Link& at = link(order(position));
    *at.held = *at.level == kInfinite ? 0 : *at.level;
    *at.open = 0;
    *at.speed = std::min(*at.level, kFastest);
    *at.slowness = 1 / *at.speed;
  }

  void thaw(std::int32_t position) {
    const Link& at = link(order(position));
    *at.held = 0;
    *at.open = 1;
  }

  /// Moves the link at `position` to where its level belongs; those that it passes are open again.
  std::int32_t place(std::int32_t position, double found) {
    const std::int32_t number = order(position);
    while (position > 0 && level(order(position - 1)) > found) {
      const std::int32_t before = order(position - 1);
      thaw(position - 1);
      order(position) = before;
      link(before).position = position;
      --position;
      order(position) = number;
      found = level_at(position);
    }
    link(number).position = position;
    level(number) = found;
    return position;
  }

  void fill() {
    for (std::int32_t i = first_; i < part_.num_links(); ++i)
      thaw(i);
    // The largest level before is that of the last link with a finite one.
    double top = 0;
    for (std::int32_t i = first_; i > 0 && top == 0; --i) {
      if (level(order(i - 1)) != kInfinite) top = level(order(i - 1));
    }
    for (std::int32_t i = first_; i < part_.num_links(); ++i) {
      const double found = level_at(i);
      if (found < top * (1 - kLevelError)) {
        i = place(i, found);
      } else {
        level(order(i)) = found;
      }
      freeze(i);
      if (level(order(i)) != kInfinite) top = level(order(i));
    }
    first_ = part_.num_links();
  }

  double next_end() {
    double least = kInfinite;
    for (std::size_t row = 0; row < up_.links.size(); ++row) {
      if (up_.flows[row] == 0) continue;
      least = std::min(least, until_end(left_.data() + row * up_.width, up_.slowness[row],
                                        down_.slowness.data(), up_.width));
    }
    return least;
  }

  std::size_t advance(double step) {
    std::size_t ended = 0;
    for (std::size_t row = 0; row < up_.links.size(); ++row) {
      if (up_.flows[row] == 0) continue;
      const std::size_t begin = row * up_.width;
      if (!move_on(left_.data() + begin, end_.data() + begin, up_.speed[row], down_.speed.data(),
                   step, up_.width)) {
        continue;
      }
      for (std::size_t column = 0; column < down_.links.size(); ++column) {
        if (left_[begin + column] > end_[begin + column]) continue;
        end_flow(row, column);
        ++ended;
      }
    }
    return ended;
  }

  void end_flow(std::size_t row, std::size_t column) {
    const std::size_t cell = row * up_.width + column;
    const auto flow = static_cast<std::size_t>(flow_[cell]);
    clock_.arrival_s[flow] = now_ + problem_.latency_s()[flow];
    left_[cell] = kNoFlow;
    end_[cell] = 0;
    up_.active[cell] = 0;
    down_.active[column * down_.width + row] = 0;
    --up_.flows[row];
    --down_.flows[column];
    // Links before the one that holds the flow do not carry it.
    first_ = std::min({first_, link(up_.links[row]).position, link(down_.links[column]).position});
  }

  const FlowProblem& problem_;
  const FlowComponent& part_;
  FlowClock clock_;
  Rows up_;
  Rows down_;
  std::vector<Link> links_;
  std::vector<std::int32_t> order_;  ///< links, ascending by level
  std::int32_t first_ = 0;           ///< positions from here on are to be filled again
  std::vector<double> left_;         ///< bytes, [up][down]
  std::vector<double> end_;          ///< below: ended
  std::vector<std::int32_t> flow_;   ///< number in the problem
  double now_ = 0;
};

}  // namespace

bool is_dense(const FlowComponent& part) {
  if (part.timed || part.num_links() < kLeastLinks) return false;
  if (part.flows.size() != static_cast<std::size_t>(part.num_classes())) return false;
  const std::vector<Side> side = sides(part);
  const auto ups = static_cast<double>(std::ranges::count(side, Side::up));
  return !side.empty() && static_cast<double>(part.flows.size()) >=
                              kLeastDensity * ups * (static_cast<double>(side.size()) - ups);
}

std::int64_t solve_dense(const FlowProblem& problem, const FlowComponent& part, FlowClock clock) {
  return DenseRun(problem, part, clock).run();
}

}  // namespace k3::sim
