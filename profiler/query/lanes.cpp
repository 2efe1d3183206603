#include "profiler/query/lanes.h"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "engine/base/check.h"
#include "engine/base/parallel.h"
#include "profiler/query/lanes_internal.h"

namespace k3::query {
namespace {

tl::unexpected<Error> stopped() {
  return fail(Code::cancelled, "stopped");
}

/// Spans read row by row, by lane and level.
using RowBuckets = std::vector<std::vector<std::vector<RawSpan>>>;

class Loader {
 public:
  Loader(const store::SessionReader& session, const LoadOptions& options)
      : session_(session), options_(options), lanes_(std::make_shared<Lanes>()) {}

  Result<std::shared_ptr<const Lanes>> load();

 private:
  Result<void> read_header();
  Result<void> read_rows();
  void place_rows();

  void report(double fraction) const {
    if (options_.progress) options_.progress(fraction);
  }

  const store::SessionReader& session_;
  const LoadOptions& options_;
  std::shared_ptr<Lanes> lanes_;
  RowBuckets buckets_;
  std::vector<Region> regions_;
};

/// Share of the time that reading takes; the rest goes into arranging.
constexpr double kReadingShare = 0.8;

Result<void> Loader::read_header() {
  lanes_->num_ranks = session_.num_ranks();
  K3_TRY(lanes_->lanes, session_.lanes());
  K3_TRY(lanes_->names, session_.names());
  K3_TRY(lanes_->steps, session_.steps());
  K3_TRY(const std::int64_t num_plans, session_.database().integer("SELECT count(*) FROM plan"));
  for (std::int64_t p = 0; p < num_plans; ++p) {
    K3_TRY(PlanRecord plan, session_.plan(static_cast<int>(p)));
    lanes_->plans.push_back(std::move(plan));
  }
  return {};
}

Result<void> Loader::read_rows() {
  const TaskKinds kinds(lanes_->plans, lanes_->steps);
  buckets_.resize(lanes_->lanes.size());
  for (std::size_t s = 0; s < lanes_->steps.size(); ++s) {
    if (options_.stop.stop_requested()) return stopped();
    const store::StepRow& step = lanes_->steps[s];
    K3_TRY(const std::vector<Span> spans, session_.spans(step));
    if (step.first_span + step.num_spans > std::numeric_limits<std::uint32_t>::max()) {
      return fail(Code::unsupported, "has more spans than can be held in memory (2³²)");
    }
    auto id = static_cast<std::uint32_t>(step.first_span);
    for (const Span& span : spans) {
      std::vector<std::vector<RawSpan>>& levels = buckets_[static_cast<std::size_t>(span.lane)];
      if (levels.size() <= span.depth) levels.resize(std::size_t{span.depth} + 1);
      const std::int64_t begin_ns = clamped_time(span.begin_ns);
      const std::int64_t duration_ns = std::clamp<std::int64_t>(span.duration_ns, 0, kMaxTimeNs);
      levels[span.depth].push_back({.begin_ns = begin_ns,
                                    .end_ns = clamped_time(begin_ns + duration_ns),
                                    .span_id = id++,
                                    .step = step.step,
                                    .task = span.task,
                                    .name = span.name,
                                    .layer = span.layer,
                                    .category = span.category,
                                    .kind = kinds.kind_of(step.step, span.task)});
    }
    report(kReadingShare * static_cast<double>(s + 1) / static_cast<double>(lanes_->steps.size()));
  }
  return {};
}

void Loader::place_rows() {
  std::size_t num_spans = 0;
  for (std::size_t lane = 0; lane < buckets_.size(); ++lane) {
    for (std::size_t level = 0; level < buckets_[lane].size(); ++level) {
      const std::size_t count = buckets_[lane][level].size();
      if (count == 0) continue;
      regions_.push_back({.lane = static_cast<std::int32_t>(lane),
                          .level = static_cast<std::int32_t>(level),
                          .first = num_spans,
                          .count = count,
                          .rows = {}});
      num_spans += count;
    }
  }
  allocate_columns(*lanes_, num_spans);
  parallel_for(regions_.size(), options_.threads, [&](std::size_t r) {
    Region& region = regions_[r];
    std::vector<RawSpan>& bucket =
        buckets_[static_cast<std::size_t>(region.lane)][static_cast<std::size_t>(region.level)];
    for (std::size_t i = 0; i < bucket.size(); ++i)
      put_span(*lanes_, region.first + i, bucket[i]);
    bucket = {};
  });
}

Result<std::shared_ptr<const Lanes>> Loader::load() {
  K3_TRY_VOID(read_header());
  K3_TRY_VOID(read_rows());
  place_rows();
  if (options_.stop.stop_requested()) return stopped();
  parallel_for(regions_.size(), options_.threads,
               [&](std::size_t r) { arrange_region(*lanes_, regions_[r]); });
  if (options_.stop.stop_requested()) return stopped();
  build_tracks(*lanes_, regions_, options_.threads);
  report(1);
  return lanes_;
}

}  // namespace

std::span<const Track> Lanes::tracks_of(std::int32_t lane) const {
  const auto [first, last] =
      std::equal_range(tracks.begin(), tracks.end(), Track{.lane = lane},
                       [](const Track& a, const Track& b) { return a.lane < b.lane; });
  return {first, last};
}

const Track& Lanes::track_of(std::size_t span) const {
  const auto behind =
      std::partition_point(tracks_by_first.begin(), tracks_by_first.end(),
                           [&](std::size_t track) { return tracks[track].first <= span; });
  K3_CHECK(behind != tracks_by_first.begin(), "span {} of {}", span, begin_ns.size());
  return tracks[*(behind - 1)];
}

LaneSpan Lanes::span(std::size_t index) const {
  const Track& track = track_of(index);
  return {.time = {begin_ns[index], end_ns[index]},
          .span_id = span_id[index],
          .lane = track.lane,
          .depth = track.depth,
          .step = step[index],
          .task = task[index],
          .name = name[index],
          .layer = layer[index],
          .category = category[index],
          .kind = kind[index]};
}

Result<std::shared_ptr<const Lanes>> load_lanes(const store::SessionReader& session,
                                                const LoadOptions& options) {
  return Loader(session, options).load();
}

}  // namespace k3::query
