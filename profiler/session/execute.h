#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/scenario/setup.h"
#include "profiler/session/token_file.h"

namespace k3::session {

/// One execution of a model on real ranks, recorded into a session.
struct ExecuteRequest {
  Setup setup;
  TokenLines prompts;              ///< empty: drawn from the weights' seed as the workload says
  TokenLines forced;               ///< empty, or one teacher-forced continuation per prompt
  std::int64_t greedy_tokens = 0;  ///< per sequence, after the prompts
  std::optional<std::filesystem::path> pinned_router;  ///< safetensors with seqS.router_ids
  std::optional<std::filesystem::path> dump;
  std::vector<std::string> dump_only;  ///< tensor names with or without `seqS.`; empty: all
  std::filesystem::path output;
  Overwrite overwrite = Overwrite::no;
};

struct ExecuteResult {
  std::string device;
  int prefill_steps = 0;
  int decode_steps = 0;
  double prefill_ms = 0;  ///< mean of a step
  double decode_ms = 0;
  TokenLines greedy_ids;
};

/// Fills `prompts` and `greedy_tokens` from the workload where the request brings no prompts:
/// random token ids, `context` of them per sequence and then `steps` decode steps (phase decode),
/// or `tokens_per_sequence` of them (phase prefill). Errors: a workload that execution cannot do,
/// naming the key
Result<ExecuteRequest> with_workload(ExecuteRequest request);

/// Bytes of the dump that the request asks for.
/// Errors: a name in dump_only that no tensor has
Result<std::int64_t> dump_bytes(const ExecuteRequest& request);

/// Runs the request (prompts must be there). The session at `output` holds every finished step also
/// when the run fails or is killed. `progress` counts tasks.
Result<ExecuteResult> execute(const ExecuteRequest& request, Progress& progress);

}  // namespace k3::session
