#include "engine/runtime/generate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "engine/runtime/generate_internal.h"

namespace k3 {
namespace {

struct CapturedName {
  Quantity quantity;
  std::string_view name;
};

constexpr std::array<CapturedName, 11> kPromptTensors{{{Quantity::logits, "logits"},
                                                       {Quantity::last_logits, "greedy_logits"},
                                                       {Quantity::final_hidden, "final_hidden"},
                                                       {Quantity::stream, "stream"},
                                                       {Quantity::attn_in, "attn_in"},
                                                       {Quantity::attn_out, "attn_out"},
                                                       {Quantity::ffn_in, "ffn_in"},
                                                       {Quantity::ffn_out, "ffn_out"},
                                                       {Quantity::router_ids, "router_ids"},
                                                       {Quantity::router_w, "router_w"},
                                                       {Quantity::router_margin, "router_margin"}}};
constexpr std::array<CapturedName, 3> kForcedTensors{{{Quantity::logits, "decode_logits"},
                                                      {Quantity::stream, "decode_stream"},
                                                      {Quantity::router_ids, "decode_router_ids"}}};
constexpr std::array<CapturedName, 1> kGreedyTensors{{{Quantity::logits, "greedy_logits"}}};

/// The run in progress: executor, request and dump, step by step.
class Generation {
 public:
  Generation(Executor& executor,
             const std::vector<Plan>& plans,
             const GenerateRequest& request,
             TensorDump& dump,
             const StepConsumer& consume)
      : executor_(executor), plans_(plans), request_(request), dump_(dump), consume_(consume) {}

  Result<GenerateOutput> run();

 private:
  std::size_t num_sequences() const { return request_.prompts.size(); }

  Result<void> run_prompts();
  Result<void> run_forced();
  Result<GenerateOutput> run_greedy();
  Result<std::vector<std::int32_t>> run_step(const Plan& plan, StepInput input);

  StepCapture capture(const StepShape& shape,
                      std::span<const CapturedName> names,
                      std::int64_t first_row);
  std::vector<std::int32_t> pinned(const StepShape& shape,
                                   const std::vector<std::vector<std::int32_t>>& lists,
                                   std::int64_t first_token) const;
  Result<void> dump_state(std::size_t sequence,
                          std::string_view phase,
                          std::string_view rows_name,
                          std::int64_t first_row);
  void dump_integers(const std::string& name, const std::vector<std::int32_t>& values);
  void dump_constants();

  Executor& executor_;
  const std::vector<Plan>& plans_;
  const GenerateRequest& request_;
  TensorDump& dump_;
  const StepConsumer& consume_;
  std::int32_t next_step_ = 0;
  std::vector<std::int32_t> after_prompt_;  ///< argmax of each prompt's last row
};

Result<std::vector<std::int32_t>> Generation::run_step(const Plan& plan, StepInput input) {
  input.step = next_step_++;
  input.plan_id = static_cast<std::int32_t>(&plan - plans_.data());
  K3_TRY(StepOutput output, executor_.run_step(plan, input));
  if (consume_) {
    K3_TRY_VOID(consume_(output.record));
  }
  return std::move(output.next_ids);
}

StepCapture Generation::capture(const StepShape& shape,
                                std::span<const CapturedName> names,
                                std::int64_t first_row) {
  StepCapture capture;
  for (const SequenceShape& sequence : shape.sequences) {
    auto& targets = capture.sequences.emplace_back();
    for (const CapturedName& wanted : names) {
      const std::string name = dump_name(static_cast<std::size_t>(sequence.sequence), wanted.name);
      targets[static_cast<std::size_t>(wanted.quantity)] =
          dump_.target(name, wanted.quantity, first_row);
    }
  }
  return capture;
}

/// [MoE layers, tokens of the step, top_k] from lists of [MoE layers, tokens of the list, top_k].
std::vector<std::int32_t> Generation::pinned(const StepShape& shape,
                                             const std::vector<std::vector<std::int32_t>>& lists,
                                             std::int64_t first_token) const {
  std::vector<std::int32_t> step;
  if (lists.empty()) return step;
  const ModelConfig& model = executor_.model();
  for (int layer = 0; layer < model.count(FfnKind::moe); ++layer) {
    for (const SequenceShape& sequence : shape.sequences) {
      const auto& list = lists[static_cast<std::size_t>(sequence.sequence)];
      const std::int64_t layer_size = std::ssize(list) / model.count(FfnKind::moe);
      const auto begin = list.begin() + layer * layer_size + first_token * model.moe.top_k;
      step.insert(step.end(), begin, begin + sequence.new_tokens * model.moe.top_k);
    }
  }
  return step;
}

void Generation::dump_integers(const std::string& name, const std::vector<std::int32_t>& values) {
  if (auto* to = dump_.find<std::int32_t>(name)) std::ranges::copy(values, to);
}

void Generation::dump_constants() {
  const DumpLayers layers = dump_layers(executor_.model());
  dump_integers("kda_layers", layers.kda);
  dump_integers("mla_layers", layers.mla);
  dump_integers("moe_layers", layers.moe);
  dump_integers("num_sequences", {static_cast<std::int32_t>(num_sequences())});
  for (std::size_t s = 0; s < num_sequences(); ++s) {
    dump_integers(dump_name(s, "prompt"), request_.prompts[s]);
    if (!request_.forced.empty()) {
      dump_integers(dump_name(s, "decode_tokens"), request_.forced[s]);
    }
    auto* margin = dump_.find<float>(dump_name(s, "router_margin"));
    if (margin == nullptr || request_.pinned_prompt.empty()) continue;
    // NOTE: a pinned choice has no margin; "not a number" says so.
    const auto count = dump_.tensors().at(dump_name(s, "router_margin")).spec.elements();
    std::fill_n(margin, count, std::numeric_limits<float>::quiet_NaN());
  }
}

Result<void> Generation::dump_state(std::size_t sequence,
                                    std::string_view phase,
                                    std::string_view rows_name,
                                    std::int64_t first_row) {
  const auto find = [&](std::string_view name) {
    return dump_.find<float>(dump_name(sequence, fmt::format("{}{}", phase, name)));
  };
  const int index = static_cast<int>(sequence);
  return executor_.read_state(index, {.kda = find("kda_state"),
                                      .conv = {find("conv_q"), find("conv_k"), find("conv_v")},
                                      .mla = find(rows_name),
                                      .mla_first_row = first_row,
                                      .mla_rows = executor_.length(index) - first_row});
}

Result<void> Generation::run_prompts() {
  const Plan& plan = plans_.front();
  std::vector<std::int32_t> ids;
  for (const auto& prompt : request_.prompts)
    ids.insert(ids.end(), prompt.begin(), prompt.end());
  const StepCapture targets = capture(plan.shape(), kPromptTensors, 0);
  const auto experts = pinned(plan.shape(), request_.pinned_prompt, 0);
  K3_TRY(after_prompt_,
         run_step(
             plan,
             {.shape = plan.shape(), .ids = ids, .pinned_experts = experts, .capture = &targets}));
  for (std::size_t s = 0; s < num_sequences(); ++s) {
    K3_TRY_VOID(dump_state(s, "prefill_", "mla_cache", 0));
  }
  return {};
}

Result<void> Generation::run_forced() {
  const std::int64_t steps = num_forced_steps(request_);
  for (std::int64_t j = 0; j < steps; ++j) {
    const auto takes_part = [&](std::size_t s) { return j < std::ssize(request_.forced[s]); };
    const StepShape shape = token_shape(executor_.num_ranks(), request_, j, takes_part);
    std::vector<std::int32_t> ids;
    for (const SequenceShape& sequence : shape.sequences) {
      const auto& forced = request_.forced[static_cast<std::size_t>(sequence.sequence)];
      ids.push_back(forced[static_cast<std::size_t>(j)]);
    }
    const StepCapture targets = capture(shape, kForcedTensors, j);
    const auto experts = pinned(shape, request_.pinned_forced, j);
    K3_TRY_VOID(run_step(
        plans_[1], {.shape = shape, .ids = ids, .pinned_experts = experts, .capture = &targets}));
  }
  for (std::size_t s = 0; s < request_.forced.size(); ++s) {
    if (request_.forced[s].empty()) continue;
    K3_TRY_VOID(dump_state(s, "decode_", "mla_rows", std::ssize(request_.prompts[s])));
  }
  return {};
}

Result<GenerateOutput> Generation::run_greedy() {
  GenerateOutput output;
  output.greedy_ids.resize(num_sequences());
  std::vector<std::int32_t> ids = after_prompt_;
  for (std::int64_t j = 0; j < request_.greedy_tokens; ++j) {
    if (j > 0) {
      const auto everyone = [](std::size_t) { return true; };
      const StepShape shape = token_shape(executor_.num_ranks(), request_, j - 1, everyone);
      const StepCapture targets = capture(shape, kGreedyTensors, j);
      K3_TRY(ids, run_step(plans_[1], {.shape = shape, .ids = ids, .capture = &targets}));
    }
    for (std::size_t s = 0; s < num_sequences(); ++s)
      output.greedy_ids[s].push_back(ids[s]);
  }
  for (std::size_t s = 0; s < num_sequences(); ++s) {
    dump_integers(dump_name(s, "greedy_ids"), output.greedy_ids[s]);
  }
  return output;
}

Result<GenerateOutput> Generation::run() {
  dump_constants();
  K3_TRY_VOID(run_prompts());
  const bool forks = num_forced_steps(request_) > 0 && request_.greedy_tokens > 1;
  StateSnapshot after_prompts;
  if (forks) {
    K3_TRY(after_prompts, executor_.save_state());
  }
  K3_TRY_VOID(run_forced());
  if (forks) {
    K3_TRY_VOID(executor_.restore_state(after_prompts));
  }
  return run_greedy();
}

}  // namespace

Result<GenerateOutput> generate(Executor& executor,
                                const std::vector<Plan>& plans,
                                const GenerateRequest& request,
                                TensorDump& dump,
                                const StepConsumer& consume) {
  K3_TRY_VOID(check_request(executor.model(), request));
  return Generation(executor, plans, request, dump, consume).run();
}

}  // namespace k3
