#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/base/rng.h"
#include "profiler/query/lanes.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/profiler_store/sample_run.h"

namespace k3::test {

/// A decode step of nothing but spans.
inline StepRecord step_of(std::int32_t number,
                          std::int64_t begin_ns,
                          std::int64_t duration_ns,
                          std::vector<Span> spans) {
  StepRecord step;
  step.step = number;
  step.begin_ns = begin_ns;
  step.duration_ns = duration_ns;
  step.spans = std::move(spans);
  return step;
}

/// Two ranks with a compute lane (0, 2) and a communication lane (1, 3) each; tasks 0: KDA, 1: MLA,
/// 2: dispatch, 3: combine, of layer 1; names in the same order.
inline SampleRun lanes_run(std::vector<Span> spans) {
  SampleRun run;
  run.header.num_ranks = 2;
  run.header.names = {"kda.recur", "mla.attend", "dispatch", "combine"};
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    run.header.lanes.push_back({rank, LaneKind::compute, "rank"});
    run.header.lanes.push_back({rank, LaneKind::communication, "rank"});
  }
  PlanRecord plan{.hash = 1, .phase = Phase::decode, .tasks = {}};
  std::int32_t name = 0;
  for (const TaskKind kind : {TaskKind::kda, TaskKind::mla, TaskKind::dispatch, TaskKind::combine})
    plan.tasks.push_back({.rank = 0, .kind = kind, .layer = 1, .name = name++});
  run.header.plans = {plan};
  run.steps.push_back(step_of(0, 0, 1000, std::move(spans)));
  return run;
}

/// The model of a run, without a file.
inline std::shared_ptr<const query::Lanes> lanes_of_run(const SampleRun& run) {
  return query::lanes_of(run.header, run.steps);
}

/// What a session of the run gives.
inline std::shared_ptr<const query::Lanes> loaded(const SampleRun& run, Ending ending) {
  const TempDir dir;
  const auto written = write_run(dir / "a.k3r", run, ending);
  EXPECT_TRUE(written) << written.error().text();
  const auto session = store::SessionReader::open(dir / "a.k3r").value();
  auto lanes = query::load_lanes(session);
  EXPECT_TRUE(lanes) << lanes.error().text();
  return lanes ? *lanes : std::make_shared<query::Lanes>();
}

/// Bursts of back-to-back spans of very different lengths with pauses, on lane 0; with pieces that
/// cross.
inline std::vector<Span> random_spans(std::uint64_t seed, std::size_t count) {
  Rng rng(seed);
  const auto below = [&](std::uint64_t limit) {
    return static_cast<std::int64_t>(rng.next() % limit);
  };
  std::vector<Span> spans;
  std::int64_t now = -5000;
  while (spans.size() < count) {
    const std::int64_t ns = below(20) == 0 ? below(100'000) : below(2) * below(100);
    const auto task = static_cast<std::int32_t>(below(5)) - 1;
    spans.push_back({.begin_ns = now,
                     .duration_ns = ns,
                     .lane = 0,
                     .task = task,
                     .layer = 1,
                     .category = static_cast<SpanCategory>(below(5)),
                     .name = std::max(task, 0)});
    now += ns + (below(100) == 0 ? below(1'000'000) : below(3));
    if (below(50) == 0) now -= std::min(ns, below(300));
  }
  return spans;
}

}  // namespace k3::test
