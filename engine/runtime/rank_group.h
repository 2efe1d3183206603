#pragma once

#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/rank_context.h"

namespace k3 {

/// All ranks of an executor and what they share. Contexts refer to `inputs`: the object does not
/// move.
class RankGroup {
 public:
  explicit RankGroup(ExecutorInputs executor_inputs) : inputs(std::move(executor_inputs)) {}

  int num_ranks() const { return static_cast<int>(inputs.communicators.size()); }

  int num_sequences() const { return static_cast<int>(inputs.capacity.size()); }

  RankContext& owner(int sequence) {
    return *ranks[static_cast<std::size_t>(sequence % num_ranks())];
  }

  ExecutorInputs inputs;
  std::vector<std::unique_ptr<RankContext>> ranks;
  std::int64_t origin_ns = 0;  ///< steady clock at time 0 of the run
  bool failed = false;
};

/// Errors: invalid_input or unsupported: what does not fit together
Result<void> check_inputs(const ExecutorInputs& inputs);
Result<void> check_step(RankGroup& group, const Plan& plan, const StepInput& input);

}  // namespace k3
