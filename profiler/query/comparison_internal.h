#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profiler/query/comparison.h"
#include "profiler/store/session_reader.h"

namespace k3::query {

/// The k-th step of a phase in both runs.
using StepPair = std::pair<store::StepRow, store::StepRow>;

/// Pairs in order, up to the shorter run.
std::vector<StepPair> paired_steps(const std::vector<store::StepRow>& a,
                                   const std::vector<store::StepRow>& b,
                                   Phase phase);

/// What the verdicts need beside the figures.
struct VerdictFacts {
  std::vector<StepPair> step;  ///< pairs behind Comparison::step
  Phase step_phase = Phase::decode;
  std::vector<StepPair> prefill;
  int moe_layers = 0;  ///< with a load in both runs
};

/// Computed sentences about a finished comparison.
std::vector<std::string> verdicts_of(const Comparison& comparison, const VerdictFacts& facts);

}  // namespace k3::query
