#pragma once

#include <cstdint>
#include <vector>

#include "engine/model/model_config.h"
#include "engine/plan/plan.h"
#include "engine/plan/step_shape.h"
#include "engine/routing/traffic.h"
#include "engine/scenario/setup.h"

namespace k3 {

/// What one task computes and touches in memory.
struct TaskWork {
  double flops = 0;       ///< a multiply-add counts as two
  double bytes_read = 0;  ///< weights (as stored), caches and activations
  double bytes_written = 0;
  NumberFormat rate = NumberFormat::bf16;  ///< which matrix rate the products run at

  double bytes() const { return bytes_read + bytes_written; }
};

/// What routing adds for one MoE layer on one rank.
struct RoutedShape {
  std::int64_t rows_sent = 0;  ///< dispatch rows of the rank's own tokens, to itself included
  std::int64_t rows_received = 0;
  std::int64_t copies_received = 0;  ///< (token, expert) choices that the rank's experts compute
  std::int64_t experts_touched = 0;
  std::int64_t rows_returned = 0;  ///< combine rows that come back to the rank's tokens
};

/// One entry per rank.
std::vector<RoutedShape> routed_shapes(const LayerTraffic& traffic);

/// FLOPs and bytes of one task. `rank` and `routed` are the totals of the task's rank (routed:
/// zeros for tasks that routing does not touch). Dispatch and combine: bytes = rows of the rank's
/// own tokens, sent or returned, × row bytes, so that the sum over ranks is the payload of the
/// all-to-all. Source: k3 specification, sections 3 and 5; absorbed MLA in decode, expanded in
/// prefill; KDA recurrence as 7·d² per token and head
TaskWork task_work(const ModelConfig& model,
                   const PrecisionSpec& precision,
                   Phase phase,
                   const Task& task,
                   const RankShape& rank,
                   const RoutedShape& routed);

}  // namespace k3
