#pragma once

#include <cstdint>

#include "gui/timeline/time_window.h"

namespace k3::gui {

/// Where the timeline looks: the window, its limits, the windows before it. Knows no widget.
class Navigator {
 public:
  const TimeWindow& window() const { return window_; }

  const WindowLimits& limits() const { return limits_; }

  /// Other data: `fit` is what "all" means, `limits` how far one may go. Forgets the history.
  void reset(TimeRange fit, WindowLimits limits);

  /// The same data with another zero.
  void set_limits(TimeRange fit, WindowLimits limits);

  void set_width(int width) { window_.width = width < 1 ? 1 : width; }

  void zoom(int x, double factor) { window_.range = zoomed(window_, x, factor, limits_); }

  void pan(int pixels) { window_.range = panned(window_, pixels, limits_); }

  /// What is seen now can be come back to.
  void remember() { history_.push(window_.range); }

  /// Shows `range`; the former window can be come back to.
  void go(TimeRange range);

  void fit() { go(with_margin(fit_, kMargin)); }

  /// Same width, beginning or ending with the data.
  void go_to_begin();
  void go_to_end();

  bool can_go_back() const { return !history_.empty(); }

  void go_back();

  /// The zero of the axis moved by `ns`: the same data stays in sight.
  void shift(std::int64_t ns);

  static constexpr double kMargin = 0.02;

 private:
  TimeWindow window_;
  TimeRange fit_{0, 1000};
  WindowLimits limits_;
  WindowHistory history_;
};

}  // namespace k3::gui
