#include "gui/timeline/navigator.h"

namespace k3::gui {

void Navigator::reset(TimeRange fit, WindowLimits limits) {
  fit_ = fit;
  limits_ = limits;
  history_.clear();
  window_.range = limited(with_margin(fit, kMargin), limits_);
}

void Navigator::set_limits(TimeRange fit, WindowLimits limits) {
  fit_ = fit;
  limits_ = limits;
}

void Navigator::go(TimeRange range) {
  const TimeRange target = limited(range, limits_);
  if (target == window_.range) return;
  remember();
  window_.range = target;
}

void Navigator::go_to_begin() {
  const std::int64_t begin = fit_.begin_ns - window_.duration_ns() / 50;
  go({begin, begin + window_.duration_ns()});
}

void Navigator::go_to_end() {
  const std::int64_t end = fit_.end_ns + window_.duration_ns() / 50;
  go({end - window_.duration_ns(), end});
}

void Navigator::go_back() {
  // Windows that were remembered before a move that changed nothing.
  while (!history_.empty()) {
    const TimeRange range = history_.pop();
    if (range == window_.range) continue;
    window_.range = range;
    return;
  }
}

void Navigator::shift(std::int64_t ns) {
  const auto moved = [ns](TimeRange range) {
    return TimeRange{range.begin_ns + ns, range.end_ns + ns};
  };
  window_.range = moved(window_.range);
  fit_ = moved(fit_);
  limits_.data = moved(limits_.data);
  history_.shift(ns);
}

}  // namespace k3::gui
