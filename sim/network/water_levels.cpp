#include <algorithm>
#include <numeric>

#include "sim/network/water_levels_internal.h"

namespace k3::sim {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Levels closer than this (relative) count as equal: what sums of some thousand rates lose.
constexpr double kLevelError = 1e-12;

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

WaterLevels::WaterLevels(const FlowComponent& part)
    : part_(part),
      on_link_(at(part.num_links())),
      count_(at(part.num_classes())),
      rate_(at(part.num_classes())),
      held_at_(at(part.num_classes()), kNowhere),
      order_(at(part.num_links())),
      position_(at(part.num_links())),
      level_(at(part.num_links()), kInfinite) {
  std::vector<double> share(part.capacity);
  std::vector<double> users(at(part.num_links()));
  for (const std::int32_t link : part.class_links)
    users[at(link)] += 1;
  for (std::size_t link = 0; link < share.size(); ++link)
    share[link] /= users[link];
  std::iota(order_.begin(), order_.end(), 0);
  std::ranges::stable_sort(order_, {}, [&](std::int32_t link) { return share[at(link)]; });
  for (std::int32_t i = 0; i < part.num_links(); ++i)
    position_[at(order_[at(i)])] = i;
}

void WaterLevels::add(std::int32_t number) {
  const bool first = count_[at(number)] == 0;
  count_[at(number)] += 1;
  for (const std::int32_t link : part_.links(number)) {
    if (first) on_link_[at(link)].push_back(number);
    touch(position_[at(link)]);
  }
}

void WaterLevels::remove(std::int32_t number) {
  // Links before the one that holds the class do not carry it.
  touch(held_at_[at(number)]);
  count_[at(number)] -= 1;
  if (count_[at(number)] > 0) return;
  for (const std::int32_t link : part_.links(number))
    std::erase(on_link_[at(link)], number);
  held_at_[at(number)] = kNowhere;
}

/// Level of the link at `position`, given that all before it are filled.
double WaterLevels::level_at(std::int32_t position) const {
  const std::int32_t link = order_[at(position)];
  double used = 0;
  double flows = 0;
  for (const std::int32_t number : on_link_[at(link)]) {
    if (held_at_[at(number)] < position) {
      used += count_[at(number)] * rate_[at(number)];
    } else {
      flows += count_[at(number)];
    }
  }
  if (flows > 0) return (part_.capacity[at(link)] - used) / flows;
  // Held elsewhere altogether; if that is too much, this link belongs further to the front.
  return used > part_.capacity[at(link)] * (1 + kLevelError) ? -kInfinite : kInfinite;
}

void WaterLevels::freeze(std::int32_t position) {
  const std::int32_t link = order_[at(position)];
  for (const std::int32_t number : on_link_[at(link)]) {
    if (held_at_[at(number)] < position) continue;
    held_at_[at(number)] = position;
    rate_[at(number)] = level_[at(link)];
  }
}

void WaterLevels::thaw(std::int32_t position) {
  for (const std::int32_t number : on_link_[at(order_[at(position)])]) {
    if (held_at_[at(number)] == position) held_at_[at(number)] = kNowhere;
  }
}

/// Moves the link at `position` to where its level belongs; the links that it passes are open
/// again.
void WaterLevels::place(std::int32_t position, double level) {
  const std::int32_t link = order_[at(position)];
  while (position > 0) {
    const std::int32_t before = order_[at(position - 1)];
    if (level_[at(before)] <= level) break;
    thaw(position - 1);
    order_[at(position)] = before;
    position_[at(before)] = position;
    --position;
    order_[at(position)] = link;
    level = level_at(position);
  }
  position_[at(link)] = position;
  level_[at(link)] = level;
  first_ = position;
}

void WaterLevels::fill() {
  // The largest level before each position is that of the last link with a finite one.
  double top = 0;
  for (std::int32_t i = first_ - 1; i >= 0; --i) {
    if (level_[at(order_[at(i)])] == kInfinite) continue;
    top = level_[at(order_[at(i)])];
    break;
  }
  while (first_ < part_.num_links()) {
    const double found = level_at(first_);
    if (found < top * (1 - kLevelError)) {
      place(first_, found);
    } else {
      level(order_[at(first_)]) = found;
    }
    freeze(first_);
    // NOTE: a level may come out below `top` by rounding only.
    if (level(order_[at(first_)]) != kInfinite) top = level(order_[at(first_)]);
    ++first_;
  }
}

}  // namespace k3::sim
