#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/task_kind.h"
#include "profiler/store/session_reader.h"

namespace k3::query {

/// Which all-to-alls; what is not set matches everything.
struct TrafficFilter {
  std::optional<int> step;
  std::optional<int> layer;
  std::optional<Direction> direction;
  std::optional<Phase> phase;
};

/// Sum over the all-to-alls that match, row-major [source][destination], source = destination
/// included.
struct TrafficSum {
  int num_ranks = 0;
  int exchanges = 0;  ///< all-to-alls that match
  std::vector<std::uint64_t> copies;
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> bytes;

  std::uint64_t total_bytes() const;
};

Result<TrafficSum> traffic_matrix(const store::SessionReader& session, const TrafficFilter& filter);

/// The same over the given steps only, those of `filter` that are among them.
Result<TrafficSum> traffic_matrix(const store::SessionReader& session,
                                  const TrafficFilter& filter,
                                  std::span<const int> steps);

/// One rank's part in the all-to-alls that match: waiting for others, then moving.
struct RankTransfer {
  int rank = 0;
  double wait_us = 0;
  double move_us = 0;
};

Result<std::vector<RankTransfer>> transfer_times(const store::SessionReader& session,
                                                 const TrafficFilter& filter);

}  // namespace k3::query
