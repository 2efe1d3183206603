#pragma once

#include <cstddef>
#include <vector>

#include "profiler/query/lanes.h"

namespace k3::query {

/// The time that a timeline shows at first.
struct DataRange {
  TimeRange range;                    ///< of all spans but the outliers
  std::size_t num_outliers = 0;       ///< spans far away from the others
  std::vector<std::size_t> outliers;  ///< the first kMaxListedOutliers of them, by track
};

inline constexpr std::size_t kMaxListedOutliers = 100;

/// Stray stamps (a clock at 0, an unfinished span) must not shrink everything else to a line: a
/// span is an outlier if it lies further outside the middle 98 % of all spans than ten times their
/// extent. Of fewer than 8 spans none is. Without spans: the time of the steps.
DataRange data_range(const Lanes& lanes);

}  // namespace k3::query
