#include "sim/core/event_queue.h"

#include <algorithm>
#include <functional>

#include "engine/base/check.h"

namespace k3::sim {

void EventQueue::push(const Event& event) {
  K3_CHECK(event.time >= now_, "event at {} ps, clock at {} ps", event.time.ps, now_.ps);
  heap_.push_back(event);
  std::push_heap(heap_.begin(), heap_.end(), std::greater{});
}

Event EventQueue::pop() {
  K3_CHECK(!heap_.empty());
  std::pop_heap(heap_.begin(), heap_.end(), std::greater{});
  const Event event = heap_.back();
  heap_.pop_back();
  now_ = event.time;
  return event;
}

}  // namespace k3::sim
