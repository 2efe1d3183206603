#include "profiler/query/time_range.h"

#include <algorithm>
#include <limits>

#include "profiler/query/lanes_internal.h"

namespace k3::query {
namespace {

/// From here on every 32nd span stands for all.
constexpr std::size_t kSampledFrom = std::size_t{1} << 17;
constexpr std::size_t kFewest = 8;
constexpr std::size_t kTrimmedShare = 100;
constexpr double kAllowance = 10;

/// Times of a middle share of the spans, widened: what lies outside is an outlier.
TimeRange allowed_range(const Lanes& lanes) {
  constexpr TimeRange everything{std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max()};
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> ends;
  const std::size_t stride = lanes.num_spans() < kSampledFrom ? 1 : Lanes::kSpansPerMark;
  for (const Track& track : lanes.tracks) {
    for (std::size_t i = 0; i < track.count; i += stride) {
      begins.push_back(lanes.begin_ns[track.first + i]);
      ends.push_back(lanes.end_ns[track.first + i]);
    }
  }
  if (begins.size() < kFewest) return everything;
  const std::size_t trimmed = std::max<std::size_t>(1, begins.size() / kTrimmedShare);
  const auto low = begins.begin() + static_cast<std::ptrdiff_t>(trimmed);
  const auto high = ends.end() - 1 - static_cast<std::ptrdiff_t>(trimmed);
  std::nth_element(begins.begin(), low, begins.end());
  std::nth_element(ends.begin(), high, ends.end());
  const double extent = static_cast<double>(*high - *low);
  const double limit = static_cast<double>(2 * kMaxTimeNs);
  return {
      static_cast<std::int64_t>(std::max(-limit, static_cast<double>(*low) - kAllowance * extent)),
      static_cast<std::int64_t>(std::min(limit, static_cast<double>(*high) + kAllowance * extent))};
}

TimeRange range_of_steps(const Lanes& lanes) {
  TimeRange range;
  for (const store::StepRow& step : lanes.steps) {
    const std::int64_t begin_ns = clamped_time(step.begin_ns);
    const std::int64_t end_ns =
        clamped_time(begin_ns + std::clamp<std::int64_t>(step.duration_ns, 0, kMaxTimeNs));
    if (&step == &lanes.steps.front()) range = {begin_ns, end_ns};
    range = {std::min(range.begin_ns, begin_ns), std::max(range.end_ns, end_ns)};
  }
  return range;
}

}  // namespace

DataRange data_range(const Lanes& lanes) {
  DataRange data{
      .range = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()},
      .outliers = {}};
  const TimeRange allowed = allowed_range(lanes);
  const auto add_outliers = [&](std::size_t from, std::size_t to) {
    data.num_outliers += to - from;
    for (; from < to && data.outliers.size() < kMaxListedOutliers; ++from)
      data.outliers.push_back(from);
  };
  for (const Track& track : lanes.tracks) {
    const auto begin = lanes.begin_ns.part(track.first, track.count);
    const auto end = lanes.end_ns.part(track.first, track.count);
    const auto high =
        static_cast<std::size_t>(std::ranges::upper_bound(end, allowed.end_ns) - end.begin());
    const auto low =
        std::min(high, static_cast<std::size_t>(std::ranges::lower_bound(begin, allowed.begin_ns) -
                                                begin.begin()));
    add_outliers(track.first, track.first + low);
    add_outliers(track.first + high, track.first + track.count);
    if (low == high) continue;
    data.range.begin_ns = std::min(data.range.begin_ns, begin[low]);
    data.range.end_ns = std::max(data.range.end_ns, end[high - 1]);
  }
  if (data.range.begin_ns > data.range.end_ns) data.range = range_of_steps(lanes);
  return data;
}

}  // namespace k3::query
