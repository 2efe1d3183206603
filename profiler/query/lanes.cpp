#include "profiler/query/lanes.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

#include <fmt/core.h>

#include "engine/base/check.h"
#include "engine/base/parallel.h"
#include "profiler/query/lanes_internal.h"

namespace k3::query {
namespace {

tl::unexpected<Error> stop_error() {
  return fail(Code::cancelled, "stopped");
}

/// Share of the time until rows are read, and until blocks are decoded; the rest goes into marks.
constexpr double kReadShare = 0.4;
constexpr double kDecodedShare = 0.9;

class Loader {
 public:
  Loader(const store::SessionReader& session, const LoadOptions& options)
      : session_(session), options_(options) {}

  Result<std::shared_ptr<const Lanes>> load();

 private:
  Result<std::shared_ptr<Lanes>> read_header() const;
  Result<void> read_rows(const std::vector<store::StepRow>& steps, LanesBuilder& builder) const;
  Result<void> decode_blocks(LanesBuilder& builder) const;

  bool stopped() const { return options_.stop.stop_requested(); }

  void report(double fraction) const {
    if (options_.progress) options_.progress(fraction);
  }

  const store::SessionReader& session_;
  const LoadOptions& options_;
  std::vector<store::SpanBlock> blocks_;
};

Result<std::shared_ptr<Lanes>> Loader::read_header() const {
  auto lanes = std::make_shared<Lanes>();
  lanes->num_ranks = session_.num_ranks();
  K3_TRY(lanes->lanes, session_.lanes());
  K3_TRY(lanes->names, session_.names());
  K3_TRY(lanes->steps, session_.steps());
  K3_TRY(const std::int64_t num_plans, session_.database().integer("SELECT count(*) FROM plan"));
  for (std::int64_t p = 0; p < num_plans; ++p) {
    K3_TRY(PlanRecord plan, session_.plan(static_cast<int>(p)));
    lanes->plans.push_back(std::move(plan));
  }
  return lanes;
}

/// The steps that stand in no block.
Result<void> Loader::read_rows(const std::vector<store::StepRow>& steps,
                               LanesBuilder& builder) const {
  std::int64_t span_limit = 0;
  for (const store::SpanBlock& block : blocks_)
    span_limit = std::max(span_limit, block.span_limit);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (stopped()) return stop_error();
    if (steps[s].first_span + steps[s].num_spans > std::numeric_limits<std::uint32_t>::max()) {
      return fail(Code::unsupported, "has more spans than can be held in memory (2³²)");
    }
    if (steps[s].first_span < span_limit) continue;
    K3_TRY(const std::vector<Span> spans, session_.spans(steps[s]));
    builder.add_rows(steps[s], spans);
    report(kReadShare * static_cast<double>(s + 1) / static_cast<double>(steps.size()));
  }
  return {};
}

Result<void> Loader::decode_blocks(LanesBuilder& builder) const {
  const auto threads = static_cast<std::size_t>(std::max(1, options_.threads));
  const std::thread::id own = std::this_thread::get_id();
  std::vector<Result<void>> results(threads);
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  parallel_for(threads, options_.threads, [&](std::size_t t) {
    store::SpanBlockDecoder decoder;
    for (std::size_t i = next++; i < blocks_.size() && !failed && !stopped(); i = next++) {
      results[t] = builder.place_block(i, blocks_[i], decoder);
      if (!results[t]) failed = true;
      if (std::this_thread::get_id() != own) continue;
      report(kReadShare + (kDecodedShare - kReadShare) * static_cast<double>(i + 1) /
                              static_cast<double>(blocks_.size()));
    }
  });
  for (Result<void>& result : results)
    K3_TRY_VOID(std::move(result));
  return {};
}

Result<std::shared_ptr<const Lanes>> Loader::load() {
  K3_TRY(std::shared_ptr<Lanes> lanes, read_header());
  const std::vector<store::StepRow> steps = lanes->steps;
  if (stopped()) return stop_error();
  K3_TRY(blocks_, session_.span_blocks());
  LanesBuilder builder(std::move(lanes));
  for (const store::SpanBlock& block : blocks_)
    builder.add_block(block);
  K3_TRY_VOID(read_rows(steps, builder));
  builder.allocate();
  parallel_for(builder.num_buckets(), options_.threads,
               [&](std::size_t bucket) { builder.place_rows(bucket); });
  if (Result<void> decoded = decode_blocks(builder); !decoded) {
    return tl::unexpected(std::move(decoded).error().at(session_.path().string()));
  }
  blocks_ = {};
  report(kDecodedShare);
  if (stopped()) return stop_error();
  std::shared_ptr<const Lanes> loaded = builder.finish(options_.threads);
  report(1);
  return loaded;
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

std::shared_ptr<const Lanes> lanes_of(const RunHeader& header, std::span<const StepRecord> steps) {
  auto lanes = std::make_shared<Lanes>();
  lanes->num_ranks = header.num_ranks;
  lanes->lanes = header.lanes;
  lanes->names = header.names;
  lanes->plans = header.plans;
  std::int64_t first_span = 1;
  for (const StepRecord& step : steps) {
    lanes->steps.push_back({.step = step.step,
                            .plan = step.plan,
                            .phase = step.phase,
                            .sequences = step.sequences,
                            .tokens = step.tokens,
                            .context = step.context,
                            .begin_ns = step.begin_ns,
                            .duration_ns = step.duration_ns,
                            .first_span = first_span,
                            .num_spans = std::ssize(step.spans)});
    first_span += std::ssize(step.spans);
  }
  const std::vector<store::StepRow> rows = lanes->steps;
  LanesBuilder builder(std::move(lanes));
  for (std::size_t s = 0; s < rows.size(); ++s)
    builder.add_rows(rows[s], steps[s].spans);
  builder.allocate();
  for (std::size_t bucket = 0; bucket < builder.num_buckets(); ++bucket)
    builder.place_rows(bucket);
  return builder.finish(1);
}

}  // namespace k3::query
