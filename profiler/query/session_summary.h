#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/task_kind.h"
#include "engine/trace/trace.h"
#include "profiler/store/session_reader.h"

namespace k3::query {

struct StepSummary {
  int step = 0;
  int plan = 0;
  Phase phase = Phase::decode;
  std::int64_t sequences = 0;
  std::int64_t tokens = 0;
  std::int64_t context = 0;
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
};

struct PlanSummary {
  int plan = 0;
  std::string hash;
  Phase phase = Phase::decode;
  std::int64_t tasks = 0;
};

struct MemorySummary {
  std::string what;
  std::int64_t max_bytes = 0;  ///< of the rank that holds most
  std::int64_t total_bytes = 0;
};

/// What `inspect` prints: everything about a session that is not per span.
struct SessionSummary {
  std::string path;
  RunKind kind = RunKind::measured;
  bool complete = false;  ///< false: the run was interrupted, finished steps are there
  std::string title;
  std::string scenario;
  std::string model;
  std::string machine;
  /// "2 cores of AMD EPYC": the processor that computed, or for which `local` was simulated; empty
  /// where the machine's name says it all.
  std::string processor;
  int num_ranks = 0;
  std::int64_t num_spans = 0;
  std::vector<PlanSummary> plans;
  std::vector<StepSummary> steps;
  std::vector<MemorySummary> memory;
  std::vector<std::pair<std::string, std::string>> meta;
  std::string warning;  ///< what is odd about the file; mostly empty
};

Result<SessionSummary> summarize(const store::SessionReader& session);

}  // namespace k3::query
