#include "profiler/visual/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "profiler/visual/numbers.h"

namespace k3::visual {
namespace {

constexpr std::array kMultiples{1.0, 2.0, 5.0};

/// The smallest 1-2-5 value that is at least `value` (> 0).
double round_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double multiple : kMultiples) {
    if (multiple * power >= value * (1 - 1e-9)) return multiple * power;
  }
  return 10 * power;
}

std::string fixed_label(double value, int decimals) {
  constexpr double kLargestPlain = 1e6;
  if (std::abs(value) >= kLargestPlain || decimals > 4) return number(value);
  if (decimals == 0) return count_text(std::llround(value));
  return fmt::format("{:.{}f}", value, decimals);
}

/// Without the zeros that three significant digits would carry: 0.1, 1, 200.
std::string log_label(double value) {
  const int exponent = static_cast<int>(std::floor(std::log10(value) + 1e-9));
  return exponent > -4 ? fixed_label(value, std::max(0, -exponent)) : number(value);
}

}  // namespace

std::vector<Tick> linear_ticks(double low, double high, int limit, double unit_scale) {
  if (!std::isfinite(low) || !std::isfinite(high) || !(high > low) || limit < 1) return {};
  const double shown_low = low * unit_scale;
  const double shown_high = high * unit_scale;
  if (!std::isfinite(shown_low) || !std::isfinite(shown_high)) return {};
  const double step = round_step((shown_high - shown_low) / limit);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  std::vector<Tick> ticks;
  const double first = std::ceil(shown_low / step - 1e-9);
  for (int i = 0; i <= limit; ++i) {
    const double shown = (first + i) * step;
    if (shown > shown_high + step * 1e-9) break;
    ticks.push_back({shown / unit_scale, fixed_label(shown, decimals)});
  }
  return ticks;
}

std::vector<Tick> log_ticks(double low, double high, int limit, double unit_scale) {
  if (!(low > 0) || !(high > low) || limit < 1) return {};
  if (!(low * unit_scale > 0) || !std::isfinite(high * unit_scale)) return {};
  constexpr double kNarrow = 20;
  if (high < low * kNarrow) return linear_ticks(low, high, limit, unit_scale);
  const int first = static_cast<int>(std::floor(std::log10(low * unit_scale) + 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(high * unit_scale) + 1e-9));
  const int powers = last - first + 1;
  const int stride = (powers + limit - 1) / limit;
  const bool between = powers <= 3 && powers * 3 <= limit + 2;
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (const double multiple : kMultiples) {
      if (multiple > 1 && !between) break;
      const double shown = multiple * std::pow(10.0, exponent);
      const double value = shown / unit_scale;
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      const bool labelled = (exponent - first) % stride == 0;
      ticks.push_back({value, labelled ? log_label(shown) : std::string()});
    }
  }
  return ticks;
}

double Axis::at(double value) const {
  double share = 0;
  if (scale == Scale::log) {
    if (value > 0 && low > 0 && high > low) share = std::log(value / low) / std::log(high / low);
  } else if (high > low) {
    share = (value - low) / (high - low);
  }
  if (std::isnan(share)) share = 0;
  return low_pixel + (high_pixel - low_pixel) * std::clamp(share, 0.0, 1.0);
}

double bar_limit(double largest) {
  constexpr double kHeadroom = 1.04;
  return std::isfinite(largest) && largest > 0 ? largest * kHeadroom : 1;
}

Range log_range(const std::vector<double>& values) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const double v : values) {
    if (!(v > 0) || !std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  if (high == 0) return {};
  const Range range{1 / round_step(1 / low), round_step(high)};
  return range.high > range.low ? range : Range{low / 2, high * 2};
}

}  // namespace k3::visual
