#pragma once

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "engine/trace/trace.h"
#include "profiler/store/session_reader.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/profiler_store/sample_run.h"

namespace k3::test {

/// Two ranks, one token each per step, four experts (0 and 1 on rank 0, 2 and 3 on rank 1), top 2;
/// layer 0 is KDA, layer 1 MoE. Token 0 (rank 0) chooses experts 0 and 2, token 1 (rank 1) chooses
/// 2 and 3. Hence
///   copies  0→0: 1, 0→1: 1, 1→0: 0, 1→1: 2      rows (one per token and rank)  1, 1, 0, 1
///   tokens per expert 1, 0, 2, 1; per rank 1, 3; busiest over mean 3 · 2 / 4 = 1.5
/// Rows have 10 bytes out and 20 bytes back. In step s, KDA takes 1000 ns on rank 0 and 3000 ns on
/// rank 1, the dispatch 500 ns moving, on rank 0 after 2000 ns of waiting.
inline StepRecord small_step(std::int32_t number, Phase phase) {
  StepRecord step{.step = number,
                  .plan = phase == Phase::prefill ? 0 : 1,
                  .phase = phase,
                  .sequences = 2,
                  .tokens = 2,
                  .context = 100 + number,
                  .begin_ns = number * 10'000,
                  .duration_ns = 4000,
                  .spans = {},
                  .traffic = {},
                  .transfers = {},
                  .expert_load = {},
                  .routing = {},
                  .memory = {}};
  const auto add = [&](std::int32_t task, std::int64_t ns, SpanCategory category) {
    step.spans.push_back({.begin_ns = step.begin_ns,
                          .duration_ns = ns,
                          .lane = task / 2,
                          .task = task,
                          .layer = static_cast<std::int16_t>(task % 2),
                          .category = category,
                          .name = task % 2});
  };
  add(0, 1000, SpanCategory::compute);
  add(1, 2000, SpanCategory::wait);
  add(1, 500, SpanCategory::transfer);
  add(2, 3000, SpanCategory::compute);
  add(3, 500, SpanCategory::transfer);
  step.traffic = {{1, Direction::dispatch, 2, {1, 1, 0, 2}, {1, 1, 0, 1}, {10, 10, 0, 10}},
                  {1, Direction::combine, 2, {1, 0, 1, 2}, {1, 0, 1, 1}, {20, 0, 20, 20}}};
  step.transfers = {{1, Direction::dispatch, 0, step.begin_ns + 1000, 2000, 500},
                    {1, Direction::dispatch, 1, step.begin_ns + 3000, 0, 500}};
  step.expert_load = {{1, {1, 0, 2, 1}, {1, 0, 2, 1}}};
  step.routing = {{1, 2, 2, {0, 2, 2, 3}}};
  return step;
}

/// One prefill step and `decode_steps` decode steps.
inline SampleRun small_run(RunKind kind, int decode_steps) {
  SampleRun run;
  run.header = {.kind = kind,
                .scenario = "[model]\n",
                .meta = {{"title", "small"}, {"model", "mini"}, {"machine", "local"}},
                .num_ranks = 2,
                .gpus_per_tray = 0,
                .host = "host",
                .device = "cpu",
                .names = {"kda.recur", "dispatch"},
                .lanes = {{0, LaneKind::compute, "rank 0"}, {1, LaneKind::compute, "rank 1"}},
                .plans = {},
                .placement = {},
                .memory = {{0, "experts", 100}, {1, "experts", 300}, {1, "kv_cache", 50}}};
  PlanRecord plan;
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    plan.tasks.push_back({rank, TaskKind::kda, Stage::recur, 0, 0, 1e3, 1e2});
    plan.tasks.push_back({rank, TaskKind::dispatch, Stage::whole, 1, 1, 0, 20});
  }
  for (const Phase phase : {Phase::prefill, Phase::decode}) {
    plan.phase = phase;
    plan.hash = phase == Phase::prefill ? 17 : 18;
    run.header.plans.push_back(plan);
  }
  for (std::int32_t slot = 0; slot < 4; ++slot)
    run.header.placement.push_back({1, slot, slot / 2, slot, 1.0});
  run.steps.push_back(small_step(0, Phase::prefill));
  for (int i = 0; i < decode_steps; ++i)
    run.steps.push_back(small_step(i + 1, Phase::decode));
  return run;
}

/// Writes the run into `dir` and opens it.
inline store::SessionReader opened(const TempDir& dir,
                                   const std::string& name,
                                   const SampleRun& run,
                                   Ending ending = Ending::finished) {
  const auto written = write_run(dir / name, run, ending);
  EXPECT_TRUE(written) << written.error().text();
  return store::SessionReader::open(dir / name).value();
}

}  // namespace k3::test
