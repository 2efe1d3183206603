#pragma once

#include <cstdint>
#include <string>

#include "profiler/figures/view.h"

namespace k3::test {

/// A made-up run of a K3-like model: layer 0 dense, MLA in every fourth layer and the last, KDA in
/// the others, MoE from layer 1 on.
struct SyntheticRun {
  RunKind kind = RunKind::measured;
  std::string machine = "local";
  std::string path = "/srv/somebody/runs/measured.k3r";
  int layers = 8;
  int ranks = 4;
  int experts = 16;
  double seconds_scale = 1;  ///< 1: a step of a few milliseconds
  std::uint64_t seed = 1;
};

figures::RunDetail make_run(const SyntheticRun& spec);

/// What `compare` finds between two such runs.
query::Comparison make_comparison(const figures::RunDetail& a, const figures::RunDetail& b);

figures::Input make_pair(const SyntheticRun& a, const SyntheticRun& b);

}  // namespace k3::test
