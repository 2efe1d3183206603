#pragma once

#include <string>
#include <vector>

#include "gui/models/data_table.h"
#include "gui/models/timeline_focus.h"

namespace k3::gui {

/// What is asked of the lanes, as plain values for another thread.
struct StatisticsRequest {
  struct Run {
    std::string name;
    std::shared_ptr<const query::Lanes> lanes;
    query::TimeRange range;  ///< inside the data
    std::vector<std::int32_t> chosen;
    int num_ranks = 0;  ///< of the chosen lanes
  };

  std::vector<Run> runs;
  bool marked = false;  ///< the range was marked; else it is what is in sight
};

/// The marked range, else the visible one, of the ranks that are shown and selected.
StatisticsRequest statistics_request(const TimelineFocus& focus, const Selection& selection);

struct TimelineStatistics {
  DataTable table;       ///< per kind: spans, busy, waiting, mean, share
  std::string sentence;  ///< where the time goes
};

/// Exact, whatever is drawn.
TimelineStatistics timeline_statistics(const StatisticsRequest& request);

}  // namespace k3::gui
