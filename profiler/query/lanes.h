#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/task_kind.h"
#include "engine/trace/trace.h"
#include "profiler/store/session_reader.h"

namespace k3::query {

inline constexpr std::size_t kNumCategories = 5;

/// Stands behind the task kinds for spans without a task.
inline constexpr std::uint8_t kNoKind = kNumTaskKinds;
inline constexpr std::size_t kNumKinds = kNumTaskKinds + 1;

/// From `begin_ns` until before `end_ns`.
struct TimeRange {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;

  std::int64_t duration_ns() const { return end_ns - begin_ns; }
};

/// Values of fixed number that start out uninitialised.
template <class T>
class Column {
 public:
  Column() = default;

  explicit Column(std::size_t size)
      : values_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}

  std::size_t size() const { return size_; }

  T& operator[](std::size_t i) { return values_[i]; }

  const T& operator[](std::size_t i) const { return values_[i]; }

  std::span<T> part(std::size_t first, std::size_t count) { return {values_.get() + first, count}; }

  std::span<const T> part(std::size_t first, std::size_t count) const {
    return {values_.get() + first, count};
  }

 private:
  std::unique_ptr<T[]> values_;
  std::size_t size_ = 0;
};

/// One row of the timeline: spans of one lane that do not overlap, ascending in time. They are the
/// columns' values `first` … `first + count − 1`.
struct Track {
  std::int32_t lane = 0;
  std::int32_t depth = 0;  ///< row within the lane, from 0, no hole
  std::int32_t level = 0;  ///< nesting depth of its spans as stored; 0: not inside another span
  bool spilled = false;    ///< holds spans that cross others of their level
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t first_mark = 0;   ///< in Lanes::marks
  std::size_t first_tally = 0;  ///< in Lanes::tallies
};

/// Sums over all spans of a track that precede one of its spans.
struct Mark {
  std::array<std::int64_t, kNumCategories> category_ns{};
  std::array<std::int64_t, kNumKinds> kind_ns{};  ///< waiting left out
};

/// The same per kind and category, with numbers of spans.
struct Tally {
  struct Sum {
    std::int64_t ns = 0;
    std::int64_t count = 0;
  };

  std::array<std::array<Sum, kNumCategories>, kNumKinds> sums{};
};

/// All columns of one span.
struct LaneSpan {
  TimeRange time;
  std::int64_t span_id = 0;  ///< its row in table `span`, where flops and bytes stand
  std::int32_t lane = 0;
  std::int32_t depth = 0;
  std::int32_t step = 0;
  std::int32_t task = -1;
  std::int32_t name = 0;
  std::int16_t layer = -1;
  SpanCategory category = SpanCategory::compute;
  std::uint8_t kind = kNoKind;
};

/// All spans of a session in memory, as columns: the model behind a timeline. Immutable once loaded
/// (held as shared_ptr<const Lanes>), to be read by any number of threads. What is asked of it
/// stands in lane_items.h, lane_statistics.h, lane_search.h, lane_flows.h and time_range.h.
///
/// Every track has a mark for every kSpansPerMark spans (the first: all zero) and a tally for every
/// kSpansPerTally, from which sums over any range follow without reading the spans in it. Spans
/// that cross others of their lane and level are moved to further tracks of the lane.
struct Lanes {
  static constexpr std::size_t kSpansPerMark = 32;
  static constexpr std::size_t kSpansPerTally = 1024;

  std::vector<Lane> lanes;
  std::vector<std::string> names;
  std::vector<PlanRecord> plans;
  std::vector<store::StepRow> steps;  ///< ascending in their numbers
  int num_ranks = 0;

  std::vector<Track> tracks;                 ///< by lane and depth
  std::vector<std::size_t> tracks_by_first;  ///< indices of `tracks`

  Column<std::int64_t> begin_ns;
  Column<std::int64_t> end_ns;
  Column<std::uint32_t> span_id;
  Column<std::int32_t> step;
  Column<std::int32_t> task;  ///< of the step's plan; −1: none
  Column<std::int32_t> name;
  Column<std::int16_t> layer;
  Column<SpanCategory> category;
  Column<std::uint8_t> kind;  ///< TaskKind or kNoKind

  Column<std::int64_t> mark_begin_ns;  ///< begin of the mark's span
  Column<std::int64_t> mark_end_ns;    ///< end of the last span before the next mark
  Column<Mark> marks;
  Column<Tally> tallies;

  std::size_t num_spilled = 0;  ///< spans moved to another track
  std::size_t num_hidden = 0;   ///< spans beyond kMaxSpillTracks overlapping ones; in no track

  std::size_t num_spans() const { return begin_ns.size() - num_hidden; }

  /// The tracks of one lane, by depth.
  std::span<const Track> tracks_of(std::int32_t lane) const;

  /// The track that holds a span.
  const Track& track_of(std::size_t span) const;

  LaneSpan span(std::size_t index) const;
};

/// Tracks that one lane and level may get for spans that cross others.
inline constexpr std::size_t kMaxSpillTracks = 255;

struct LoadOptions {
  std::stop_token stop = {};
  std::function<void(double)> progress = {};  ///< called on the loading thread with 0 … 1
  int threads = 2;
};

/// Reads all spans of a session. Times beyond 2⁶¹ ns are cut to that.
/// Errors: cancelled once `stop` is requested; unsupported from 2³² spans on; corrupt
Result<std::shared_ptr<const Lanes>> load_lanes(const store::SessionReader& session,
                                                const LoadOptions& options = {});

/// The same of a run that is in memory, without a session file. Its indices must be sound.
std::shared_ptr<const Lanes> lanes_of(const RunHeader& header, std::span<const StepRecord> steps);

}  // namespace k3::query
