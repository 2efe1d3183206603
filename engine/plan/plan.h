#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/task_kind.h"
#include "engine/model/model_config.h"
#include "engine/plan/step_shape.h"
#include "engine/scenario/setup.h"

namespace k3 {

/// Where a task queues: tasks of one rank and lane run in plan order, lanes run side by side.
enum class TaskLane : std::uint8_t { compute, communication };

/// One task of a step on one rank. The index in Plan::tasks() is its task id.
struct Task {
  TaskKind kind = TaskKind::embed;
  Stage stage = Stage::whole;
  TaskLane lane = TaskLane::compute;
  std::int16_t layer = -1;  ///< −1: not part of a layer
  std::int32_t rank = 0;
  std::int32_t collective = -1;        ///< tasks of all ranks with the same number meet; −1: none
  std::uint32_t first_dependency = 0;  ///< into Plan::dependencies(); of the same rank
  std::uint32_t num_dependencies = 0;
};

struct PlanSpec {
  const ModelConfig& model;
  const ExecutionSpec& execution;
  StepShape shape;  ///< of the first step
};

/// The immutable DAG of the tasks of one step: the only place that knows what K3 does in a step.
/// Executor and simulator both walk it and never see each other, so that every measured span has a
/// simulated twin (step, task id). Task ids are dense, rank by rank, in the order in which a rank
/// without lanes would run them; they depend on the plan's inputs only. Costs are not stored: see
/// work.h.
class Plan {
 public:
  static Plan build(const PlanSpec& spec);

  std::span<const Task> tasks() const { return tasks_; }

  /// Tasks of one rank; the first has task id rank_begin(rank).
  std::span<const Task> rank_tasks(int rank) const;

  std::int32_t rank_begin(int rank) const { return rank_begin_[static_cast<std::size_t>(rank)]; }

  /// Task ids that must be done before `task` starts (collectives apart).
  std::span<const std::int32_t> dependencies(const Task& task) const {
    return std::span(dependencies_).subspan(task.first_dependency, task.num_dependencies);
  }

  const StepShape& shape() const { return shape_; }

  int num_ranks() const { return shape_.num_ranks; }

  int num_collectives() const { return num_collectives_; }

  /// 0-based index among the MoE layers, −1 for a dense layer.
  int moe_index(int layer) const { return moe_index_[static_cast<std::size_t>(layer)]; }

  /// Of tasks, dependencies and shape: equal hashes mean equal task ids.
  std::uint64_t hash() const { return hash_; }

 private:
  StepShape shape_;
  std::vector<Task> tasks_;
  std::vector<std::int32_t> rank_begin_;
  std::vector<std::int32_t> dependencies_;
  std::vector<int> moe_index_;
  int num_collectives_ = 0;
  std::uint64_t hash_ = 0;
};

/// "kda.recur", "attn_res.ffn", "dispatch": kind and stage, without the layer.
std::string task_name(TaskKind kind, Stage stage);

/// Index of that name in `task_names()`: what executor and simulator put into spans.
constexpr std::int32_t task_name_id(TaskKind kind, Stage stage) {
  return static_cast<std::int32_t>(kind) * kNumStages + static_cast<std::int32_t>(stage);
}

/// The name table of every run that walks a plan (unused combinations included).
std::vector<std::string> task_names();

}  // namespace k3
