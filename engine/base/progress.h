#pragma once

#include <atomic>
#include <cstdint>

namespace k3 {

/// How far long work has come. The worker counts, anybody may poll and ask it to stop; thread-safe.
struct Progress {
  std::atomic<std::int64_t> done{0};
  std::atomic<std::int64_t> total{0};  ///< 0 while unknown
  std::atomic<bool> cancelled{false};
};

}  // namespace k3
