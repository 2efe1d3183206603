#include <fmt/core.h>

#include "engine/runtime/kernel_check.h"
#include "engine/runtime/rank_group.h"

namespace k3 {
namespace {

Result<void> check_placement(const ExecutorInputs& inputs) {
  const ModelConfig& model = inputs.model;
  const int moe_layers = model.count(FfnKind::moe);
  if (inputs.placement.num_layers() != moe_layers) {
    return fail(Code::invalid_input,
                fmt::format("placement has {} layers; the model has {} MoE layers",
                            inputs.placement.num_layers(), moe_layers));
  }
  if (moe_layers > 0 && inputs.placement.num_experts() != model.moe.experts) {
    return fail(Code::invalid_input,
                fmt::format("placement is for {} experts; the model has {}",
                            inputs.placement.num_experts(), model.moe.experts));
  }
  if (inputs.placement.num_ranks() != static_cast<int>(inputs.communicators.size())) {
    return fail(Code::invalid_input,
                fmt::format("placement is for {} ranks; there are {}", inputs.placement.num_ranks(),
                            inputs.communicators.size()));
  }
  return {};
}

Result<void> check_sequences(RankGroup& group, const StepShape& shape) {
  std::int32_t last = -1;
  for (const SequenceShape& sequence : shape.sequences) {
    if (sequence.sequence <= last || sequence.sequence >= group.num_sequences()) {
      return fail(Code::invalid_input,
                  fmt::format("step lists sequence {} after {}; sequences ascend and are below {}",
                              sequence.sequence, last, group.num_sequences()));
    }
    last = sequence.sequence;
    if (sequence.rank != sequence.sequence % group.num_ranks()) {
      return fail(
          Code::invalid_input,
          fmt::format("sequence {} is given to rank {}; its owner is rank {}", sequence.sequence,
                      sequence.rank, sequence.sequence % group.num_ranks()));
    }
    const std::int64_t length = group.owner(sequence.sequence).state(sequence.sequence).length();
    if (sequence.context != length || sequence.new_tokens < 1) {
      return fail(Code::invalid_input,
                  fmt::format("sequence {} has {} tokens in its caches; the step adds {} after {}",
                              sequence.sequence, length, sequence.new_tokens, sequence.context));
    }
  }
  return {};
}

Result<void> check_ids(const ModelConfig& model, const StepInput& input) {
  std::size_t token = 0;
  for (const SequenceShape& sequence : input.shape.sequences) {
    for (std::int64_t i = 0; i < sequence.new_tokens; ++i, ++token) {
      const std::int32_t id = input.ids[token];
      if (id >= 0 && id < model.vocab) continue;
      return fail(Code::invalid_input,
                  fmt::format("id {} of sequence {} at position {} is not in the vocabulary; "
                              "ids are 0 to {}",
                              id, sequence.sequence, sequence.context + i, model.vocab - 1));
    }
  }
  return {};
}

Result<void> check_pinned(const ModelConfig& model, const StepInput& input) {
  if (input.pinned_experts.empty()) return {};
  const std::int64_t wanted =
      model.count(FfnKind::moe) * input.shape.num_tokens() * model.moe.top_k;
  if (std::ssize(input.pinned_experts) != wanted) {
    return fail(Code::invalid_input, fmt::format("{} pinned experts; the step needs {}",
                                                 input.pinned_experts.size(), wanted));
  }
  for (const std::int32_t expert : input.pinned_experts) {
    if (expert >= 0 && expert < model.moe.experts) continue;
    return fail(Code::invalid_input, fmt::format("pinned expert {}; experts are 0 to {}", expert,
                                                 model.moe.experts - 1));
  }
  return {};
}

}  // namespace

Result<void> check_inputs(const ExecutorInputs& inputs) {
  if (inputs.precision.mode != PrecisionMode::float32) {
    return fail(Code::unsupported,
                "the executor has no operators for serving precision; use mode = \"float32\"",
                "precision.mode");
  }
  K3_TRY_VOID(check_placement(inputs));
  return check_kernels(inputs.model, inputs.backend);
}

Result<void> check_step(RankGroup& group, const Plan& plan, const StepInput& input) {
  if (group.failed) return fail(Code::internal, "an earlier step failed; the run cannot go on");
  const StepShape& shape = input.shape;
  if (plan.num_ranks() != group.num_ranks() || shape.num_ranks != group.num_ranks() ||
      shape.phase != plan.shape().phase) {
    return fail(Code::invalid_input,
                fmt::format("plan of {} ranks and step of {} ranks, run on {}", plan.num_ranks(),
                            shape.num_ranks, group.num_ranks()));
  }
  if (std::ssize(input.ids) != shape.num_tokens()) {
    return fail(Code::invalid_input, fmt::format("{} ids for a step of {} tokens", input.ids.size(),
                                                 shape.num_tokens()));
  }
  K3_TRY_VOID(check_sequences(group, shape));
  K3_TRY_VOID(check_ids(group.inputs.model, input));
  return check_pinned(group.inputs.model, input);
}

}  // namespace k3
