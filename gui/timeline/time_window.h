#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/models/selection.h"

namespace k3::gui {

/// Times of the axis lie within ± this: differences of any two of them fit into 64 bits.
inline constexpr std::int64_t kMaxAxisNs = std::int64_t{1} << 61;

/// The narrowest window: one nanosecond is wide enough to be seen alone.
inline constexpr std::int64_t kMinWindowNs = 20;

/// A stretch of time drawn over `width` pixels. Whole nanoseconds everywhere: however far in, the
/// same time stays at the same pixel.
struct TimeWindow {
  TimeRange range{0, 1000};
  int width = 1;

  std::int64_t duration_ns() const { return range.end_ns - range.begin_ns; }

  double ns_per_pixel() const { return static_cast<double>(duration_ns()) / width; }

  /// The time at a pixel, which may lie outside the window.
  std::int64_t time_at(int x) const;

  double x_of(std::int64_t time_ns) const {
    return static_cast<double>(time_ns - range.begin_ns) / ns_per_pixel();
  }
};

/// Where windows may go: all of the data and a little more.
struct WindowLimits {
  TimeRange data{0, 1000};
};

/// `factor` below 1: closer. The time at `x` stays there (to a pixel, or to a nanosecond where
/// those are wider), unless a limit is met.
TimeRange zoomed(const TimeWindow& window, int x, double factor, const WindowLimits& limits);

/// Later by `pixels` (earlier if negative).
TimeRange panned(const TimeWindow& window, int pixels, const WindowLimits& limits);

/// `range` with room at its sides, at least kMinWindowNs.
TimeRange with_margin(TimeRange range, double share);

/// Moved and cut so that some of the data stays in sight.
TimeRange limited(TimeRange range, const WindowLimits& limits);

/// The windows before the current one.
class WindowHistory {
 public:
  /// Remembers `range`; the oldest of many is forgotten.
  void push(TimeRange range);

  bool empty() const { return past_.empty(); }

  /// The latest one, which is forgotten. There must be one.
  TimeRange pop();

  /// All are moved: the axis has a new zero.
  void shift(std::int64_t ns);

  void clear() { past_.clear(); }

 private:
  std::vector<TimeRange> past_;
};

struct RulerTick {
  std::int64_t time_ns = 0;
  std::string label;
};

/// Marks of an axis at round times.
struct Ruler {
  std::int64_t step_ns = 1;
  std::string base;  ///< what every label is to be added to; empty: nothing
  std::vector<RulerTick> ticks;
};

/// Ticks at least `distance` pixels apart. Where the window is far from zero and narrow, labels
/// count from a base that is written once.
Ruler ruler_of(const TimeWindow& window, int distance);

/// A time or duration with nanosecond precision where it is needed: "1.234 567 ms".
std::string exact_time(std::int64_t ns);

}  // namespace k3::gui
