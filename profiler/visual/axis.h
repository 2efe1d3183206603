#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace k3::visual {

enum class Scale : std::uint8_t { linear, log };

struct Tick {
  double value = 0;
  std::string label;  ///< empty: a mark without a number
};

/// Round values from `low` to `high`, at steps of 1, 2 or 5 times a power of ten, at most `limit`.
/// Labels are of `value · unit_scale`, all with the same number of decimals.
std::vector<Tick> linear_ticks(double low, double high, int limit, double unit_scale);

/// Powers of ten inside [low, high], 2 and 5 between them where there is room; where the range is
/// narrow, ticks as on a linear axis.
/// More than `limit`: only every second, third … power carries a label.
std::vector<Tick> log_ticks(double low, double high, int limit, double unit_scale);

/// Maps values to pixels. Values outside are clamped to the ends; NaN and, on a log axis, values
/// that are not positive map to the low end.
struct Axis {
  Scale scale = Scale::linear;
  double low = 0;
  double high = 1;
  double low_pixel = 0;
  double high_pixel = 1;

  double at(double value) const;
};

/// [0, a little above the largest]: the range of bars. Never empty.
double bar_limit(double largest);

/// Smallest and largest positive finite value widened to whole 1-2-5 steps; {1, 10} without any.
struct Range {
  double low = 1;
  double high = 10;
};

Range log_range(const std::vector<double>& values);

}  // namespace k3::visual
