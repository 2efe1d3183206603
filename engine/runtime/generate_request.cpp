#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "engine/runtime/generate.h"
#include "engine/runtime/generate_internal.h"

namespace k3 {
namespace {

bool wants_all_logits(const TensorDump& dump, std::size_t num_sequences) {
  for (std::size_t s = 0; s < num_sequences; ++s) {
    for (const std::string_view name : {"logits", "final_hidden"}) {
      if (dump.tensors().contains(dump_name(s, name))) return true;
    }
  }
  return false;
}

StepShape prompt_shape(int num_ranks, const GenerateRequest& request, const TensorDump& dump) {
  StepShape shape;
  shape.phase = Phase::prefill;
  shape.num_ranks = num_ranks;
  shape.all_logits = wants_all_logits(dump, request.prompts.size());
  for (std::size_t s = 0; s < request.prompts.size(); ++s) {
    const auto sequence = static_cast<std::int32_t>(s);
    shape.sequences.push_back({.sequence = sequence,
                               .rank = sequence % num_ranks,
                               .context = 0,
                               .new_tokens = std::ssize(request.prompts[s])});
  }
  return shape;
}

Result<void> check_pinned_list(const ModelConfig& model,
                               std::string_view what,
                               const std::vector<std::vector<std::int32_t>>& pinned,
                               const std::vector<std::vector<std::int32_t>>& tokens) {
  if (pinned.empty()) return {};
  if (pinned.size() != tokens.size()) {
    return fail(Code::invalid_input,
                fmt::format("pinned experts for {} sequences of {}; there are {}", pinned.size(),
                            what, tokens.size()));
  }
  for (std::size_t s = 0; s < pinned.size(); ++s) {
    const std::size_t wanted = static_cast<std::size_t>(model.count(FfnKind::moe)) *
                               tokens[s].size() * static_cast<std::size_t>(model.moe.top_k);
    if (pinned[s].size() == wanted) continue;
    return fail(Code::invalid_input,
                fmt::format("{} pinned experts for the {} of sequence {}; its {} tokens need {}",
                            pinned[s].size(), what, s, tokens[s].size(), wanted));
  }
  return {};
}

Result<void> check_ids(const ModelConfig& model,
                       std::string_view what,
                       std::size_t sequence,
                       const std::vector<std::int32_t>& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < model.vocab) continue;
    return fail(
        Code::invalid_input,
        fmt::format("{} of sequence {}: id {} at index {} is not in the vocabulary; ids are "
                    "0 to {}",
                    what, sequence, ids[i], i, model.vocab - 1));
  }
  return {};
}

}  // namespace

std::string dump_name(std::size_t sequence, std::string_view name) {
  return fmt::format("seq{}.{}", sequence, name);
}

std::int64_t num_forced_steps(const GenerateRequest& request) {
  std::int64_t most = 0;
  for (const auto& forced : request.forced)
    most = std::max<std::int64_t>(most, std::ssize(forced));
  return most;
}

StepShape token_shape(int num_ranks,
                      const GenerateRequest& request,
                      std::int64_t index,
                      const std::function<bool(std::size_t)>& takes_part) {
  StepShape shape;
  shape.phase = Phase::decode;
  shape.num_ranks = num_ranks;
  for (std::size_t s = 0; s < request.prompts.size(); ++s) {
    if (!takes_part(s)) continue;
    const auto sequence = static_cast<std::int32_t>(s);
    shape.sequences.push_back({.sequence = sequence,
                               .rank = sequence % num_ranks,
                               .context = std::ssize(request.prompts[s]) + index,
                               .new_tokens = 1});
  }
  return shape;
}

Result<void> check_request(const ModelConfig& model, const GenerateRequest& request) {
  if (request.prompts.empty()) return fail(Code::invalid_input, "no prompt");
  if (!request.forced.empty() && request.forced.size() != request.prompts.size()) {
    return fail(Code::invalid_input,
                fmt::format("forced ids for {} sequences; there are {} prompts",
                            request.forced.size(), request.prompts.size()));
  }
  if (request.greedy_tokens < 0) {
    return fail(Code::invalid_input,
                fmt::format("{} tokens to decode; the number is 0 or more", request.greedy_tokens));
  }
  const std::vector<std::int64_t> capacity = cache_capacity(request);
  for (std::size_t s = 0; s < request.prompts.size(); ++s) {
    if (request.prompts[s].empty()) {
      return fail(Code::invalid_input, fmt::format("prompt of sequence {} is empty", s));
    }
    K3_TRY_VOID(check_ids(model, "prompt", s, request.prompts[s]));
    if (!request.forced.empty()) {
      K3_TRY_VOID(check_ids(model, "forced ids", s, request.forced[s]));
    }
    const std::int64_t positions = capacity[s];
    if (model.max_positions > 0 && positions > model.max_positions) {
      return fail(Code::invalid_input,
                  fmt::format("sequence {} grows to {} tokens; the model has {} "
                              "positions",
                              s, positions, model.max_positions));
    }
  }
  K3_TRY_VOID(check_pinned_list(model, "prompt", request.pinned_prompt, request.prompts));
  return check_pinned_list(model, "forced ids", request.pinned_forced, request.forced);
}

std::vector<DumpLengths> dump_lengths(const GenerateRequest& request) {
  std::vector<DumpLengths> lengths;
  for (std::size_t s = 0; s < request.prompts.size(); ++s) {
    lengths.push_back({.prompt = std::ssize(request.prompts[s]),
                       .forced = request.forced.empty() ? 0 : std::ssize(request.forced[s]),
                       .greedy = request.greedy_tokens});
  }
  return lengths;
}

std::vector<std::int64_t> cache_capacity(const GenerateRequest& request) {
  std::vector<std::int64_t> capacity;
  for (const DumpLengths& lengths : dump_lengths(request)) {
    capacity.push_back(lengths.prompt +
                       std::max({lengths.forced, lengths.greedy - 1, std::int64_t{0}}));
  }
  return capacity;
}

std::int64_t num_steps(const GenerateRequest& request) {
  return 1 + num_forced_steps(request) + std::max<std::int64_t>(request.greedy_tokens - 1, 0);
}

std::vector<Plan> generate_plans(const ModelConfig& model,
                                 const ExecutionSpec& execution,
                                 int num_ranks,
                                 const GenerateRequest& request,
                                 const TensorDump& dump) {
  std::vector<Plan> plans;
  plans.push_back(Plan::build(
      {.model = model, .execution = execution, .shape = prompt_shape(num_ranks, request, dump)}));
  if (num_steps(request) == 1) return plans;
  const bool all = request.greedy_tokens > 1 && num_forced_steps(request) == 0;
  const auto takes_part = [&](std::size_t s) { return all || !request.forced[s].empty(); };
  plans.push_back(Plan::build({.model = model,
                               .execution = execution,
                               .shape = token_shape(num_ranks, request, 0, takes_part)}));
  return plans;
}

}  // namespace k3
