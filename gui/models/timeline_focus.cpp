#include "gui/models/timeline_focus.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace k3::gui {
namespace {

constexpr TimeRange kNoTime{std::numeric_limits<std::int64_t>::max(),
                            std::numeric_limits<std::int64_t>::min()};

void include(TimeRange& all, std::int64_t begin_ns, std::int64_t end_ns) {
  all = {std::min(all.begin_ns, begin_ns), std::max(all.end_ns, end_ns)};
}

}  // namespace

void TimelineFocus::set_runs(std::vector<RunLanes> runs) {
  runs_ = std::move(runs);
  zeros_.assign(runs_.size(), 0);
  visible_ = {};
  range_.reset();
  span_.reset();
  hidden_.clear();
  Q_EMIT runs_changed();
}

void TimelineFocus::align(std::optional<int> step) {
  std::vector<std::int64_t> zeros(runs_.size(), 0);
  for (std::size_t run = 0; run < runs_.size() && step; ++run) {
    if (const store::StepRow* row = step_of(*runs_[run].lanes, *step)) zeros[run] = row->begin_ns;
  }
  if (zeros == zeros_) return;
  zeros_ = std::move(zeros);
  Q_EMIT aligned();
}

void TimelineFocus::set_visible(TimeRange range) {
  if (range == visible_) return;
  visible_ = range;
  Q_EMIT visible_changed();
}

void TimelineFocus::set_range(const std::optional<TimeRange>& range) {
  if (range == range_) return;
  range_ = range;
  Q_EMIT range_changed();
}

query::TimeRange TimelineFocus::in_run(std::size_t run, TimeRange range) const {
  return {range.begin_ns + zeros_[run], range.end_ns + zeros_[run]};
}

TimeRange TimelineFocus::usual_range() const {
  TimeRange all = kNoTime;
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    const query::TimeRange& data = runs_[run].data.range;
    include(all, data.begin_ns - zeros_[run], data.end_ns - zeros_[run]);
  }
  return runs_.empty() ? TimeRange{} : all;
}

TimeRange TimelineFocus::full_range() const {
  TimeRange all = usual_range();
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    const query::Lanes& lanes = *runs_[run].lanes;
    for (const query::Track& track : lanes.tracks) {
      include(all, lanes.begin_ns[track.first] - zeros_[run],
              lanes.end_ns[track.first + track.count - 1] - zeros_[run]);
    }
  }
  return all;
}

void TimelineFocus::set_span(const std::optional<SpanRef>& span) {
  if (span == span_) return;
  span_ = span;
  Q_EMIT span_changed();
}

TimeRange TimelineFocus::time_of(const SpanRef& span) const {
  const query::Lanes& lanes = *runs_[span.run].lanes;
  return {lanes.begin_ns[span.span] - zeros_[span.run], lanes.end_ns[span.span] - zeros_[span.run]};
}

void TimelineFocus::set_hidden_ranks(std::set<int> ranks) {
  if (ranks == hidden_) return;
  hidden_ = std::move(ranks);
  Q_EMIT ranks_changed();
}

std::vector<std::int32_t> TimelineFocus::shown_lanes(std::size_t run,
                                                     std::optional<int> rank) const {
  const std::vector<Lane>& lanes = runs_[run].lanes->lanes;
  std::vector<std::int32_t> shown;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    if (hidden_.contains(lanes[lane].rank) || (rank && lanes[lane].rank != *rank)) continue;
    shown.push_back(static_cast<std::int32_t>(lane));
  }
  return shown;
}

const store::StepRow* step_of(const query::Lanes& lanes, int step) {
  const auto found =
      std::ranges::lower_bound(lanes.steps, step, {}, [](const auto& row) { return row.step; });
  return found != lanes.steps.end() && found->step == step ? &*found : nullptr;
}

}  // namespace k3::gui
