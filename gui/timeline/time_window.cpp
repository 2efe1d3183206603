#include "gui/timeline/time_window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/core.h>

namespace k3::gui {
namespace {

constexpr std::size_t kMaxHistory = 100;
constexpr std::string_view kThinSpace = "\u202f";

/// value · part / whole without overflow for |part| ≤ 2³¹; rounded towards −∞.
std::int64_t scaled(std::int64_t value, std::int64_t part, std::int64_t whole) {
  const std::int64_t rest = value % whole * part;
  const std::int64_t low = rest / whole - (rest % whole < 0 ? 1 : 0);
  return value / whole * part + low;
}

struct TimeUnit {
  std::string_view symbol;
  std::int64_t ns = 1;
};

constexpr std::array<TimeUnit, 4> kUnits{
    {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"µs", 1000}, {"ns", 1}}};

/// The largest unit that is not larger than `ns`.
TimeUnit unit_of(std::int64_t ns) {
  for (const TimeUnit& unit : kUnits) {
    if (std::abs(ns) >= unit.ns) return unit;
  }
  return kUnits.back();
}

/// `ns` in `unit` with `decimals` digits, exactly.
std::string in_unit(std::int64_t ns, const TimeUnit& unit, int decimals) {
  const std::int64_t whole = std::abs(ns) / unit.ns;
  std::string text = fmt::format("{}{}", ns < 0 ? "−" : "", whole);
  if (decimals == 0) return text;
  int digits = 0;
  for (std::int64_t u = unit.ns; u > 1; u /= 10)
    ++digits;
  const std::string rest = fmt::format("{:0{}}", std::abs(ns) % unit.ns, digits);
  return text + "." + rest.substr(0, static_cast<std::size_t>(std::min(decimals, digits)));
}

/// Digits behind the point that a multiple of `step_ns` needs in `unit`.
int decimals_of(std::int64_t step_ns, const TimeUnit& unit) {
  int decimals = 0;
  for (std::int64_t u = unit.ns; u > 1 && step_ns % u != 0; u /= 10)
    ++decimals;
  return decimals;
}

/// 1, 2 or 5 times a power of ten, at least `ns`.
std::int64_t round_step(double ns) {
  std::int64_t power = 1;
  while (static_cast<double>(power) * 5 < ns && power < kMaxAxisNs / 10)
    power *= 10;
  for (const std::int64_t factor : {1, 2, 5}) {
    if (static_cast<double>(power * factor) >= ns) return power * factor;
  }
  return power * 10;
}

std::int64_t floored(std::int64_t ns, std::int64_t step) {
  const std::int64_t rest = ns % step;
  return ns - rest - (rest < 0 ? step : 0);
}

std::int64_t clamped(std::int64_t ns) {
  return std::clamp(ns, -kMaxAxisNs, kMaxAxisNs);
}

}  // namespace

std::int64_t TimeWindow::time_at(int x) const {
  return clamped(range.begin_ns + scaled(duration_ns(), x, width));
}

TimeRange limited(TimeRange range, const WindowLimits& limits) {
  const std::int64_t extent =
      std::max<std::int64_t>(kMinWindowNs, limits.data.end_ns - limits.data.begin_ns);
  const std::int64_t duration =
      std::clamp(range.end_ns - range.begin_ns, kMinWindowNs,
                 std::min(kMaxAxisNs, extent + std::max(extent / 2, kMinWindowNs)));
  const std::int64_t first = limits.data.begin_ns - duration / 2;
  const std::int64_t last = std::max(first, limits.data.end_ns - duration / 2);
  const std::int64_t begin = std::clamp(range.begin_ns, first, last);
  return {begin, begin + duration};
}

TimeRange zoomed(const TimeWindow& window, int x, double factor, const WindowLimits& limits) {
  const double wanted = static_cast<double>(window.duration_ns()) * factor;
  const auto duration = static_cast<std::int64_t>(std::llround(
      std::clamp(wanted, static_cast<double>(kMinWindowNs), static_cast<double>(kMaxAxisNs))));
  // The limits of the duration first, so that the pointer's time does not move at them.
  const TimeRange sized =
      limited({window.range.begin_ns, window.range.begin_ns + duration}, limits);
  const std::int64_t begin =
      window.time_at(x) - scaled(sized.end_ns - sized.begin_ns, x, window.width);
  return limited({begin, begin + sized.end_ns - sized.begin_ns}, limits);
}

TimeRange panned(const TimeWindow& window, int pixels, const WindowLimits& limits) {
  const std::int64_t ns = scaled(window.duration_ns(), pixels, window.width);
  return limited({window.range.begin_ns + ns, window.range.end_ns + ns}, limits);
}

TimeRange with_margin(TimeRange range, double share) {
  const std::int64_t duration = std::max<std::int64_t>(0, range.end_ns - range.begin_ns);
  const auto room = static_cast<std::int64_t>(static_cast<double>(duration) * share);
  const std::int64_t missing = std::max<std::int64_t>(0, kMinWindowNs - duration - 2 * room);
  return {clamped(range.begin_ns - room - missing / 2),
          clamped(range.end_ns + room + (missing + 1) / 2)};
}

void WindowHistory::push(TimeRange range) {
  if (!past_.empty() && past_.back() == range) return;
  if (past_.size() == kMaxHistory) past_.erase(past_.begin());
  past_.push_back(range);
}

TimeRange WindowHistory::pop() {
  const TimeRange range = past_.back();
  past_.pop_back();
  return range;
}

void WindowHistory::shift(std::int64_t ns) {
  for (TimeRange& range : past_)
    range = {range.begin_ns + ns, range.end_ns + ns};
}

Ruler ruler_of(const TimeWindow& window, int distance) {
  constexpr std::int64_t kTicksPerBase = 1000;
  Ruler ruler{.step_ns = round_step(window.ns_per_pixel() * distance), .base = {}, .ticks = {}};
  const std::int64_t largest =
      std::max(std::abs(window.range.begin_ns), std::abs(window.range.end_ns));
  std::int64_t base = 0;
  if (largest / ruler.step_ns > kTicksPerBase) {
    base = floored(window.range.begin_ns, ruler.step_ns);
    const TimeUnit unit = unit_of(base);
    ruler.base =
        fmt::format("{} {}", in_unit(base, unit, decimals_of(ruler.step_ns, unit)), unit.symbol);
  }
  const TimeUnit unit =
      unit_of(base == 0 ? std::max(largest, ruler.step_ns) : window.duration_ns());
  const int decimals = decimals_of(ruler.step_ns, unit);
  for (std::int64_t at = floored(window.range.begin_ns, ruler.step_ns); at <= window.range.end_ns;
       at += ruler.step_ns) {
    if (at < window.range.begin_ns) continue;
    ruler.ticks.push_back({at, fmt::format("{}{} {}", ruler.base.empty() ? "" : "+",
                                           in_unit(at - base, unit, decimals), unit.symbol)});
  }
  return ruler;
}

std::string exact_time(std::int64_t ns) {
  const TimeUnit unit = unit_of(ns);
  std::string text = in_unit(ns, unit, 9);
  const std::size_t point = text.find('.');
  if (point != std::string::npos) {
    // All digits, in groups of three; zeros at the end say nothing.
    while (text.back() == '0')
      text.pop_back();
    if (text.back() == '.') text.pop_back();
    for (std::size_t at = point + 4; at < text.size(); at += 3 + kThinSpace.size())
      text.insert(at, kThinSpace);
  }
  return fmt::format("{} {}", text, unit.symbol);
}

}  // namespace k3::gui
