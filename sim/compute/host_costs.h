#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "sim/compute/operator_calls.h"
#include "sim/compute/table.h"

namespace k3::sim {

/// What the time of a rank on a host is spent on.
enum class HostPart : std::uint8_t {
  kernels,   ///< arithmetic, with weights in the caches
  memory,    ///< weights and states that come from memory, beyond that
  overhead,  ///< walking and recording the tasks
  start,     ///< starting and joining the ranks' threads, once per step
  packing,   ///< copies gathered, ordered and added up around an all-to-all
  meeting,   ///< barriers: ranks put to sleep and woken
  transfer,  ///< rows copied from rank to rank, beyond the barriers
};
inline constexpr int kNumHostParts = 7;
inline constexpr std::array<std::string_view, kNumHostParts> kHostPartNames{
    "kernels",   "memory", "task overhead", "thread start", "packing", "barriers and wake-ups",
    "row copies"};

using HostSeconds = std::array<double, kNumHostParts>;

/// Time of one task of one rank on a host.
struct HostCost {
  HostSeconds before{};  ///< on a core: all of it, or until the ranks meet
  HostSeconds meet{};    ///< elapsed once all have arrived, cores idle (dispatch, combine)
  HostSeconds after{};   ///< on a core, once the rows are there (combine)
  double lower = 0;      ///< of the sum
  double upper = 0;
  bool measured = true;  ///< every table asked within its range

  double time() const;
};

/// Ranks as threads on the cores of a host, as its calibration measured them.
///
///   kernels  = κ(n) · Σ table(operator, shape) · repeat
///   memory   = Σ ρ(n) · (own bytes + shared bytes / ranks), where a step exceeds the cache
///   dispatch = all_to_all(ranks) + exchange(ranks, headers) + exchange(ranks, rows)
///   combine  = exchange(ranks, rows)
///
/// each times φ, the factor that the calibration fitted to measured steps (1: none fitted).
/// n = min(ranks, cores) busy cores; κ: how much slower an operator is with n busy cores; ρ: extra
/// time per byte that comes from memory and not from the cache, with n cores reading at once. A
/// matrix that all ranks use comes from memory once. Refers to the tables, which outlive it.
class HostCosts {
 public:
  struct Host {
    int cores = 1;
    double cache_bytes = 0;
    int ranks = 1;
    double step_bytes = 0;   ///< weights and states that one step reads, of all ranks
    double step_factor = 1;  ///< φ
  };

  /// Errors: a table that is missing or has other axes, named
  static Result<HostCosts> create(const TableSet& set, const Host& host);

  /// A task of one rank; for dispatch and combine `bytes` are the most that a rank receives.
  HostCost task(const CallContext& context, const Task& task, double bytes) const;

  /// Starting the ranks' threads at the begin of a step.
  double start_seconds() const;

 private:
  struct Sum;

  void add_calls(const std::vector<OperatorCall>& calls, HostSeconds& into, Sum& sum) const;
  void add_meeting(
      const CallContext& context, const Task& task, double bytes, HostCost& cost, Sum& sum) const;

  std::array<const Table*, kNumOperators> operators_{};
  const Table* task_ = nullptr;
  const Table* start_ = nullptr;
  const Table* all_to_all_ = nullptr;
  const Table* exchange_ = nullptr;
  double crowding_ = 1;
  double cold_read_ = 0;    ///< seconds per byte from memory
  double cold_expert_ = 0;  ///< the same for the many small matrices of experts
  Host host_;
};

/// Names and numbers of axes of the tables beside those of the operators.
struct HostTable {
  std::string_view name;
  int axes;
};

inline constexpr std::array<HostTable, 9> kHostTables{{{"task", 1},
                                                       {"start", 1},
                                                       {"all_to_all", 1},
                                                       {"exchange", 2},
                                                       {"crowding", 1},
                                                       {"cold_read", 1},
                                                       {"cold_expert", 1},
                                                       {"read_bandwidth", 1},
                                                       {"copy_bandwidth", 1}}};

}  // namespace k3::sim
