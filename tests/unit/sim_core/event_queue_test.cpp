#include "sim/core/event_queue.h"

#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "sim/core/virtual_time.h"

namespace k3::sim {
namespace {

TEST(EventQueue, OrdersByTimeThenPriorityThenId) {
  const std::vector<Event> ordered{
      {1_us, 5, 9}, {2_us, 0, 7}, {2_us, 1, 2}, {2_us, 1, 3}, {3_us, 0, 0}};
  std::vector<Event> pushed = ordered;
  std::array<int, 5> order{0, 1, 2, 3, 4};
  do {  // whatever the order in which events arrive
    EventQueue queue;
    for (const int i : order)
      queue.push(pushed[static_cast<std::size_t>(i)]);
    for (const Event& expected : ordered)
      EXPECT_EQ(queue.pop(), expected);
    EXPECT_TRUE(queue.empty());
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(EventQueue, ClockFollowsTheEvents) {
  EventQueue queue(5_us);
  EXPECT_EQ(queue.now(), 5_us);
  queue.push({.time = 7_us});
  queue.push({.time = 5_us});
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.now(), 5_us);
  queue.pop();
  EXPECT_EQ(queue.now(), 5_us);
  queue.pop();
  EXPECT_EQ(queue.now(), 7_us);
}

TEST(EventQueueDeathTest, RefusesEventsInThePast) {
  EventQueue queue(5_us);
  EXPECT_DEATH(queue.push({.time = 4_us}), "event at 4000000 ps");
}

TEST(VirtualTime, RoundsAndStopsAtTheEndOfTheClock) {
  EXPECT_EQ(virtual_time(1.5e-12).ps, 2);
  EXPECT_EQ(virtual_time(1e300), virtual_time(9.2e6));
  EXPECT_GT(virtual_time(1e300).ps, 0);
}

}  // namespace
}  // namespace k3::sim
