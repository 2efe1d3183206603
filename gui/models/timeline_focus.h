#pragma once

#include <QObject>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "gui/models/runs.h"
#include "gui/models/selection.h"
#include "profiler/query/lanes.h"
#include "profiler/query/time_range.h"

namespace k3::gui {

/// All spans of one open run.
struct RunLanes {
  std::shared_ptr<const RunFacts> facts;
  std::shared_ptr<const query::Lanes> lanes;
  query::DataRange data;
};

/// One span of one of the loaded runs.
struct SpanRef {
  std::size_t run = 0;
  std::size_t span = 0;

  friend bool operator==(const SpanRef&, const SpanRef&) = default;
};

/// What the timeline shows, for the panels around it. Times are those of its axis, whose zero is
/// the begin of the selected step, else of the run; two runs have one axis. Lives on the GUI
/// thread.
class TimelineFocus : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  const std::vector<RunLanes>& runs() const { return runs_; }

  /// Replaces the runs and forgets everything else.
  void set_runs(std::vector<RunLanes> runs);

  /// Time of a run at the axis' zero.
  std::int64_t zero_ns(std::size_t run) const { return zeros_[run]; }

  const std::vector<std::int64_t>& zeros() const { return zeros_; }

  /// Puts the zero at the begin of a step; without one, or where a run lacks it, at that of the
  /// run.
  void align(std::optional<int> step);

  TimeRange visible() const { return visible_; }

  void set_visible(TimeRange range);

  /// The range that was marked with the mouse.
  const std::optional<TimeRange>& range() const { return range_; }

  void set_range(const std::optional<TimeRange>& range);

  /// The marked range, else the visible one.
  TimeRange chosen() const { return range_.value_or(visible_); }

  /// `range` of the axis in the time of a run.
  query::TimeRange in_run(std::size_t run, TimeRange range) const;

  /// All spans of all runs but outliers, on the axis.
  TimeRange usual_range() const;
  /// The same with the outliers.
  TimeRange full_range() const;

  const std::optional<SpanRef>& span() const { return span_; }

  void set_span(const std::optional<SpanRef>& span);

  /// A span's time on the axis.
  TimeRange time_of(const SpanRef& span) const;

  const std::set<int>& hidden_ranks() const { return hidden_; }

  void set_hidden_ranks(std::set<int> ranks);

  /// The lanes of a run that count: of ranks that are not hidden, and only of `rank` if given.
  std::vector<std::int32_t> shown_lanes(std::size_t run, std::optional<int> rank) const;

  /// Asks the timeline to select a span and to have it in sight.
  void go_to(const SpanRef& span) { Q_EMIT wanted(span); }

  /// Asks the timeline to select a span and to be filled by it.
  void zoom_to(const SpanRef& span) { Q_EMIT zoom_wanted(span); }

 Q_SIGNALS:
  void runs_changed();
  void aligned();
  void visible_changed();
  void range_changed();
  void span_changed();
  void ranks_changed();
  void wanted(const k3::gui::SpanRef& span);
  void zoom_wanted(const k3::gui::SpanRef& span);

 private:
  std::vector<RunLanes> runs_;
  std::vector<std::int64_t> zeros_;
  TimeRange visible_;
  std::optional<TimeRange> range_;
  std::optional<SpanRef> span_;
  std::set<int> hidden_;
};

/// The step of a run with that number; null: it has none.
const store::StepRow* step_of(const query::Lanes& lanes, int step);

}  // namespace k3::gui
