#include "engine/runtime/executor.h"

#include <chrono>
#include <utility>

#include <fmt/core.h>

#include "engine/runtime/rank_group.h"
#include "engine/runtime/rank_threads.h"
#include "engine/runtime/tasks.h"

namespace k3 {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Weights and caches of one rank, on its own thread.
Result<void> set_up_rank(RankGroup& group, int rank) {
  const ExecutorInputs& inputs = group.inputs;
  auto context = std::make_unique<RankContext>(inputs, rank);
  K3_TRY(context->stream, inputs.backend.make_stream(context->device));
  K3_TRY(context->weights, load_model_weights({.model = inputs.model,
                                               .placement = inputs.placement,
                                               .store = inputs.weights,
                                               .backend = inputs.backend,
                                               .device = context->device,
                                               .rank = rank},
                                              *context->stream));
  for (int s = rank; s < group.num_sequences(); s += group.num_ranks()) {
    SequenceState& state =
        context->states.emplace_back(inputs.backend, context->device, context->layout);
    K3_TRY_VOID(state.allocate(*context->stream, inputs.capacity[static_cast<std::size_t>(s)]));
  }
  context->stream->synchronize();
  group.ranks[static_cast<std::size_t>(rank)] = std::move(context);
  return {};
}

void advance_lengths(RankGroup& group, const StepShape& shape) {
  for (const SequenceShape& sequence : shape.sequences) {
    group.owner(sequence.sequence)
        .state(sequence.sequence)
        .set_length(sequence.context + sequence.new_tokens);
  }
}

StepRecord begin_record(const StepInput& input) {
  StepRecord record;
  record.step = input.step;
  record.plan = input.plan_id;
  record.phase = input.shape.phase;
  record.sequences = std::ssize(input.shape.sequences);
  record.tokens = input.shape.num_tokens();
  record.context = input.shape.longest_context();
  return record;
}

Result<void> check_sequence(const RankGroup& group, int sequence) {
  if (sequence >= 0 && sequence < group.num_sequences()) return {};
  return fail(Code::invalid_input,
              fmt::format("sequence {}; there are {}", sequence, group.num_sequences()));
}

}  // namespace

Executor::Executor(std::unique_ptr<RankGroup> group) : group_(std::move(group)) {}

Executor::~Executor() = default;
Executor::Executor(Executor&&) noexcept = default;
Executor& Executor::operator=(Executor&&) noexcept = default;

Result<Executor> Executor::create(ExecutorInputs inputs) {
  K3_TRY_VOID(check_inputs(inputs));
  auto group = std::make_unique<RankGroup>(std::move(inputs));
  group->ranks.resize(group->inputs.communicators.size());
  K3_TRY_VOID(run_on_ranks(group->inputs.communicators,
                           [&](int rank) { return set_up_rank(*group, rank); }));
  group->origin_ns = now_ns();
  return Executor(std::move(group));
}

int Executor::num_ranks() const {
  return group_->num_ranks();
}

const ModelConfig& Executor::model() const {
  return group_->inputs.model;
}

std::int64_t Executor::length(int sequence) const {
  return group_->owner(sequence).state(sequence).length();
}

Result<StepOutput> Executor::run_step(const Plan& plan, const StepInput& input) {
  K3_TRY_VOID(check_step(*group_, plan, input));
  const ExecutorInputs& inputs = group_->inputs;
  StepTables tables(inputs.model, inputs.placement, input.shape.num_tokens());
  StepOutput output{.record = begin_record(input), .next_ids = {}};
  output.next_ids.resize(input.shape.sequences.size());
  std::vector<RankRecord*> records;
  for (const auto& rank : group_->ranks) {
    rank->plan = &plan;
    rank->input = &input;
    rank->tables = &tables;
    rank->next_ids = &output.next_ids;
    records.push_back(&rank->record);
  }
  const std::int64_t begin_ns = now_ns();
  const auto done = run_on_ranks(inputs.communicators, [&](int rank) -> Result<void> {
    RankContext& context = *group_->ranks[static_cast<std::size_t>(rank)];
    K3_TRY_VOID(begin_batch(context));
    return run_tasks(context);
  });
  if (!done) {
    group_->failed = true;
    return tl::unexpected(done.error());
  }
  output.record.begin_ns = begin_ns - group_->origin_ns;
  output.record.duration_ns = now_ns() - begin_ns;
  output.record.memory = memory();
  assemble_step({.model = inputs.model,
                 .placement = inputs.placement,
                 .precision = inputs.precision,
                 .plan = plan,
                 .shape = input.shape,
                 .origin_ns = group_->origin_ns},
                tables, records, output.record);
  advance_lengths(*group_, input.shape);
  return output;
}

Result<void> Executor::assume_context(int sequence, std::int64_t tokens) {
  K3_TRY_VOID(check_sequence(*group_, sequence));
  RankContext& context = group_->owner(sequence);
  return context.state(sequence).assume(*context.stream, tokens);
}

Result<StateSnapshot> Executor::save_state() {
  StateSnapshot snapshot;
  snapshot.sequences.resize(group_->inputs.capacity.size());
  for (int s = 0; s < group_->num_sequences(); ++s) {
    RankContext& context = group_->owner(s);
    context.state(s).save(*context.stream, snapshot.sequences[static_cast<std::size_t>(s)]);
  }
  return snapshot;
}

Result<void> Executor::restore_state(const StateSnapshot& snapshot) {
  if (std::ssize(snapshot.sequences) != group_->num_sequences()) {
    return fail(Code::invalid_input,
                fmt::format("snapshot of {} sequences; there are {}", snapshot.sequences.size(),
                            group_->num_sequences()));
  }
  for (int s = 0; s < group_->num_sequences(); ++s) {
    RankContext& context = group_->owner(s);
    K3_TRY_VOID(
        context.state(s).restore(*context.stream, snapshot.sequences[static_cast<std::size_t>(s)]));
  }
  return {};
}

Result<void> Executor::read_state(int sequence, const StateView& view) {
  K3_TRY_VOID(check_sequence(*group_, sequence));
  RankContext& context = group_->owner(sequence);
  const SequenceState& state = context.state(sequence);
  if (view.mla_first_row < 0 || view.mla_rows < 0 ||
      view.mla_first_row + view.mla_rows > state.length()) {
    return fail(Code::invalid_input,
                fmt::format("rows {} to {} of a cache of {}", view.mla_first_row,
                            view.mla_first_row + view.mla_rows, state.length()));
  }
  state.read(*context.stream, view);
  return {};
}

std::vector<MemoryRecord> Executor::memory() const {
  std::vector<MemoryRecord> records;
  for (const auto& rank : group_->ranks) {
    std::int64_t kda = 0;
    std::int64_t cache = 0;
    for (const SequenceState& state : rank->states) {
      kda += state.kda_bytes();
      cache += state.cache_bytes();
    }
    records.push_back({rank->rank, "experts", rank->weights.expert_bytes});
    records.push_back({rank->rank, "weights", rank->weights.other_bytes});
    records.push_back({rank->rank, "kv_cache", cache});
    records.push_back({rank->rank, "kda_state", kda});
    records.push_back({rank->rank, "activations", rank->work.capacity_bytes()});
    records.push_back({rank->rank, "buffers", rank->exchange.capacity_bytes()});
  }
  return records;
}

std::vector<Lane> executor_lanes(int num_ranks) {
  std::vector<Lane> lanes;
  for (int rank = 0; rank < num_ranks; ++rank) {
    lanes.push_back({.rank = rank, .kind = LaneKind::compute, .name = "compute"});
    lanes.push_back({.rank = rank, .kind = LaneKind::communication, .name = "communication"});
  }
  return lanes;
}

}  // namespace k3
