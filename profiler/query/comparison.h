#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/task_kind.h"
#include "profiler/query/scope.h"
#include "profiler/query/session_summary.h"
#include "profiler/query/traffic.h"

namespace k3::query {

/// How two runs were joined.
enum class Join : std::uint8_t {
  by_task,   ///< equal plan hashes: (step, task id)
  by_stage,  ///< else (phase, kind, layer, stage)
};

/// Time of one kind of task in one layer per step and rank, waiting included: mean over the ranks
/// and over the steps that both runs have.
struct ComparisonRow {
  TaskKind kind = TaskKind::embed;
  int layer = -1;
  double measured_us = 0;
  double simulated_us = 0;
  double ratio = 0;             ///< simulated / measured; 0 when measured is 0
  double measured_wait_us = 0;  ///< waiting for other ranks, part of measured_us
  double simulated_wait_us = 0;
};

/// Sums over layers, directions and the steps that both runs have, row-major [source][destination].
struct TrafficComparison {
  int num_ranks = 0;  ///< 0: the runs have different rank counts, no matrix
  std::vector<double> measured_bytes;
  std::vector<double> simulated_bytes;
  double measured_total = 0;
  double simulated_total = 0;
  double max_cell_error = 0;  ///< largest |simulated − measured| / measured total × ranks²
};

struct StepComparison {
  double measured_ms = 0;
  double simulated_ms = 0;
  int steps = 0;
};

/// A measured run beside a simulated one (or any two runs: `a` takes the measured column).
struct Comparison {
  SessionSummary a;
  SessionSummary b;
  Join join = Join::by_stage;
  std::vector<ComparisonRow> rows;  ///< of `step`'s phase, by kind and layer
  std::vector<ComparisonRow> prefill_rows;
  TrafficComparison traffic;
  StepComparison step;  ///< decode steps both have; prefill if there is no decode
  StepComparison prefill;
  double a_balance = 0;  ///< max/mean tokens per rank, mean over MoE layers
  double b_balance = 0;
  std::vector<std::string> verdicts;  ///< one sentence each
};

/// Steps are paired in order: the k-th decode step of one run with the k-th of the other, prefill
/// likewise. Runs without a common step are compared as far as they go, and a verdict says so. A
/// step in `scope` is one of `a`, beside the step that it is paired with.
Result<Comparison> compare(const store::SessionReader& a,
                           const store::SessionReader& b,
                           const Scope& scope = {});

/// Numbers of the steps that are compared, pairs at equal positions.
struct CommonSteps {
  std::vector<int> a;
  std::vector<int> b;
};

Result<CommonSteps> common_steps(const store::SessionReader& a,
                                 const store::SessionReader& b,
                                 const Scope& scope = {});

/// Matrices are left out if they are of different numbers of ranks.
TrafficComparison compared(const TrafficSum& a, const TrafficSum& b);

}  // namespace k3::query
