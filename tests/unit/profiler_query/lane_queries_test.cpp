#include <gmock/gmock.h>

#include "profiler/query/lane_flows.h"
#include "profiler/query/lane_search.h"
#include "profiler/query/lane_statistics.h"
#include "profiler/query/time_range.h"
#include "tests/unit/profiler_query/lanes_run.h"
#include "tests/unit/profiler_query/small_run.h"

namespace k3::query {
namespace {

using test::lanes_of_run;
using test::lanes_run;
using testing::ElementsAre;

constexpr auto kKda = static_cast<std::uint8_t>(TaskKind::kda);
constexpr auto kDispatch = static_cast<std::uint8_t>(TaskKind::dispatch);

TEST(RangeStatistics, CountThePartInside) {
  const auto lanes = lanes_of_run(lanes_run({
      {.begin_ns = 0, .duration_ns = 100, .lane = 0, .task = 0},
      {.begin_ns = 10, .duration_ns = 50, .lane = 0, .task = 1, .depth = 1},
      {.begin_ns = 100, .duration_ns = 60, .task = 2, .category = SpanCategory::wait},
      {.begin_ns = 160, .duration_ns = 40, .task = 2, .category = SpanCategory::transfer},
      {.begin_ns = 0, .duration_ns = 1000, .lane = 1},
      {.begin_ns = 150, .duration_ns = 20, .lane = 2, .task = 0},
  }));
  const std::int32_t chosen[] = {0, 2, 7, -1};
  const RangeStatistics some = range_statistics(*lanes, {70, 165}, chosen);
  EXPECT_EQ(some.wait_ns(), 60);
  EXPECT_EQ(some.transfer_ns(), 5);
  EXPECT_EQ(some.category_ns(SpanCategory::compute), 30 + 15);
  EXPECT_EQ(some.busy_ns(), 30 + 15 + 5);
  EXPECT_EQ(some.kind_ns(kKda), 45);
  EXPECT_EQ(some.kind_ns(kDispatch), 5);
  EXPECT_EQ(some.kind_wait_ns(kDispatch), 60);
  EXPECT_EQ(some.num_spans(), 4);
  EXPECT_EQ(some.num_spans(SpanCategory::compute), 2);
  EXPECT_EQ(some.num_spans(kDispatch), 2);
  // One span around the whole range; and nothing at all.
  EXPECT_EQ(range_statistics(*lanes, {20, 30}, chosen).busy_ns(), 10);
  EXPECT_EQ(range_statistics(*lanes, {200, 300}, chosen).num_spans(), 0);
  EXPECT_EQ(range_statistics(*lanes, {30, 20}, chosen).num_spans(), 0);
  const auto ranks = rank_statistics(*lanes, {70, 165});
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[0].busy_ns(), 30 + 5 + 95);
  EXPECT_EQ(ranks[0].kind_ns(kNoKind), 95);
  EXPECT_EQ(ranks[1].busy_ns(), 15);
  RangeStatistics sum = ranks[0];
  sum.add(ranks[1]);
  EXPECT_EQ(sum.busy_ns(), 30 + 5 + 95 + 15);
}

TEST(RangeStatistics, AreWhatTheSpansAddUpTo) {
  const std::int32_t chosen[] = {0};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto spans = test::random_spans(seed, 4000);
    const auto lanes = lanes_of_run(lanes_run(spans));
    Rng rng(seed);
    for (int i = 0; i < 40; ++i) {
      const auto begin_ns = static_cast<std::int64_t>(rng.next() % 30'000'000);
      const TimeRange range{begin_ns, begin_ns + static_cast<std::int64_t>(rng.next() % 9'000'000)};
      const RangeStatistics got = range_statistics(*lanes, range, chosen);
      Tally expected;
      for (const Span& span : spans) {
        const std::int64_t end_ns = span.begin_ns + span.duration_ns;
        if (end_ns <= range.begin_ns || span.begin_ns >= range.end_ns) continue;
        const std::uint8_t kinds[] = {kNoKind, kKda, static_cast<std::uint8_t>(TaskKind::mla),
                                      kDispatch, static_cast<std::uint8_t>(TaskKind::combine)};
        Tally::Sum& sum =
            expected.sums[kinds[span.task + 1]][static_cast<std::size_t>(span.category)];
        sum.ns += std::min(end_ns, range.end_ns) - std::max(span.begin_ns, range.begin_ns);
        ++sum.count;
      }
      for (std::size_t k = 0; k < kNumKinds; ++k) {
        for (std::size_t c = 0; c < kNumCategories; ++c) {
          EXPECT_EQ(got.tally.sums[k][c].ns, expected.sums[k][c].ns);
          EXPECT_EQ(got.tally.sums[k][c].count, expected.sums[k][c].count);
        }
      }
    }
  }
}

TEST(Search, GoesThroughAllLanesInOrderOfTime) {
  // Two spans begin at 20, on different lanes.
  const auto lanes =
      lanes_of_run(lanes_run({{.begin_ns = 10, .duration_ns = 5, .lane = 0, .name = 1},
                              {.begin_ns = 20, .duration_ns = 5, .lane = 0, .name = 2},
                              {.begin_ns = 30, .duration_ns = 5, .lane = 0, .name = 1},
                              {.begin_ns = 20, .duration_ns = 5, .lane = 3, .name = 1},
                              {.begin_ns = 5, .duration_ns = 5, .lane = 3, .name = 3},
                              {.begin_ns = 20, .duration_ns = 5, .lane = 2, .name = 1}}));
  const NameMatch match(*lanes, "LA.at");
  std::vector<std::pair<std::int32_t, std::int64_t>> forward;
  SearchPlace place{.begin_ns = INT64_MIN};
  while (const auto found = next_match(*lanes, match, place)) {
    forward.emplace_back(lanes->span(*found).lane, lanes->begin_ns[*found]);
    place = SearchPlace::of(*lanes, *found);
  }
  EXPECT_THAT(forward,
              ElementsAre(std::pair(0, 10), std::pair(2, 20), std::pair(3, 20), std::pair(0, 30)));
  std::vector<std::pair<std::int32_t, std::int64_t>> backward;
  place = {.begin_ns = INT64_MAX};
  while (const auto found = previous_match(*lanes, match, place)) {
    backward.insert(backward.begin(), {lanes->span(*found).lane, lanes->begin_ns[*found]});
    place = SearchPlace::of(*lanes, *found);
  }
  EXPECT_EQ(backward, forward);
  EXPECT_EQ(lanes->begin_ns[next_match(*lanes, match, {.begin_ns = 11}).value()], 20);
  EXPECT_EQ(lanes->begin_ns[previous_match(*lanes, match, {.begin_ns = 20}).value()], 10);
}

TEST(Search, CountsUpToALimit_AndStops) {
  const auto lanes = lanes_of_run(lanes_run(test::random_spans(3, 1000)));
  const NameMatch all(*lanes, "");
  EXPECT_EQ(count_matches(*lanes, all, 1000).count, 1000U);
  EXPECT_TRUE(count_matches(*lanes, all, 1000).complete);
  EXPECT_EQ(count_matches(*lanes, all, 999).count, 999U);
  EXPECT_FALSE(count_matches(*lanes, all, 999).complete);
  const NameMatch none(*lanes, "velocity");
  EXPECT_EQ(count_matches(*lanes, none, 10).count, 0U);
  EXPECT_EQ(next_match(*lanes, none, {.begin_ns = INT64_MIN}), std::nullopt);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(count_matches(*lanes, all, 1000, stopped.get_token()).complete);
}

TEST(DataRange, IsThatOfTheSpans) {
  const auto lanes = lanes_of_run(lanes_run(test::random_spans(3, 1000)));
  const DataRange data = data_range(*lanes);
  EXPECT_EQ(data.num_outliers, 0U);
  EXPECT_EQ(data.range.begin_ns, -5000);
  std::int64_t last_ns = 0;
  for (std::size_t i = 0; i < lanes->num_spans(); ++i)
    last_ns = std::max(last_ns, lanes->end_ns[i]);
  EXPECT_EQ(data.range.end_ns, last_ns);
}

TEST(DataRange, LeavesStraySpansOut) {
  const std::int64_t now = 1'700'000'000'000'000'000;
  std::vector<Span> spans;
  for (int i = 0; i < 500; ++i)
    spans.push_back({.begin_ns = now + 100 * i, .duration_ns = 50, .lane = i % 4});
  spans.push_back({.begin_ns = 0, .duration_ns = 50, .lane = 1});
  spans.push_back({.begin_ns = now + 60'000, .duration_ns = now, .lane = 2});
  const auto lanes = lanes_of_run(lanes_run(spans));
  const DataRange data = data_range(*lanes);
  EXPECT_EQ(data.range.begin_ns, now);
  EXPECT_EQ(data.range.end_ns, now + 499 * 100 + 50);
  EXPECT_EQ(data.num_outliers, 2U);
  ASSERT_EQ(data.outliers.size(), 2U);
  EXPECT_EQ(lanes->begin_ns[data.outliers[0]], 0);
  EXPECT_EQ(lanes->begin_ns[data.outliers[1]], now + 60'000);
}

TEST(DataRange, IsThatOfTheSteps_WithoutSpans) {
  test::SampleRun run = lanes_run({});
  run.steps.push_back(test::step_of(1, 2000, 500, {}));
  const DataRange data = data_range(*lanes_of_run(run));
  EXPECT_EQ(data.range.begin_ns, 0);
  EXPECT_EQ(data.range.end_ns, 2500);
}

/// A dispatch of three ranks. Rank 0 packs until 30, waits until 60 and moves until 90; rank 1 is
/// ready at 50 without packing, rank 2, the last, at 60.
test::SampleRun exchange() {
  test::SampleRun run;
  run.header.num_ranks = 3;
  run.header.names = {"dispatch"};
  PlanRecord plan{.hash = 1, .tasks = {}};
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    run.header.lanes.push_back({rank, LaneKind::communication, "rank"});
    plan.tasks.push_back({.rank = rank, .kind = TaskKind::dispatch, .layer = 1});
    plan.tasks.push_back({.rank = rank, .kind = TaskKind::combine, .layer = 1});
  }
  run.header.plans = {plan};
  for (std::int32_t step = 0; step < 2; ++step) {
    StepRecord record = test::step_of(step, step * 1000, 1000, {});
    const auto add = [&](std::int32_t rank, std::int64_t begin, std::int64_t end,
                         SpanCategory category, int task = 0) {
      record.spans.push_back({.begin_ns = record.begin_ns + begin,
                              .duration_ns = end - begin,
                              .lane = rank,
                              .task = 2 * rank + task,
                              .layer = 1,
                              .category = category});
    };
    using enum SpanCategory;
    add(0, 20, 30, memory);
    add(0, 30, 60, wait);
    add(0, 60, 90, transfer);
    add(1, 50, 60, wait);
    add(1, 60, 80, transfer);
    add(2, 55, 60, memory);
    add(2, 60, 85, transfer);
    add(2, 200, 250, transfer, 1);
    run.steps.push_back(record);
  }
  return run;
}

TEST(Flows, LeadFromSendersToTheTransfer) {
  const auto lanes = lanes_of_run(exchange());
  // The waiting of rank 0 in step 1: the second of its second three spans.
  const Flows flows = flows_of(*lanes, lanes->tracks[0].first + 4);
  ASSERT_EQ(flows.incoming.size(), 2U);
  EXPECT_EQ(lanes->span(flows.incoming[0].from_span).lane, 2);  // the last to be ready
  EXPECT_EQ(flows.incoming[0].from_ns, 1060);
  EXPECT_EQ(lanes->category[flows.incoming[0].from_span], SpanCategory::memory);
  EXPECT_EQ(flows.incoming[0].to_span, lanes->tracks[0].first + 5);
  EXPECT_EQ(flows.incoming[0].to_ns, 1060);
  EXPECT_EQ(flows.incoming[1].from_ns, 1050);
  EXPECT_EQ(lanes->category[flows.incoming[1].from_span], SpanCategory::wait);
  ASSERT_EQ(flows.outgoing.size(), 2U);
  EXPECT_EQ(flows.outgoing[0].from_ns, 1030);
  EXPECT_EQ(lanes->span(flows.outgoing[0].to_span).lane, 1);
  EXPECT_EQ(lanes->span(flows.outgoing[1].to_span).lane, 2);
  EXPECT_EQ(flows.left_out, 0U);
}

TEST(Flows, AreLimited_AndOnlyOfExchanges) {
  const auto lanes = lanes_of_run(exchange());
  const Flows flows = flows_of(*lanes, lanes->tracks[0].first, 1);
  ASSERT_EQ(flows.incoming.size(), 1U);
  EXPECT_EQ(flows.incoming[0].from_ns, 60);
  EXPECT_EQ(flows.left_out, 2U);
  // Nobody else takes part in rank 2's combine.
  EXPECT_TRUE(flows_of(*lanes, lanes->tracks[2].first + 2).incoming.empty());
  const auto computing = lanes_of_run(lanes_run({{.begin_ns = 0, .duration_ns = 5, .task = 0}}));
  EXPECT_TRUE(flows_of(*computing, 0).incoming.empty());
}

}  // namespace
}  // namespace k3::query
