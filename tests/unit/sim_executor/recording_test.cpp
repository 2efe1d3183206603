#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "sim/executor/step_record.h"
#include "tests/unit/sim_executor/run_builder.h"

namespace k3::sim {
namespace {

using test::simulate;
using test::TinyRun;

StepShape decode(int ranks, int sequences_per_rank) {
  return StepShape::uniform(Phase::decode, ranks, sequences_per_rank, 20, 1);
}

template <class T>
std::uint64_t sum(const std::vector<T>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

TEST(Recording, ConservesCopiesRowsAndBytes) {
  for (const bool dedup : {true, false}) {
    TinyRun tiny(decode(4, 6));
    tiny.set_execution({.dispatch_dedup = dedup,
                        .combine_reduce = dedup ? CombineReduce::rank : CombineReduce::none});
    const StepRecord step = simulate(tiny.input()).steps[0];
    ASSERT_EQ(step.traffic.size(), 2U * 3);
    for (const TrafficRecord& traffic : step.traffic) {
      EXPECT_EQ(sum(traffic.copies), 24U * 2);  // tokens × top-k
      EXPECT_LE(sum(traffic.rows), sum(traffic.copies));
      if (!dedup) {
        EXPECT_EQ(traffic.rows, traffic.copies);
      }
      // Latent width 32: 33 bytes in mxfp8, 64 in bf16.
      const std::uint64_t row = traffic.direction == Direction::dispatch ? 33 : 64;
      for (std::size_t cell = 0; cell < traffic.rows.size(); ++cell) {
        EXPECT_EQ(traffic.bytes[cell], traffic.rows[cell] * row);
      }
    }
    ASSERT_EQ(step.expert_load.size(), 3U);
    for (const ExpertLoadRecord& load : step.expert_load) {
      EXPECT_EQ(sum(load.expert_tokens), 48U);
      EXPECT_EQ(sum(load.slot_tokens), 48U);
    }
  }
}

TEST(Recording, CombineMirrorsDispatch) {
  const TinyRun tiny(decode(4, 6));
  const StepRecord step = simulate(tiny.input()).steps[0];
  for (std::size_t i = 0; i < step.traffic.size(); i += 2) {
    const TrafficRecord& dispatch = step.traffic[i];
    const TrafficRecord& combine = step.traffic[i + 1];
    EXPECT_EQ(dispatch.layer, combine.layer);
    EXPECT_EQ(dispatch.direction, Direction::dispatch);
    EXPECT_EQ(combine.direction, Direction::combine);
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t d = 0; d < 4; ++d) {
        EXPECT_EQ(dispatch.copies[4 * s + d], combine.copies[4 * d + s]);
      }
    }
  }
}

TEST(Recording, EveryTaskHasItsSpan) {
  const TinyRun tiny(decode(3, 2));
  const StepRecord step = simulate(tiny.input()).steps[0];
  std::vector<int> spans(tiny.plan->tasks().size());
  for (const Span& span : step.spans) {
    const Task& task = tiny.plan->tasks()[static_cast<std::size_t>(span.task)];
    EXPECT_EQ(span.layer, task.layer);
    EXPECT_EQ(span.lane, lane_of(task.rank, task.lane));
    EXPECT_EQ(span.name, task_name_id(task.kind, task.stage));
    if (span.category != SpanCategory::wait) ++spans[static_cast<std::size_t>(span.task)];
    EXPECT_EQ(span.category == SpanCategory::compute, task.collective < 0);
  }
  EXPECT_EQ(std::count(spans.begin(), spans.end(), 1), static_cast<std::ptrdiff_t>(spans.size()));
}

TEST(Recording, SpansOfALaneNeverOverlapAndStayInTheStep) {
  const TinyRun tiny(decode(4, 7), 2);
  for (const StepRecord& step : simulate(tiny.input()).steps) {
    std::map<std::int32_t, std::vector<Span>> lanes;
    for (const Span& span : step.spans)
      lanes[span.lane].push_back(span);
    EXPECT_EQ(lanes.size(), 8U);
    for (auto& [lane, spans] : lanes) {
      std::ranges::sort(spans, {}, &Span::begin_ns);
      std::int64_t end = step.begin_ns;
      for (const Span& span : spans) {
        EXPECT_GE(span.begin_ns, end);
        EXPECT_GE(span.duration_ns, 0);
        end = span.begin_ns + span.duration_ns;
      }
      EXPECT_LE(end, step.begin_ns + step.duration_ns);
    }
  }
}

TEST(Recording, TransfersBeginWaitAndMoveAsTheirSpans) {
  const TinyRun tiny(decode(4, 7));
  const StepRecord step = simulate(tiny.input()).steps[0];
  ASSERT_EQ(step.transfers.size(), 4U * 6);
  std::map<std::pair<int, Direction>, std::int64_t> released;
  std::map<std::tuple<int, Direction, int>, std::pair<std::int64_t, std::int64_t>> in_spans;
  for (const Span& span : step.spans) {
    const Task& task = tiny.plan->tasks()[static_cast<std::size_t>(span.task)];
    if (task.collective < 0) continue;
    const Direction direction =
        task.kind == TaskKind::dispatch ? Direction::dispatch : Direction::combine;
    auto& [wait, move] = in_spans[{span.layer, direction, task.rank}];
    (span.category == SpanCategory::wait ? wait : move) += span.duration_ns;
  }
  int waiting = 0;
  int punctual = 0;
  for (const TransferRecord& transfer : step.transfers) {
    const std::pair wait_and_move{transfer.wait_ns, transfer.move_ns};
    EXPECT_EQ((in_spans[{transfer.layer, transfer.direction, transfer.rank}]), wait_and_move);
    // All ranks of one collective are released at the same moment.
    const std::int64_t release = transfer.begin_ns + transfer.wait_ns;
    const auto [at, fresh] = released.try_emplace({transfer.layer, transfer.direction}, release);
    EXPECT_EQ(at->second, release);
    EXPECT_GT(transfer.move_ns, 0);
    (transfer.wait_ns > 0 ? waiting : punctual) += 1;
  }
  EXPECT_GT(waiting, 0);
  EXPECT_GE(punctual, 6);  // the last rank of each collective does not wait
}

TEST(Recording, RoutingIsKeptOnRequestAndReplays) {
  const TinyRun tiny(decode(2, 5));
  SimulationInput input = tiny.input();
  EXPECT_TRUE(simulate(input).steps[0].routing.empty());
  input.record_routing = RecordRouting::yes;
  const auto first = simulate(input);
  ASSERT_EQ(first.steps[0].routing.size(), 3U);
  StepRouting recorded(3, 10, 2);
  recorded.experts.clear();
  for (const RoutingRecord& layer : first.steps[0].routing) {
    EXPECT_EQ(layer.num_tokens, 10);
    recorded.experts.insert(recorded.experts.end(), layer.experts.begin(), layer.experts.end());
  }
  TinyRun replay(decode(2, 5));
  replay.routing = make_recorded_routing({3, 8, 2}, {recorded});
  const auto second = simulate(replay.input());
  EXPECT_EQ(second.summary.steps[0].time, first.summary.steps[0].time);
  EXPECT_EQ(second.steps[0].traffic[0].copies, first.steps[0].traffic[0].copies);
}

}  // namespace
}  // namespace k3::sim
