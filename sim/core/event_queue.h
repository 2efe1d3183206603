#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/units.h"

namespace k3::sim {

/// Something that happens at a point of virtual time. Ties are broken by priority (lower first),
/// then by id, so that a run does not depend on the order in which events were pushed.
struct Event {
  Time time;
  std::int32_t priority = 0;
  std::int64_t id = 0;

  friend auto operator<=>(const Event&, const Event&) = default;
};

/// The events to come and the virtual clock: `now` is the time of the last event taken and never
/// goes back. One run owns one queue; not thread-safe.
class EventQueue {
 public:
  explicit EventQueue(Time begin = {}) : now_(begin) {}

  Time now() const { return now_; }

  bool empty() const { return heap_.empty(); }

  std::size_t size() const { return heap_.size(); }

  /// An event in the past is a bug of the caller.
  void push(const Event& event);

  /// Takes the next event and moves the clock to it.
  Event pop();

 private:
  Time now_;
  std::vector<Event> heap_;
};

}  // namespace k3::sim
