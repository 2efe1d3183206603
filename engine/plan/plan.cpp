#include "engine/plan/plan.h"

#include <initializer_list>

#include "engine/base/rng.h"

namespace k3 {
namespace {

/// Appends the tasks of one rank in the order in which it would run them alone.
class RankBuilder {
 public:
  RankBuilder(const PlanSpec& spec,
              int rank,
              std::vector<Task>& tasks,
              std::vector<std::int32_t>& dependencies)
      : spec_(spec), rank_(rank), tasks_(tasks), dependencies_(dependencies) {}

  /// Returns the number of collectives that the rank takes part in.
  int build() {
    last_ = add(TaskKind::embed, Stage::whole, {});
    for (int l = 0; l < spec_.model.num_layers(); ++l) {
      layer_ = static_cast<std::int16_t>(l);
      const LayerConfig& layer = spec_.model.layers[static_cast<std::size_t>(l)];
      add_attention(layer);
      add_ffn(layer);
    }
    layer_ = -1;
    chain(TaskKind::head, Stage::output);
    chain(TaskKind::head, Stage::logits);
    chain(TaskKind::sample, Stage::whole);
    return num_collectives_;
  }

 private:
  void add_attention(const LayerConfig& layer) {
    if (layer.attention_sources > 0) chain(TaskKind::attn_res, Stage::attention);
    chain(TaskKind::norm, Stage::attention);
    if (layer.attention == AttentionKind::kda) {
      for (const Stage stage : {Stage::project, Stage::conv, Stage::recur, Stage::output}) {
        chain(TaskKind::kda, stage);
      }
    } else {
      for (const Stage stage : {Stage::project, Stage::attend, Stage::output}) {
        chain(TaskKind::mla, stage);
      }
    }
  }

  void add_ffn(const LayerConfig& layer) {
    chain(TaskKind::attn_res, Stage::ffn);
    chain(TaskKind::norm, Stage::ffn);
    if (layer.ffn == FfnKind::dense) {
      chain(TaskKind::dense, Stage::whole);
      return;
    }
    const std::int32_t input = last_;
    const std::int32_t router = chain(TaskKind::router, Stage::whole);
    const std::int32_t down = add(TaskKind::latent, Stage::down, {input});
    const bool beside = spec_.execution.overlap == Overlap::shared_expert;
    const std::int32_t dispatch = meet(TaskKind::dispatch, {router, down});
    std::int32_t shared = beside ? add(TaskKind::shared, Stage::whole, {input}) : -1;
    const std::int32_t experts = add(TaskKind::experts, Stage::whole, {dispatch});
    const std::int32_t combine = meet(TaskKind::combine, {experts});
    // NOTE: without overlap nothing runs beside a transfer, so the shared experts wait for the
    // combine.
    if (!beside) shared = add(TaskKind::shared, Stage::whole, {combine});
    last_ = add(TaskKind::latent, Stage::up, {combine, shared});
  }

  std::int32_t chain(TaskKind kind, Stage stage) { return last_ = add(kind, stage, {last_}); }

  std::int32_t meet(TaskKind kind, std::initializer_list<std::int32_t> after) {
    const std::int32_t id = add(kind, Stage::whole, after);
    tasks_.back().lane = TaskLane::communication;
    tasks_.back().collective = num_collectives_++;
    return id;
  }

  std::int32_t add(TaskKind kind, Stage stage, std::initializer_list<std::int32_t> after) {
    Task task;
    task.kind = kind;
    task.stage = stage;
    task.layer = layer_;
    task.rank = rank_;
    task.first_dependency = static_cast<std::uint32_t>(dependencies_.size());
    task.num_dependencies = static_cast<std::uint32_t>(after.size());
    dependencies_.insert(dependencies_.end(), after);
    tasks_.push_back(task);
    return static_cast<std::int32_t>(tasks_.size() - 1);
  }

  const PlanSpec& spec_;
  int rank_;
  std::vector<Task>& tasks_;
  std::vector<std::int32_t>& dependencies_;
  std::int16_t layer_ = -1;
  std::int32_t last_ = -1;
  int num_collectives_ = 0;
};

std::uint64_t hash_of(std::span<const Task> tasks,
                      std::span<const std::int32_t> dependencies,
                      const StepShape& shape) {
  std::uint64_t h = hash_words(tasks.size(), shape.num_ranks, static_cast<int>(shape.phase));
  for (const Task& t : tasks) {
    h = hash_words(h, task_name_id(t.kind, t.stage), t.layer, t.rank, t.collective,
                   t.num_dependencies);
  }
  for (const std::int32_t d : dependencies)
    h = hash_words(h, d);
  for (const SequenceShape& s : shape.sequences) {
    h = hash_words(h, s.sequence, s.rank, s.context, s.new_tokens);
  }
  return h;
}

}  // namespace

Plan Plan::build(const PlanSpec& spec) {
  Plan plan;
  plan.shape_ = spec.shape;
  for (int rank = 0; rank < spec.shape.num_ranks; ++rank) {
    plan.rank_begin_.push_back(static_cast<std::int32_t>(plan.tasks_.size()));
    plan.num_collectives_ = RankBuilder(spec, rank, plan.tasks_, plan.dependencies_).build();
  }
  plan.rank_begin_.push_back(static_cast<std::int32_t>(plan.tasks_.size()));
  int moe = 0;
  for (const LayerConfig& layer : spec.model.layers) {
    plan.moe_index_.push_back(layer.ffn == FfnKind::moe ? moe++ : -1);
  }
  plan.hash_ = hash_of(plan.tasks_, plan.dependencies_, plan.shape_);
  return plan;
}

std::span<const Task> Plan::rank_tasks(int rank) const {
  const auto begin = static_cast<std::size_t>(rank_begin(rank));
  const auto end = static_cast<std::size_t>(rank_begin(rank + 1));
  return std::span(tasks_).subspan(begin, end - begin);
}

std::string task_name(TaskKind kind, Stage stage) {
  std::string name(name_of(kind));
  if (stage != Stage::whole) name.append(".").append(name_of(stage));
  return name;
}

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (int kind = 0; kind < kNumTaskKinds; ++kind) {
    for (int stage = 0; stage < kNumStages; ++stage) {
      names.push_back(task_name(static_cast<TaskKind>(kind), static_cast<Stage>(stage)));
    }
  }
  return names;
}

}  // namespace k3
